import { initial } from './001-initial.ts';
import { inheritance } from './002-inheritance.ts';
import { search } from './003-search.ts';

/** One step each, by number from 1; a step that was released is never edited. */
export const migrations: readonly string[] = [initial, inheritance, search];
