import { randomBytes } from 'node:crypto';
import { Redactor } from '../core/redact/redactor.ts';
import { lastLook } from '../engine/outputs/last-look.ts';

/** What takes secrets out of a text, by today's rules. */
export type Clean = Pick<Redactor, 'text'>;

/**
 * For one answer. What is stored was redacted when it was read, perhaps under older rules; an answer goes to a model, and so
 * it is looked at again. Numbers of placeholders are those of this answer.
 */
export const cleaner = (): Clean => new Redactor({ key: randomBytes(32) });

/** Looks through all texts of an answer, which is changed in place and returned. */
export const clean = <T>(answer: T): T => lastLook(answer, cleaner());
