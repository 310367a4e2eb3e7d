import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledContext } from '../../src/shared/compiled.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { ExpectedHandoff, Redacted } from './expect.ts';
import type { Problems } from './problems.ts';
import type { Sandbox } from './sandbox.ts';

const PLACEHOLDER = /\[REDACTED:[a-z0-9_-]+:\d+\]/g;

/** Compiles the session and checks the text that the next agent would get. */
export async function checkHandoff(
  sandbox: Sandbox,
  session: string,
  wanted: ExpectedHandoff,
  maxChars: number | undefined,
  problems: Problems,
): Promise<void> {
  const limit = maxChars ?? wanted.max_chars;
  const args = ['compile', session, '--for', 'codex', ...(limit === undefined ? [] : ['--max-chars', String(limit)])];
  const answer = await sandbox.cli<CompiledContext>(args);
  if (!answer.ok) return problems.add(`compile failed: ${answer.error?.message}`);
  const { text } = answer.value;
  if (wanted.max_chars !== undefined && text.length > wanted.max_chars)
    problems.add(`compiled text has ${text.length} characters, at most ${wanted.max_chars}`);
  problems.contains('compiled text', text, wanted.must_contain ?? []);
  problems.excludes('compiled text', text, wanted.must_not_contain ?? []);
  for (const [part, most] of Object.entries(wanted.max_occurrences ?? {})) {
    const count = text.split(part).length - 1;
    if (count > most) problems.add(`compiled text says ${JSON.stringify(part)} ${count} times, at most ${most}`);
  }
  if (wanted.states_untrusted && !/untrusted|not instructions|do not (follow|obey)/i.test(text))
    problems.add('compiled text does not say that the record is untrusted');
  if (wanted.must_mark_omission && !/left out|omitted|dropped|not included|cut/i.test(text))
    problems.add('compiled text does not mark what was left out');
  if (wanted.valid_utf8 && !text.isWellFormed()) problems.add('compiled text holds half a character');
  if (wanted.no_replacement_chars && text.includes('\uFFFD'))
    problems.add('compiled text holds a replacement character');
  problems.excludes(
    'compiled text outside of its untrusted blocks',
    outsideBlocks(text),
    wanted.inside_untrusted_block_only ?? [],
  );
}

/** The text without what stands between a begin and an end mark of the same name. */
function outsideBlocks(text: string): string {
  return text.replace(/<(record-[0-9a-z]+)[^>]*>[\s\S]*?<\/\1>/g, '');
}

/** No output may hold a secret or a long piece of one: what was printed, written, exported, stored. */
export async function checkRedaction(
  sandbox: Sandbox,
  sources: ReadonlySet<string>,
  wanted: Redacted,
  log: SessionEvent[],
  problems: Problems,
): Promise<void> {
  const outputs = sandbox.files('.').filter((path) => !sources.has(path));
  const texts = [
    ['printed', sandbox.printed] as const,
    ...outputs.map((path) => [path, readFileSync(join(sandbox.folder, path), 'latin1')] as const),
  ];
  for (const [name, text] of texts) {
    const found = wanted.excludes.find((secret) =>
      fragments(secret, wanted.fragment_len).some((part) => text.includes(part)),
    );
    if (found !== undefined) problems.add(`${name} holds a piece of a secret (${found.length} characters)`);
  }
  const canonical = JSON.stringify(log);
  const plain = `${sandbox.printed}\n${canonical}`;
  problems.contains('what was kept', plain.replaceAll('\\"', '"'), wanted.contains);
  const placeholders = new Set(canonical.match(PLACEHOLDER) ?? []);
  if (placeholders.size === 0) problems.add('nothing was redacted');
  for (const secret of wanted.same_placeholder ?? []) {
    const used = placeholdersOf(secret, sandbox, sources, canonical);
    if (used.size !== 1) problems.add(`one secret has ${used.size} placeholders: ${[...used].join(' ')}`);
  }
  if (wanted.nested_json_parses)
    for (const leaf of brokenJson(log)) problems.add(`nested JSON no longer parses: ${leaf.slice(0, 120)}`);
}

/** The placeholders that stand in the log where the secret stood in the source, told by the words right before it. */
function placeholdersOf(secret: string, sandbox: Sandbox, sources: ReadonlySet<string>, log: string): Set<string> {
  const source = [...sources].map((path) => readFileSync(join(sandbox.folder, path), 'utf8')).join('\n');
  const before = source.split(secret).slice(0, -1);
  const words = before.flatMap((text) => /[A-Za-z_]{3,}[=: ]{1,2}$/.exec(text)?.[0] ?? []);
  const used = new Set<string>();
  for (const word of words) {
    for (const text of log.split(word).slice(1)) {
      const placeholder = /^\[REDACTED:[a-z0-9_-]+:\d+\]/.exec(text);
      if (placeholder) used.add(placeholder[0]);
    }
  }
  return used;
}

function fragments(secret: string, length: number): string[] {
  const count = Math.max(1, secret.length - length + 1);
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + length));
}

function brokenJson(value: unknown): string[] {
  if (typeof value === 'string') {
    if (!/^\s*[{[]"/.test(value) || !/[}\]]\s*$/.test(value)) return [];
    try {
      JSON.parse(value);
      return [];
    } catch {
      return [value];
    }
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(brokenJson) : [];
}
