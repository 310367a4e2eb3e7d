import type { SessionAdapter } from '../contract.ts';
import { findOpenCode } from './installed.ts';
import { openDatabase } from './read/database.ts';
import { discoverSessions, recogniseSession } from './read/discover.ts';
import { captureTree } from './read/tree.ts';
import { resumeCommand } from './resume.ts';
import { opencodeTarget } from './target.ts';

export const opencode: SessionAdapter & { readonly id: 'opencode' } = {
  id: 'opencode',
  label: 'OpenCode',
  verified: { versions: ['1.18.33'], on: '2026-11-29' },
  discover: discoverSessions,
  recognise: recogniseSession,
  capture: captureTree,
  openDatabase,
  resume: resumeCommand,
  installed: findOpenCode,
  target: opencodeTarget,
};
