import type Database from 'better-sqlite3';
import type { Redactor } from '../../../src/core/redact/redactor.ts';
import type { SessionStart } from '../../../src/shared/events.ts';
import type { NativeParent } from '../../contract.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { type Json, objectOf, word } from '../json.ts';
import type { SessionLog } from './log.ts';
import { lastingColumns, schemaVersion } from './tables.ts';
import type { Accounts } from './write-rows.ts';

/** What was told of a session's own row. JSON, small. */
export interface Told {
  /** the row's lasting columns, long ones by their size */
  columns: Json;
  usage: string;
  title: string | null;
  ended: unknown;
  /** warnings about the session as a whole, so that each is said once */
  warned: string[];
}

interface Around {
  db: Database;
  log: SessionLog;
  redactor: Redactor;
  store: StoreArtifact;
}

const LONG = 200;
const TOKENS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;

/** The session's own row: where and how it began, its title, its end, its usage. Told again only where it has changed. */
export class Header {
  readonly told: Told;
  readonly #a: Around;
  readonly #isFirst: boolean;

  constructor(around: Around, told: Told | null) {
    this.#a = around;
    this.#isFirst = told === null;
    this.told = told ?? { columns: {}, usage: '', title: null, ended: null, warned: [] };
  }

  /** @param forkOf canonical id of the session that this one was branched off */
  begin(session: Json, parent: NativeParent | null, forkOf: string | null, accounts: Accounts): void {
    const columns = this.#lasting(session);
    const { system_prompt: _, ...shown } = columns;
    const small = Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, sized(value)]));
    const changed = Object.keys({ ...small, ...this.told.columns }).filter(
      (name) => small[name] !== this.told.columns[name],
    );
    if (!this.#isFirst && changed.length === 0) return;
    accounts.records++;
    accounts.mapped++;
    const own = structuredClone(shown);
    this.#a.redactor.record(own);
    if (this.#isFirst) this.#start(session, own, parent, forkOf);
    else {
      const value = Object.fromEntries(changed.map((name) => [name, own[name] ?? null]));
      this.#a.log.meta('record', { table: 'sessions', row: value });
    }
    this.told.columns = small;
    this.#facts(session, own);
  }

  /** The columns that are set, but those that change without the session changing. */
  #lasting(session: Json): Json {
    const names = lastingColumns(new Set(Object.keys(session)));
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = session[name];
        if (value === null || value === undefined) return [];
        return [[name, value instanceof Uint8Array ? { $blob: Buffer.from(value).toString('hex') } : value]];
      }),
    );
  }

  #start(session: Json, own: Json, parent: NativeParent | null, forkOf: string | null): void {
    const { db, log } = this.#a;
    const schema = schemaVersion(db);
    const reset = word(objectOf(session.model_config)._reset_from);
    const start: SessionStart = {
      cwd: word(own.cwd),
      ...(word(own.git_branch) === null ? {} : { git_branch: String(own.git_branch) }),
      ...(word(own.model) === null ? {} : { model: String(own.model) }),
      config: {
        source: own.source ?? null,
        ...(schema === null ? {} : { schema }),
        ...(reset === null ? {} : { reset_from: reset }),
      },
      ...(parent === null ? {} : { native_parent: parent.native_id }),
      native: { row: own },
    };
    log.own(session.started_at);
    log.put('session.start', 'system', start);
    if (forkOf !== null) log.put('session.fork', 'system', { from_session: forkOf, from_seq: null, reason: 'fork' });
    const prompt = this.#systemPrompt(session);
    if (prompt === null) return;
    const { text, truncated } = cutText(this.#a.redactor.text(prompt.toWellFormed()), this.#a.store);
    const more = truncated === undefined ? {} : { truncated };
    const content = [{ kind: 'text', text }];
    log.own(session.started_at);
    log.put('message.system', 'system', { content, role: 'system', about: 'instructions', ...more });
  }

  /** Since schema 25 the text lies in a table of its own. */
  #systemPrompt(session: Json): string | null {
    const inline = word(session.system_prompt);
    if (inline !== null) return inline;
    const hash = word(session.system_prompt_hash);
    if (hash === null) return null;
    try {
      return word(this.#a.db.prepare('SELECT prompt FROM system_prompts WHERE hash = ?').pluck().get(hash));
    } catch {
      return null;
    }
  }

  #facts(session: Json, own: Json): void {
    this.#a.log.sink.facts({
      cwd: word(own.cwd),
      cwd_last: word(own.cwd),
      ...(word(own.git_branch) === null ? {} : { git_branch: String(own.git_branch) }),
      ...(word(own.model) === null ? {} : { model: String(own.model) }),
      archived: session.archived === 1 || session.hidden === 1,
    });
  }

  /** Title, usage and end come last, when the events that they sum up are there. */
  end(session: Json): void {
    this.#title(session);
    this.#usage(session);
    const { log } = this.#a;
    const ended = session.ended_at ?? null;
    if (ended === this.told.ended) return;
    this.told.ended = ended;
    if (ended === null) return;
    log.own(ended);
    log.put('session.end', 'system', { end_reason: word(session.end_reason) ?? 'unknown' });
  }

  /** Without `title_source` (before schema 26) a title may be the user's or the model's. */
  #title(session: Json): void {
    const title = word(session.title);
    if (title === this.told.title) return;
    this.told.title = title;
    if (title === null) return;
    const { log, redactor } = this.#a;
    const byUser = 'title_source' in session && (session.title_source ?? 'user') === 'user';
    const shown = redactor.text(title);
    log.own();
    log.meta('title', shown, byUser ? 'user' : 'system');
    log.sink.facts({ title: shown, title_from: byUser ? 'user' : 'agent' });
  }

  /** Hermes counts by session. `input_tokens` is without what came from the cache, as ours. */
  #usage(session: Json): void {
    const [input, output, read, write, reasoning] = TOKENS.map((name) => count(session[name]));
    if (input! + output! + read! + write! === 0) return;
    const cost = count(session.actual_cost_usd) || count(session.estimated_cost_usd);
    const value = {
      response: 'session',
      sum: true,
      input,
      output,
      cache_read: read,
      cache_write: write,
      reasoning,
      ...(cost > 0 ? { cost } : {}),
    };
    const told = JSON.stringify(value);
    if (told === this.told.usage) return;
    this.told.usage = told;
    this.#a.log.own();
    this.#a.log.meta('usage', value);
  }

  /** Notes a warning about the session as a whole; false = it was said before. */
  isNew(warning: string): boolean {
    if (this.told.warned.includes(warning)) return false;
    this.told.warned.push(warning);
    return true;
  }
}

function sized(value: unknown): unknown {
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && value.length > LONG ? `${value.length}:${value.slice(0, 40)}` : value;
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
