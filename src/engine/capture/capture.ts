import type { Store } from '../store/contract.ts';
import type { Capture, CaptureEnv } from './contract.ts';

/** Captures into an open store. Workers start with the first call and end with their job. */
export function createCapture(_store: Store, _env: CaptureEnv): Capture {
  throw new Error('being built');
}
