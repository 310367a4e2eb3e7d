import type { SessionAdapter } from '../contract.ts';
import { findHermes } from './installed.ts';
import { openDatabase } from './read/database.ts';
import { discover, recognise } from './read/discover.ts';
import { captureLegacy } from './read/legacy.ts';
import { resumeCommand } from './resume.ts';
import { hermesTarget } from './target.ts';

export const hermes: SessionAdapter & { readonly id: 'hermes' } = {
  id: 'hermes',
  label: 'Hermes',
  verified: { versions: ['0.9.0', '0.14.0', '0.16.0', '0.18.0', '0.19.1', '0.20.4'], on: '2026-11-29' },
  discover,
  recognise,
  capture: captureLegacy,
  openDatabase,
  resume: resumeCommand,
  installed: findHermes,
  target: hermesTarget,
};
