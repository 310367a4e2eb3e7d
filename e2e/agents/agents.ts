/** What the lab knows of every agent: where it keeps its sessions, how to run it, and how to read what it sends. */
import { claude } from './clients/claude.ts';
import { codex } from './clients/codex.ts';
import { gemini } from './clients/gemini.ts';
import { hermes } from './clients/hermes.ts';
import { opencode } from './clients/opencode.ts';
import { pi } from './clients/pi.ts';
import type { LabAgent } from './contract.ts';

/** In the order of the matrix. */
export const LAB_AGENTS: readonly LabAgent[] = [claude, codex, pi, hermes, opencode, gemini];
