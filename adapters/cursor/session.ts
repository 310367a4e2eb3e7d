import type { EventType, Usage, Warning } from '../../src/shared/events.ts';
import type { NativeParent } from '../contract.ts';

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** JSON in a text or a blob of a database; undefined where it is none. */
export function parsed(value: unknown): unknown {
  try {
    if (typeof value === 'string') return JSON.parse(value) as unknown;
    return value instanceof Uint8Array ? (JSON.parse(Buffer.from(value).toString('utf8')) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** One event that a message says. */
export interface Part {
  /** what it says, in short, to compare it with what was captured before */
  fact: string;
  type: EventType;
  actor: 'user' | 'system' | 'agent:cursor';
  payload: Json;
  /** of a result: events that follow from it and its call */
  derived?: { type: EventType; payload: Json }[];
}

/** One message, or one step of an answer. */
export interface Item {
  id: string;
  /** seconds, null = not told */
  ts: number | null;
  parts: Part[];
  usage?: Usage;
  /** the record without what the parts say */
  native?: Json;
  /** a record of a kind that is not known: kept whole */
  unknown?: { kind: string; value: unknown };
}

/** A session as both kinds of database give it. */
export interface CursorSession {
  id: string;
  title: string | null;
  cwd: string | null;
  model: string | null;
  /** seconds */
  started: number | null;
  parent: NativeParent | null;
  native: Json;
  items: Item[];
  warnings: Warning[];
  /** records that could not be read */
  unreadable: number;
}
