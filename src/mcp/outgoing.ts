import { randomBytes } from 'node:crypto';
import { Redactor } from '../core/redact/redactor.ts';
import { lastLook } from '../engine/outputs/last-look.ts';

/** What takes secrets out of texts, by today's rules: always before a text is cut, since half a secret is not known as one. */
export type Clean = Pick<Redactor, 'text' | 'record'>;

/**
 * For one answer. What is stored was redacted when it was read, perhaps under older rules; an answer goes to a model, and so
 * it is looked at again. Numbers of placeholders are those of this answer.
 */
export const cleaner = (): Clean => new Redactor({ key: randomBytes(32) });

/** Looks through all texts of an answer, which is changed in place and returned. */
export const clean = <T>(answer: T, by: Clean): T => lastLook(answer, by);

/** The end of a text that was cut in the middle of a word, which may be the beginning of a secret. */
const HALF_WORD = /[\x21-\x7e]{8,}…$/;

/** A text that the store keeps cut, cleaned: what stands at its cut, and may be a part of a secret, goes. */
export const cleanCut = (text: string, by: Clean): string => by.text(text).replace(HALF_WORD, '…');
