import type { Tool } from '../tool.ts';
import { contextCompile } from './context-compile.ts';
import { sessionContinue } from './session-continue.ts';
import { sessionCurrent } from './session-current.ts';
import { sessionHandoff } from './session-handoff.ts';
import { sessionList } from './session-list.ts';
import { sessionSearch } from './session-search.ts';
import { sessionSummary } from './session-summary.ts';

/** The tools of the server, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  sessionCurrent,
  sessionList,
  sessionSummary,
  sessionContinue,
  sessionSearch,
  sessionHandoff,
  contextCompile,
];
