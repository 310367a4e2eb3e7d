import type { SessionEvent } from '../../../src/shared/events.ts';

/**
 * Ids of the written calls. Pi's own stay as they are, since they hold what an API of its own asks for (`call_…|fc_…` with
 * reasoning of OpenAI); Pi makes them conform where another API needs it. All others are those of the arranger.
 */
export class WrittenIds {
  readonly #used = new Set<string>();
  readonly #ids = new WeakMap<SessionEvent, string>();

  /** The same for a call and for its result; calls come first. `id` is what conforms. */
  of(call: SessionEvent, id: string): string {
    const known = this.#ids.get(call);
    if (known !== undefined) return known;
    const native = call.agent === 'pi' ? call.payload.call_id : undefined;
    const own = typeof native === 'string' && native !== '' && native.isWellFormed() && !this.#used.has(native);
    const written = own ? native : id;
    this.#used.add(written);
    this.#ids.set(call, written);
    return written;
  }
}
