import type { SessionAdapter } from '../contract.ts';
import { findGemini } from './installed.ts';
import { captureSession } from './read/capture.ts';
import { discoverSessions, recogniseSession } from './read/discover.ts';
import { resumeCommand } from './resume.ts';
import { geminiTarget } from './write/target.ts';

export const gemini: SessionAdapter & { readonly id: 'gemini' } = {
  id: 'gemini',
  label: 'Gemini CLI',
  verified: { versions: ['0.61.0', '0.24.0'], on: '2026-11-29' },
  discover: discoverSessions,
  recognise: recogniseSession,
  capture: captureSession,
  resume: resumeCommand,
  installed: findGemini,
  target: geminiTarget,
};
