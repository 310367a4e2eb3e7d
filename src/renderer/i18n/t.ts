import { en } from './en.ts';

/** The catalogue in use. A second language is another object of this type; the choice is made once, at start. */
export type Catalogue = typeof en;
export const t: Catalogue = en;
