import type { SessionAdapter } from '../contract.ts';
import { capture } from './capture.ts';
import { discover, recognise } from './discover.ts';
import { installed, resume } from './resume.ts';
import { claudeTarget } from './write/target.ts';

/** Claude Code: sessions in ~/.claude/projects, one JSON Lines file each. What the files mean: FORMAT.md. */
export const claude = {
  id: 'claude',
  label: 'Claude Code',
  verified: { versions: ['2.1.332', '2.1.197', '2.1.50', '2.0.76', '1.0.128'], on: '2026-11-29' },
  ownFields: ['assistant.carriedFrom', 'user.carriedAbout'],
  discover,
  recognise,
  capture,
  resume,
  installed,
  target: claudeTarget,
} satisfies SessionAdapter;
