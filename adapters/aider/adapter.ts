import { shellCommand } from '../../src/core/shell-command.ts';
import type { SessionAdapter } from '../contract.ts';
import { findProgram } from '../io/program.ts';
import { captureHistory } from './capture.ts';
import { discoverHistories, recogniseHistory } from './discover.ts';

/** Aider, read-only: its history has no ids and roles are told by marks alone, so nothing can be written back for certain. */
export const aider: SessionAdapter & { readonly id: 'aider' } = {
  id: 'aider',
  label: 'Aider',
  verified: { versions: ['0.86.2'], on: '2026-11-29' },
  discover: discoverHistories,
  recognise: recogniseHistory,
  capture: captureHistory,
  // it goes on with the whole history of the folder, not with one chat
  resume: ({ cwd }) => shellCommand(['aider', '--restore-chat-history'], cwd),
  installed: (env) => findProgram('aider', env, { package: { python: 'aider_chat' } }),
};
