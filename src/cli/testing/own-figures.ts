import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { NO_USAGE, type SessionRow, type UsageTotals } from '../../shared/session.ts';

/**
 * What the agents' own files say that each session used, read here without any code of the adapters. By `figuresKey`, which
 * also names the rows that they are compared with.
 */
export function ownFigures(home: string): Map<string, UsageTotals> {
  return new Map([
    ...claude(join(home, '.claude', 'projects')),
    ...codex(join(home, '.codex')),
    ...pi(join(home, '.pi', 'agent', 'sessions')),
    ...hermes(join(home, '.hermes')),
    ...opencode(join(home, '.local', 'share', 'opencode')),
    ...gemini(join(home, '.gemini', 'tmp')),
    ...aider(join(home, 'proj', '.aider.chat.history.md')),
    ...cursor(join(home, '.config', 'Cursor', 'User', 'globalStorage', 'state.vscdb')),
  ]);
}

/** Threads of Codex and Gemini have several files; sub-agents of old Claude files stand in the file of their session. */
export function figuresKey({ agent, native_id, source }: Pick<SessionRow, 'agent' | 'native_id' | 'source'>): string {
  if (agent === 'codex') return `codex ${native_id}`;
  return agent === 'gemini' ? `gemini ${dirname(source ?? '')} ${native_id}` : `${agent} ${source}`;
}

export function sum(all: Iterable<UsageTotals>): UsageTotals {
  const total = { ...NO_USAGE };
  for (const one of all) for (const key of KEYS) total[key] += one[key];
  return total;
}

const KEYS = Object.keys(NO_USAGE) as (keyof UsageTotals)[];

// biome-ignore lint/suspicious/noExplicitAny: native JSON of any shape
type Json = any;

