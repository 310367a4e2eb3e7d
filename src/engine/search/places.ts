import { FLAG } from '../../core/view/flags.ts';
import { readSpecial, specialSeqs } from '../../core/view/model.ts';
import { sightOf } from '../../core/view/rows.ts';
import { RowPlan } from '../../core/view/transcript.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SearchHit } from '../../shared/search.ts';
import type { LogHead } from '../store/log-head.ts';
import type { WholeLogs } from '../store/whole-logs.ts';

/** Where an event stands: in the transcript, and on which branch. */
export type Place = Pick<SearchHit, 'ordinal' | 'active' | 'in_model'>;

const ACTIVE = 1;
const IN_MODEL = 2;

/** The places of a session's events, five bytes each. */
interface Places {
  /** end of the log that they are true for */
  head: Buffer;
  /** -1: no row shows it */
  ordinals: Int32Array;
  marks: Uint8Array;
}

/** Events whose places are kept, 20 MB. */
const MOST = 4_000_000;

/** Knows the places of the sessions that hits were shown of last. */
export class EventPlaces {
  private readonly logs: WholeLogs;
  private readonly kept = new Map<string, Places>();
  private events = 0;

  constructor(logs: WholeLogs) {
    this.logs = logs;
  }

  /** @param read reads events of the log, for those few that decide about branches */
  of(id: string, log: LogHead, seq: number, read: (seqs: readonly number[]) => SessionEvent[]): Place {
    const known = this.kept.get(id);
    const { ordinals, marks } = known?.head.equals(log.head) ? known : this.keep(id, this.make(log, read));
    const ordinal = ordinals[seq] ?? -1;
    const mark = marks[seq] ?? 0;
    return { ordinal: ordinal < 0 ? null : ordinal, active: (mark & ACTIVE) !== 0, in_model: (mark & IN_MODEL) !== 0 };
  }

  private make(log: LogHead, read: (seqs: readonly number[]) => SessionEvent[]): Places {
    const index = this.logs.index(log);
    const { rowOf } = new RowPlan().extend(index);
    const { active, compaction, kept } = sightOf(index, readSpecial(read(specialSeqs(index))));
    const ordinals = rowOf.slice(0, index.n);
    const marks = new Uint8Array(index.n);
    for (let seq = 0; seq < index.n; seq++) {
      if ((index.flags[seq] as number) & FLAG.HIDDEN) ordinals[seq] = -1;
      if (active[seq] === 1) marks[seq] = seq >= compaction || kept.has(seq) ? ACTIVE | IN_MODEL : ACTIVE;
    }
    return { head: log.head, ordinals, marks };
  }

  private keep(id: string, places: Places): Places {
    this.events += places.marks.length - (this.kept.get(id)?.marks.length ?? 0);
    this.kept.delete(id);
    this.kept.set(id, places);
    for (const [oldest, { marks }] of this.kept) {
      if (this.events <= MOST || oldest === id) break;
      this.kept.delete(oldest);
      this.events -= marks.length;
    }
    return places;
  }
}
