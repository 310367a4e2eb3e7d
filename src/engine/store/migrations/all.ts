import { initial } from './001-initial.ts';

/** One step each, by number from 1; a step that was released is never edited. */
export const migrations: readonly string[] = [initial];
