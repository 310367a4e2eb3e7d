import { app } from './en/app.ts';
import { browse } from './en/browse.ts';
import { handOver } from './en/hand-over.ts';

/** Every word the app shows, in English: sentence case, British spelling, verbs on buttons that name the result. */
export const en = { ...app, ...browse, ...handOver };
