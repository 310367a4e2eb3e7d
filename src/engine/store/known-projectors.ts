import type { Columns } from '../../core/view/flags.ts';
import { SummaryProjector } from '../../core/view/summary.ts';
import { unpackSummary } from './session-row.ts';

const KEPT = 8;

/**
 * Projectors of sessions decided on of late, true as long as another process has added nothing: the log is as long as they know
 * it, and the stored summary is the one they left.
 */
export class KnownProjectors {
  private readonly known = new Map<string, { summary: Buffer; projector: SummaryProjector }>();

  /** `n`: how many events the session has, as it is read */
  of(uid: string, { summary, n }: { summary: Buffer; n: number }, columns: () => Columns): SummaryProjector {
    const kept = this.known.get(uid);
    this.known.delete(uid);
    if (kept?.projector.n === n && kept.summary.equals(summary)) return kept.projector;
    return new SummaryProjector({ columns: columns(), state: unpackSummary(summary) });
  }

  keep(uid: string, summary: Buffer, projector: SummaryProjector): void {
    this.known.set(uid, { summary, projector });
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value as string);
  }
}