function files(folder: string, wanted: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function lines(path: string): Json[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

function usage(input: number, output: number, read: number, write: number, reasoning: number): UsageTotals {
  return { input, output, cache_read: read, cache_write: write, reasoning };
}

// ---- Claude Code: once per message id, per field the maximum; what a copy repeats belongs to the original

/** Forks of the fixtures, by the beginnings of their ids, and what they were forked off. */
const CLAUDE_FORKS: Record<string, string> = {
  '8cd21a26': 'fc82b9b3',
  '6e665f39': '0872968b',
  a6bf4b11: '17cfcdce',
  '9bc21caa': '418733d9',
};

function claude(folder: string): [string, UsageTotals][] {
  const answers = new Map(files(folder, /\.jsonl$/).map((path) => [path, claudeAnswers(path)]));
  const isAgent = (path: string): boolean => basename(path).startsWith('agent-');
  // 2.0 warmed its cache with agents that no session knows of
  const said = [...answers].filter(([path]) => lines(path)[0]?.message?.content !== 'Warmup');
  return said.map(([path, own]) => {
    const parent = CLAUDE_FORKS[basename(path).slice(0, 8)];
    const others = [...answers].filter(([other]) =>
      isAgent(path) ? !isAgent(other) : parent !== undefined && basename(other).startsWith(parent),
    );
    const rest = [...own].filter(([id]) => !others.some(([, theirs]) => theirs.has(id)));
    return [`claude ${path}`, sum(rest.map(([, each]) => each))];
  });
}

function claudeAnswers(path: string): Map<string, UsageTotals> {
  const answers = new Map<string, UsageTotals>();
  for (const { type, message, isApiErrorMessage } of lines(path)) {
    if (type !== 'assistant' || message?.model === '<synthetic>' || isApiErrorMessage || !message?.usage) continue;
    const { usage: told } = message;
    const now = usage(
      told.input_tokens ?? 0,
      told.output_tokens ?? 0,
      told.cache_read_input_tokens ?? 0,
      told.cache_creation_input_tokens ?? 0,
      told.output_tokens_details?.thinking_tokens ?? 0,
    );
    const before = answers.get(message.id) ?? NO_USAGE;
    answers.set(
      message.id,
      usage(...(KEYS.map((key) => Math.max(now[key], before[key])) as [number, number, number, number, number])),
    );
  }
  return answers;
}

// ---- Codex: records of responses (since 0.160); before, the running total of the thread without what a fork copied of it

function codex(home: string): [string, UsageTotals][] {
  const threads = new Map<string, Json[][]>();
  for (const path of files(home, /^rollout-.*\.jsonl(\.zst)?$/)) {
    const found = lines(path);
    const id = found[0].payload?.id ?? found[0].id;
    threads.set(id, [...(threads.get(id) ?? []), found]);
  }
  return [...threads].map(([id, all]) => [
    `codex ${id}`,
    sum(all.flatMap((found) => codexRecords(found) ?? codexTotal(found, threads))),
  ]);
}

function codexUsage(told: Json): UsageTotals {
  const [read, write] = [told.cached_input_tokens ?? 0, told.cache_write_input_tokens ?? 0];
  return usage(told.input_tokens - read - write, told.output_tokens, read, write, told.reasoning_output_tokens ?? 0);
}

function codexRecords(found: Json[]): UsageTotals[] | null {
  const from = found[0].payload?.subagent_history_start_ordinal ?? 0;
  const records = found.filter(({ type, ordinal = 0 }) => type === 'token_usage_record' && ordinal >= from);
  return records.length === 0 ? null : records.map(({ payload }) => codexUsage(payload.usage));
}

function codexTotal(found: Json[], threads: ReadonlyMap<string, Json[][]>): UsageTotals[] {
  const totals = (all: Json[]): Json[] =>
    all.flatMap(({ payload }) => (payload?.type === 'token_count' ? (payload.info?.total_token_usage ?? []) : []));
  const own = totals(found);
  if (own.length === 0) return [];
  const parent = (threads.get(found[0].payload?.forked_from_id) ?? []).flatMap(totals);
  const copied = own.findLast((one) => parent.some((other) => JSON.stringify(other) === JSON.stringify(one)));
  // old versions began to count anew when they resumed
  const ends = own.filter((one, i) => i === own.length - 1 || own[i + 1].total_tokens < one.total_tokens);
  const all = sum(ends.map(codexUsage));
  const before = copied === undefined ? NO_USAGE : codexUsage(copied);
  return [usage(...(KEYS.map((key) => all[key] - before[key]) as [number, number, number, number, number]))];
}

// ---- Pi: of each message and record, whole; a fork has copies under the same ids

function pi(home: string): [string, UsageTotals][] {
  const sessions = new Map(files(home, /\.jsonl$/).map((path) => [path, lines(path)]));
  return [...sessions].map(([path, found]) => {
    const parent = [...sessions].find(([other]) => basename(other) === basename(String(found[0]?.parentSession)));
    const known = new Set(parent?.[1].map(({ id }) => id));
    const own = found.filter(({ id }) => id === undefined || !known.has(id));
    return [`pi ${path}`, sum(own.flatMap(({ message, usage: told }) => [message?.usage, told]).map(piUsage))];
  });
}

function piUsage(told: Json): UsageTotals {
  if (told === undefined) return NO_USAGE;
  return usage(told.input, told.output, told.cacheRead, told.cacheWrite, told.reasoning ?? 0);
}

// ---- Hermes: columns of the session

function hermes(home: string): [string, UsageTotals][] {
  return files(home, /^state\.db$/).flatMap((path) =>
    rows(path, 'SELECT * FROM sessions').map((row): [string, UsageTotals] => [
      `hermes ${path}#${row.id}`,
      usage(
        row.input_tokens ?? 0,
        row.output_tokens ?? 0,
        row.cache_read_tokens ?? 0,
        row.cache_write_tokens ?? 0,
        row.reasoning_tokens ?? 0,
      ),
    ]),
  );
}

function rows(path: string, sql: string): Json[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

// ---- OpenCode: of each answer; a fork copies answers, which are then older than the fork

function opencode(home: string): [string, UsageTotals][] {
  const bases = files(home, /^opencode.*\.db$/).flatMap((path) => {
    const messages = rows(path, 'SELECT session_id, data FROM message');
    return rows(path, 'SELECT id, time_created FROM session').map(({ id, time_created }): [string, UsageTotals] => {
      const own = messages.filter(({ session_id }) => session_id === id).map(({ data }) => JSON.parse(data));
      const fresh = own.filter(({ time }) => time.created >= time_created);
      return [`opencode ${path}#${id}`, sum(fresh.map(opencodeUsage))];
    });
  });
  const messages = files(home, /^msg_.*\.json$/);
  const trees = files(home, /^ses_.*\.json$/)
    .filter((path) => !/\/(session_diff|todo)\//.test(path))
    .map((path): [string, UsageTotals] => {
      const own = messages.filter((message) => basename(dirname(message)) === basename(path, '.json'));
      return [`opencode ${path}`, sum(own.map((message) => opencodeUsage(JSON.parse(readFileSync(message, 'utf8')))))];
    });
  return [...bases, ...trees];
}

function opencodeUsage({ role, tokens }: Json): UsageTotals {
  if (role !== 'assistant' || tokens === undefined) return NO_USAGE;
  return usage(tokens.input, tokens.output, tokens.cache.read, tokens.cache.write, tokens.reasoning);
}

// ---- Gemini CLI: of each message, which is written again when anything of it changes

function gemini(home: string): [string, UsageTotals][] {
  const sessions = new Map<string, Map<string, UsageTotals>>();
  for (const path of files(home, /^(session-|[0-9a-f-]{36}).*\.jsonl?$/)) {
    const found: Json[] = path.endsWith('.json') ? [JSON.parse(readFileSync(path, 'utf8'))] : lines(path);
    const key = `gemini ${dirname(path)} ${found.find(({ sessionId }) => sessionId !== undefined)?.sessionId}`;
    const answers = sessions.get(key) ?? new Map<string, UsageTotals>();
    sessions.set(key, answers);
    for (const message of found.flatMap((one) => [one, ...(one.messages ?? one.$set?.messages ?? [])])) {
      const { id, tokens } = message;
      if (tokens == null) continue;
      answers.set(id, usage(tokens.input - tokens.cached, tokens.output, tokens.cached, 0, tokens.thoughts));
    }
  }
  return [...sessions].map(([key, answers]) => [key, sum(answers.values())]);
}

// ---- Aider: a line behind each answer, rounded

function aider(path: string): [string, UsageTotals][] {
  const told = readFileSync(path, 'utf8').matchAll(/^> Tokens: (\S+) sent, (\S+) received/gm);
  const tokens = (text: string): number => Number.parseFloat(text) * (text.endsWith('k') ? 1000 : 1);
  return [[`aider ${path}`, sum([...told].map(([, sent, got]) => usage(tokens(sent!), tokens(got!), 0, 0, 0)))]];
}

// ---- Cursor: of each bubble of a chat

function cursor(path: string): [string, UsageTotals][] {
  const bubbles = Map.groupBy(
    rows(path, "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'"),
    ({ key }) => key.split(':')[1],
  );
  return [...bubbles].map(([id, all]) => [
    `cursor ${path}#${id}`,
    sum(
      all.map(({ value }) => {
        const { inputTokens = 0, outputTokens = 0 } = JSON.parse(value).tokenCount ?? {};
        return usage(inputTokens, outputTokens, 0, 0, 0);
      }),
    ),
  ]);
}
