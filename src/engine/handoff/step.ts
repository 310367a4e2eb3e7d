import type { SagaStep } from '../../shared/handoff.ts';

/** Called around each step of a handoff. A test ends the process in it to see what a killed run leaves. */
export type StepHook = (step: SagaStep, when: 'before' | 'after') => void | Promise<void>;
