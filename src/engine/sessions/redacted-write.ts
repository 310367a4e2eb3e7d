import type { Redactor } from '../../core/redact/redactor.ts';
import type { Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Decided, Decision, Store } from '../store/contract.ts';
import { payloadRedactor, redactionOf, redactionSetting } from './redaction.ts';

/**
 * Writes to a session what went through a redactor that knows the secrets of the session so far, and keeps what it has learned.
 * Where another program has written in between, which may have given the same number to another secret, `decisionOf` is asked
 * again, with a redactor that knows that too. Within a process such writes are made `inTurn`.
 */
export async function withRedactor(
  { reader, writer }: Store,
  key: Uint8Array,
  { id, source }: Pick<SessionRow, 'id' | 'source'>,
  decisionOf: (redactor: Redactor) => Decision,
): Promise<Result<Decided>> {
  for (;;) {
    // counted first: what is written after that is noticed
    const events = (await reader.session(id))?.events ?? null;
    const redactor = payloadRedactor(key, await redactionOf(reader, { id, source }));
    const decision = decisionOf(redactor);
    const learned =
      redactor.replaced === 0
        ? {}
        : { expect: [{ session: id, events }], settings: { [redactionSetting(id)]: redactor.state() } };
    const decided = await writer.decide({ ...decision, ...learned });
    if (!decided.ok || !decided.value.moved) return decided;
  }
}
