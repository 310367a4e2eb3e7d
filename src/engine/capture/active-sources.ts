import type { Cursor } from '../../../adapters/contract.ts';
import type { SummaryProjector } from '../../core/view/summary.ts';
import type { CaptureStart } from '../store/intake-protocol.ts';

interface Active {
  capture: number;
  version: number;
  cursor: Cursor;
  projectors: Map<string, SummaryProjector>;
}

const KEPT = 32;

/**
 * Sources captured of late, so that the next capture goes on from memory: the adapter gets the very cursor it returned, on
 * which its state hangs. What the store says decides whether the memory is still true.
 */
export class ActiveSources {
  private readonly sources = new Map<string, Active>();

  /** The cursor to go on from: the known object when the store stands where it did, else what the store has. */
  cursor(path: string, start: CaptureStart): Cursor | null {
    const active = this.sources.get(path);
    if (active !== undefined && active.version === start.source?.version) return active.cursor;
    this.sources.delete(path);
    return start.source?.cursor ?? null;
  }

  projector(path: string, session: string): SummaryProjector | undefined {
    return this.sources.get(path)?.projectors.get(session);
  }

  keep(
    path: string,
    capture: number,
    version: number,
    cursor: Cursor,
    projectors: Map<string, SummaryProjector>,
  ): void {
    this.sources.delete(path);
    this.sources.set(path, { capture, version, cursor, projectors });
    if (this.sources.size > KEPT) this.sources.delete(this.sources.keys().next().value as string);
  }

  forget(path: string): void {
    this.sources.delete(path);
  }

  forgetCapture(capture: number): void {
    for (const [path, active] of this.sources) if (active.capture === capture) this.sources.delete(path);
  }
}
