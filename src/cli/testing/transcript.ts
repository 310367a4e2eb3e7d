import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliLab, cliLab } from '../testing.ts';

/**
 * A transcript is what a person sees who types some lines: `$ sessionctl …`, stdout as it is, stderr with `! ` in front, and
 * `[exit n]` where that is not 0. `> /dev/null` hides what it says, `| head -n 3` shows the beginning. Lines for a shell
 * (`$ rm …`) run in sh; `$ cd …` changes the folder, which need not exist; lines with # are remarks. Replaying gives the same
 * text, since what differs from run to run is masked.
 */
export async function replay(transcript: string): Promise<string> {
  const lab = await cliLab(['tools', 'simple-qa']);
  try {
    installAgents(lab);
    const out: string[] = [];
    for (const line of transcript.split('\n')) {
      if (line.startsWith('# ') || line === '') out.push(...(line !== '' ? [line] : []));
      if (!line.startsWith('$ ')) continue;
      if (out.length > 0 && !out.at(-1)!.startsWith('# ')) out.push('');
      out.push(line, ...(await run(lab, line.slice(2))));
    }
    return `${new Mask(lab.home).text(out.join('\n'))}\n`;
  } finally {
    await lab.close();
  }
}

/** Programs that only know their version: nothing of a transcript runs an agent. */
function installAgents(lab: CliLab): void {
  const bin = join(lab.home, 'bin');
  mkdirSync(bin);
  for (const [name, version] of [
    ['codex', 'codex-cli 0.171.0'],
    ['pi', '1.6.0'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  lab.env.PATH = `${bin}:/usr/bin:/bin`;
}

async function run(lab: CliLab, line: string): Promise<string[]> {
  if (line.startsWith('cd ')) {
    lab.cwd = line.slice(3);
    return [];
  }
  if (!line.startsWith('sessionctl')) {
    execFileSync('/bin/sh', ['-c', line], { cwd: lab.home, env: { PATH: '/usr/bin:/bin', HOME: lab.home } });
    return [];
  }
  const [, typed = '', head, quiet] = /^(.*?)(?: \| head -n (\d+))?( > \/dev\/null)?$/.exec(line)!;
  const argv = [...typed.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? word[3]!);
  const ran = await lab.raw(...argv.slice(1));
  const lines = (text: string, mark: string): string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((one) => (one === '' ? mark.trim() : mark + one));
  const end = ran.code === 0 ? [] : [`[exit ${ran.code}]`];
  if (quiet && ran.code === 0) return [];
  const shown = head === undefined ? undefined : Number(head);
  return [...lines(ran.stdout, '  ').slice(0, shown), ...lines(ran.stderr, '! '), ...end];
}

/** Ids, keys, times of now, sizes of the store: the same kind of thing in the same width, told apart by letters. */
class Mask {
  readonly #home: string;
  readonly #seen = new Map<string, string>();

  constructor(home: string) {
    this.#home = home;
  }

  text(text: string): string {
    const today = new Date().toISOString().slice(0, 10);
    const now = new RegExp(`${today}([T ])\\d\\d([:-])\\d\\d(?:[:-]\\d\\d)?(?:[.-]\\d{3})?(Z?)`, 'g');
    return (
      text
        .replaceAll(this.#home, '~')
        .replace(now, `2030-01-01$100$200$3`)
        .replaceAll(today, '2030-01-01')
        .replaceAll(today.replaceAll('-', '/'), '2030/01/01')
        .replace(/(?:[0-9A-Z]{7}-){7}[0-9A-Z]{7}/g, 'A RECOVERY KEY')
        .replace(/\b(sess|rcpt)_([0-9a-f]{8})[0-9a-f]*/g, (whole, kind: string, start: string) => {
          const letter = this.#letter(kind, start);
          return `${kind}_${letter.repeat(whole.length - kind.length - 1)}`;
        })
        .replace(/(?<![0-9a-f])01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (whole) =>
          whole.replace(/[0-9a-f]/g, this.#letter('uuid', whole)),
        )
        .replace(/\bcli-[0-9a-f-]{36}\b/g, 'cli-OPERATION')
        .replace(/\bresume-[0-9a-f]{32}\b/g, 'resume-OPERATION')
        .replace(/\bhome-[0-9a-f]{16}\.key\b/g, 'home-A.key')
        .replace(/\bsha256:[0-9a-f]{64}\b/g, 'sha256:A')
        .replace(/"store_bytes":\d+/g, '"store_bytes":1')
        .replace(/[\d.]+ [KM]B in ~/g, '1 MB in ~')
        .replace(/size [\d.]+ MB/g, 'size 1 MB')
        // what the compiler chooses has tests of its own
        .replace(/\d+ items, [\d.]+k of/g, 'N items, N of')
        .replace(/\d+ items? left out/g, 'N items left out')
        .replace(/takes \d+ tokens of 10; .*?\. Raise/g, 'takes N tokens of 10; … Raise')
        .replace(/context: \d+ tokens/g, 'context: N tokens')
        .replace(/sha256 [0-9a-f]{64}/g, 'sha256 A')
        .replace(/signed by \S+/g, 'signed by KEY')
        .replace(/public key [\w+/=]+/g, 'public key KEY')
        .replace(/sessionctl \d\S+, Node v\S+, \w+ \w+/g, 'sessionctl VERSION, Node VERSION, PLATFORM')
    );
  }

  #letter(kind: string, what: string): string {
    const key = `${kind}:${what}`;
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    const letter = 'abcdefghijklmnopqrstuvwxyz'[
      [...this.#seen.keys()].filter((one) => one.startsWith(`${kind}:`)).length
    ]!;
    this.#seen.set(key, letter);
    return letter;
  }
}
