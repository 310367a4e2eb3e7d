import type { SessionAdapter } from '../contract.ts';
import { findPi } from './installed.ts';
import { captureSession } from './read/capture.ts';
import { discoverSessions, recogniseSession } from './read/discover.ts';
import { resumeCommand } from './resume.ts';
import { piTarget } from './write/target.ts';

export const pi: SessionAdapter & { readonly id: 'pi' } = {
  id: 'pi',
  label: 'Pi',
  verified: { versions: ['0.7.6', '0.13.2', '0.30.2', '0.31.1', '0.45.7', '0.73.1', '1.6.0'], on: '2026-11-29' },
  discover: discoverSessions,
  recognise: recogniseSession,
  capture: captureSession,
  resume: resumeCommand,
  installed: findPi,
  target: piTarget,
};
