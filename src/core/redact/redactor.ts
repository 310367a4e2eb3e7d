import { findSecrets } from './find.ts';
import { isPasswordName, isSecretName, kindOfName, nameOfField } from './names.ts';
import { isSecretValue } from './plausible.ts';
import { KeyCarry } from './private-key.ts';
import { ALL_RULES, PRIVATE_KEYS, RULES_VERSION, type RuleHits } from './rules.ts';
import { keyedHash, type RedactionState } from './secret-ids.ts';

/** A placeholder as it stands in redacted text, e.g. `[REDACTED:github-token:1]`. */
const PLACEHOLDER = /\[REDACTED:[a-z0-9-]{1,40}:\d{1,9}\]/g;
const PLACEHOLDER_START = '[REDACTED:';

export interface RedactorOptions {
  /** key of the hash under which secrets are told apart; secrets can be guessed, so it must be secret itself */
  key: Uint8Array;
  /** state of earlier captures of the same session: the same secret keeps its number */
  state?: RedactionState | undefined;
  /** fields whose whole value stays as it is (ids, signatures, encrypted data): kept or removed, never altered */
  protectedKey?: ((key: string) => boolean) | undefined;
  /** fields of what tools take and give: whatever names they use below these, nothing there is protected */
  foreignKey?: ((key: string) => boolean) | undefined;
}

/** Where a value stands in the record that is walked through. */
interface Place {
  rules: RuleHits;
  carry: KeyCarry | null;
  /** below a field of what tools take and give */
  foreign: boolean;
}

const none = (): boolean => false;

/**
 * Replaces secrets by numbered placeholders, the same secret by the same number within a session. Works on decoded
 * strings, never on serialised JSON, and must run before any text is cut. Redacted text is left as it is.
 */
export class Redactor {
  private readonly hash: (secret: string) => string;
  private readonly isProtected: (key: string) => boolean;
  private readonly isForeign: (key: string) => boolean;
  private readonly seen: Map<string, string>;
  private readonly numbers = new Map<string, number>();
  private readonly tally: Map<string, number>;
  private readonly before: Readonly<Record<string, number>>;
  private readonly rules: number;
  /** occurrences replaced by this redactor */
  replaced = 0;

  constructor({ key, state, protectedKey, foreignKey }: RedactorOptions) {
    this.hash = keyedHash(key);
    this.isProtected = protectedKey ?? none;
    this.isForeign = foreignKey ?? none;
    this.seen = new Map(Object.entries(state?.seen ?? {}));
    this.before = { ...state?.counts };
    this.tally = new Map(Object.entries(this.before));
    // what earlier captures wrote was redacted under their rules only
    this.rules = Math.min(state?.rules ?? RULES_VERSION, RULES_VERSION);
    for (const name of this.seen.values()) {
      const colon = name.lastIndexOf(':');
      const type = name.slice(0, colon);
      this.numbers.set(type, Math.max(this.numbers.get(type) ?? 0, Number(name.slice(colon + 1))));
    }
  }

  /** Replaced occurrences by type, those of `state` included. */
  get counts(): Record<string, number> {
    return Object.fromEntries(this.tally);
  }

  /** Occurrences that this redactor replaced, by type: what one capture tells. */
  get added(): Record<string, number> {
    const added = [...this.tally].map(([type, count]) => [type, count - (this.before[type] ?? 0)] as const);
    return Object.fromEntries(added.filter(([, count]) => count > 0));
  }

  /** To be kept with the session and given to the next capture. */
  state(): RedactionState {
    return { rules: this.rules, seen: Object.fromEntries(this.seen), counts: this.counts };
  }

  /** Redacts one string. `rules` limits the work to what a prefilter found; by default every rule runs. */
  text(text: string, rules: RuleHits = ALL_RULES): string {
    if (!text.includes(PLACEHOLDER_START)) return this.plain(text, rules);
    let out = '';
    let done = 0;
    for (const m of text.matchAll(PLACEHOLDER)) {
      out += this.plain(text.slice(done, m.index), rules) + m[0];
      done = m.index + m[0].length;
    }
    return out + this.plain(text.slice(done), rules);
  }

  /**
   * Redacts every string of a parsed record, in keys too, changing the record in place. Strings under a field whose
   * name announces a secret are replaced when they look like one. Returns the record (a new string for a string).
   * @param foreign all names in it are somebody else's, so nothing is protected
   */
  record<T>(value: T, rules: RuleHits = ALL_RULES, foreign = false): T {
    const carry = rules === ALL_RULES || rules.includes(PRIVATE_KEYS) ? new KeyCarry() : null;
    return this.walk(value, '', { rules, carry, foreign }) as T;
  }

  private walk(value: unknown, key: string, place: Place): unknown {
    if (typeof value === 'string') return this.leaf(value, key, place);
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i];
        value[i] = typeof item === 'string' ? this.leaf(item, key, place, value[i + 1]) : this.walk(item, key, place);
      }
      return value;
    }
    return typeof value === 'object' && value !== null ? this.fields(value as Record<string, unknown>, place) : value;
  }

  private fields(object: Record<string, unknown>, place: Place): Record<string, unknown> {
    const { rules, foreign } = place;
    let renamed = false;
    for (const key of Object.keys(object)) {
      if (key.length >= 16 && /\d/.test(key) && this.text(key, rules) !== key) renamed = true;
      if (!foreign && this.isProtected(key)) continue;
      const before = object[key];
      const below = foreign || !this.isForeign(key) ? place : { ...place, foreign: true };
      const after = this.walk(before, nameOfField(object, key), below);
      if (after !== before) object[key] = after;
    }
    if (!renamed) return object;
    const copy = Object.entries(object).map(([key, value]) => [this.text(key, rules), value] as const);
    for (const key of Object.keys(object)) delete object[key];
    // defined, since a key may be `__proto__`
    for (const [key, value] of copy)
      Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
    return object;
  }

  private leaf(text: string, key: string, { rules, carry }: Place, next?: unknown): string {
    let done = text;
    if (carry !== null) {
      const ranges = carry.continuation(text, typeof next === 'string' ? next : undefined);
      carry.note(text);
      for (const [start, end] of ranges.toReversed())
        done = done.slice(0, start) + this.placeholder('private-key', text.slice(start, end)) + done.slice(end);
    }
    done = this.text(done, rules);
    if (done !== text || key === '' || !isSecretName(key) || text.includes(PLACEHOLDER_START)) return done;
    const password = isPasswordName(key);
    const secret = isSecretValue({ value: text, quoted: true, environment: false, password, next: '' });
    return secret ? this.placeholder(kindOfName(key), text) : text;
  }

  /** Text without placeholders. What is left beside a secret is looked at once more, as it will stand there now. */
  private plain(text: string, rules: RuleHits): string {
    const spans = findSecrets(text, rules);
    if (spans.length === 0) return text;
    let out = '';
    let done = 0;
    for (const { start, end, type, secret } of spans) {
      out += this.plain(text.slice(done, start), rules) + this.placeholder(type, secret);
      done = end;
    }
    return out + this.plain(text.slice(done), rules);
  }

  private placeholder(type: string, secret: string): string {
    const id = this.hash(secret);
    let name = this.seen.get(id);
    if (name === undefined) {
      const n = (this.numbers.get(type) ?? 0) + 1;
      this.numbers.set(type, n);
      name = `${type}:${n}`;
      this.seen.set(id, name);
    }
    this.replaced++;
    const counted = name.slice(0, name.lastIndexOf(':'));
    this.tally.set(counted, (this.tally.get(counted) ?? 0) + 1);
    return `[REDACTED:${name}]`;
  }
}
