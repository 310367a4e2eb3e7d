import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Receipt } from '../../shared/handoff.ts';
import type { StoreReader } from '../store/contract.ts';
import { checkReceipt, type Standing } from '../verify/receipt.ts';
import { checkSession } from '../verify/session.ts';
import { type EngineContext, type HandlersOf, resolveSession, withHome } from './context.ts';

/** What was done and proven: receipts and checks. */
export const receiptProcedures: HandlersOf<'receipts.list' | 'receipts.get' | 'receipts.verify' | 'verify.session'> = {
  'receipts.list': (context, query) =>
    withHome(context, async ({ store }) => {
      if (query.session === undefined) return ok(await store.reader.receipts(query));
      const row = await resolveSession(store.reader, query.session);
      return row.ok ? ok(await store.reader.receipts({ ...query, session: row.value.id })) : row;
    }),
  'receipts.get': (context, { id }) => withHome(context, ({ store }) => findReceipt(store.reader, id)),
  'receipts.verify': (context, { id }) =>
    withHome(context, async ({ store, keys }) => {
      const receipt = await findReceipt(store.reader, id);
      return receipt.ok
        ? ok(await checkReceipt(store.reader, receipt.value, keys.signer.publicKey, standingOf(context)))
        : receipt;
    }),
  'verify.session': (context, { id }) =>
    withHome(context, async ({ store, keys }) => {
      const row = await resolveSession(store.reader, id);
      return row.ok ? ok(await checkSession(store.reader, row.value, keys.signer.publicKey)) : row;
    }),
};

const standingOf =
  ({ agents }: EngineContext): Standing =>
  async (receipt, { path, sha256 }) => {
    const { agent, native_id } = (receipt.facts.to ?? {}) as { agent?: string; native_id?: string };
    const to = agents.adapter(agent ?? '');
    if (!to.ok || path === undefined || native_id === undefined) return null;
    const found = await to.value.target?.standing?.({ final: path, sha256 }, { nativeId: native_id });
    return found?.ok ? found.value : null;
  };

async function findReceipt(reader: StoreReader, id: string): Promise<Result<Receipt>> {
  const receipt = await reader.receipt(id);
  return receipt
    ? ok(receipt)
    : fail('not_found', `There is no receipt "${id}". List them: \`sessionctl receipts\`.`, { id });
}
