import type { SessionAdapter } from '../contract.ts';
import { findCodex } from './installed.ts';
import { captureThread } from './read/capture.ts';
import { discoverRollouts, movedThread, recogniseRollout } from './read/discover.ts';
import { resumeCommand } from './resume.ts';
import { codexTarget } from './target.ts';

export const codex: SessionAdapter & { readonly id: 'codex' } = {
  id: 'codex',
  label: 'Codex',
  verified: { versions: ['0.171.0'], on: '2026-11-29' },
  ownFields: ['compacted/payload/-.sessionctl'],
  discover: discoverRollouts,
  recognise: recogniseRollout,
  movedTo: movedThread,
  capture: captureThread,
  resume: resumeCommand,
  installed: findCodex,
  target: codexTarget,
};
