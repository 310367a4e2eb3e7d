import { sha256Ref } from '../../src/core/hash.ts';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import type { EventDraft, SessionEvent, Warning } from '../../src/shared/events.ts';
import type { CaptureSink, SessionFacts, SessionRef, SessionSink } from '../contract.ts';

/** One session in memory, as the store would hold it (without checksums). */
export interface MemorySession {
  ref: SessionRef;
  events: SessionEvent[];
  warnings: Warning[];
  facts: SessionFacts;
  redactions: number;
}

/** A sink that keeps everything in memory, for tests of adapters. Events come back as parsed copies, as from a store. */
export class MemorySink implements CaptureSink {
  readonly sessions = new Map<string, MemorySession>();
  readonly artifacts = new Map<string, { bytes: Uint8Array; mediaType: string }>();

  session(ref: SessionRef): SessionSink {
    const id = this.idOf({ path: '', native_id: ref.native_id }, ref.part);
    let session = this.sessions.get(id);
    if (session === undefined) {
      session = { ref, events: [], warnings: [], facts: {}, redactions: 0 };
      this.sessions.set(id, session);
    }
    return sinkOf(id, session);
  }

  artifact(bytes: Uint8Array, mediaType: string): string {
    const ref = `artifact:${sha256Ref(bytes)}`;
    if (!this.artifacts.has(ref)) this.artifacts.set(ref, { bytes: Uint8Array.from(bytes), mediaType });
    return ref;
  }

  idOf(source: { path: string; native_id: string }, part?: string): string {
    return `sess_${sha256Ref(`${source.native_id}\0${part ?? ''}`).slice(7, 27)}`;
  }

  async drain(): Promise<void> {}

  /** Bytes of an artifact. @throws when there is none */
  readonly read = async (ref: string): Promise<Uint8Array> => {
    const found = this.artifacts.get(ref);
    if (found === undefined) throw new Error(`no artifact ${ref}`);
    return found.bytes;
  };
}

function sinkOf(id: string, session: MemorySession): SessionSink {
  const event = (draft: EventDraft, redactions = 0): number => {
    const seq = session.events.length;
    if (draft.parent_seq !== null && !(draft.parent_seq >= 0 && draft.parent_seq < seq))
      throw new RangeError(`event ${seq} has parent ${draft.parent_seq}`);
    session.redactions += redactions;
    const copy = JSON.parse(canonicalJson(draft)) as EventDraft;
    session.events.push({ ...copy, seq, checksum: '' });
    return seq;
  };
  return {
    id,
    get next() {
      return session.events.length;
    },
    event,
    warning(warning) {
      session.warnings.push(warning);
      const payload = { key: 'warning', value: warning };
      const base = { agent: 'test', actor: 'system', level: 0, refs: [], parent_seq: null, origin: null } as const;
      event({ ...base, refs: [], ts: null, type: 'meta', payload });
    },
    facts(facts) {
      Object.assign(session.facts, facts);
    },
    async *stored() {
      yield* [...session.events];
    },
  };
}
