import type { SessionRow } from '../../../shared/session.ts';
import { t } from '../../i18n/t.ts';

/** The title a session is called by: given by the user or the agent, else its first prompt. */
export const titleOf = (row: SessionRow): string => row.title ?? row.first_prompt ?? t.list.untitled;

/** The last part of a folder: the project's name. */
export const projectOf = (cwd: string): string => cwd.replace(/\/+$/, '').split('/').at(-1) || cwd;

/** "api · auth-rotation": project and branch. */
export const placeOf = (row: SessionRow): string =>
  [row.cwd === null ? '' : projectOf(row.cwd), row.git_branch ?? ''].filter(Boolean).join(' · ');

/** Tokens as the measure of a session's size: all that was sent and answered; else what its next request would carry. */
export function sizeOf(row: SessionRow): number | null {
  const { input, output, cache_read, cache_write } = row.usage;
  const used = input + output + cache_read + cache_write;
  return used > 0 ? used : row.context_tokens;
}
