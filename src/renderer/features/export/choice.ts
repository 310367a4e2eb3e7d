import type { ExportFormat } from '../../../shared/outputs.ts';

/** Which file is written, and what of the session is in it. */
export interface Choice {
  format: ExportFormat;
  /** undone turns and dead branches too */
  all: boolean;
  subagents: boolean;
}
