import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from '../testing.ts';
import { SCRIPTS } from './scripts.ts';

/** The shells themselves complete; the program is found on the PATH, as a user has it. */

const MAIN = join(import.meta.dirname, '..', 'main.ts');
let lab: CliLab;
let ids: string[];
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
  ids = (await lab.run('list', '--json')).json.value.rows.map((row: { id: string }) => row.id.slice(5, 13));
  const bin = join(lab.home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(lab.home, 'folder'));
  writeFileSync(join(lab.home, 'a file.tar'), '');
  writeFileSync(join(bin, 'sessionctl'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(bin, 'sessionctl'), 0o755);
  for (const [shell, script] of Object.entries(SCRIPTS)) writeFileSync(join(lab.home, `completion.${shell}`), script);
  env = { ...process.env, HOME: lab.home, PATH: `${bin}:${process.env.PATH}`, SESSIONCTL_HOME: '' };
});
afterAll(() => lab.close());

const isHere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** What bash offers for the last word; `list`: as on the second Tab. */
function bash(words: string[], list = false): string[] {
  const script = `
    source completion.bash
    COMP_WORDS=(sessionctl ${words.map(quoted).join(' ')})
    COMP_CWORD=${words.length} COMP_TYPE=${list ? 63 : 9}
    _sessionctl
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['--norc', '-c', script], { cwd: lab.home, env, encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  it('completes commands, options, choices and agents', () => {
    expect(bash(['han'])).toEqual(['handoff']);
    expect(bash(['sources', ''])).toEqual(['list', 'enable', 'disable']);
    expect(bash(['handoff', '--dry'])).toEqual(['--dry-run']);
    expect(bash(['list', '--sort', 'o'])).toEqual(['oldest']);
    expect(bash(['handoff', 'x', '--to', 'co'])).toEqual(['codex']);
    expect(bash(['handoff', 'x', '--to', '=', 'co'])).toEqual(['codex']);
    expect(bash(['nonsense', ''])).toEqual([]);
  });

  it('completes ids of sessions, with their titles beside them in the list', () => {
    expect(bash(['show', '']).toSorted()).toEqual(ids.toSorted());
    expect(bash(['show', ids[0]!.slice(0, 5)])).toEqual([ids[0]]);
    expect(bash(['show', '', '']).length).toBe(0);
    expect(bash(['show', ''], true).join('\n')).toMatch(/^[0-9a-f]{8} {2}\(claude: The thousands test fails/m);
  });

  it('finds a session by words of its title, and leaves the word while there are several', () => {
    const found = bash(['show', 'thousands']);
    expect(found).toHaveLength(1);
    expect(ids).toContain(found[0]);
    expect(bash(['show', 'the'])).toEqual([]);
    expect(bash(['show', 'the'], true)).toHaveLength(2);
  });

  it('leaves files and folders to the shell, names with spaces too', () => {
    expect(bash(['export', 'x', '--out', 'a'])).toEqual(['a file.tar']);
    expect(bash(['list', '--cwd', 'f'])).toEqual(['folder']);
    expect(bash(['verify', './a'])).toEqual(['./a file.tar']);
  });
});

if (isHere('fish')) {
  describe('fish', () => {
    const fish = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', `source completion.fish; complete -C ${quoted(line)}`], {
        cwd: lab.home,
        env,
        encoding: 'utf8',
      })
        .split('\n')
        .filter((one) => one !== '');

    it('completes commands, options, agents, sessions and files', () => {
      expect(fish('sessionctl han')).toEqual(['handoff\tContinue a session in another agent']);
      expect(fish('sessionctl handoff --dry')[0]).toMatch(/^--dry-run\t/);
      expect(fish('sessionctl handoff --to=co')).toEqual(['--to=codex']);
      expect(fish('sessionctl show ')).toHaveLength(2);
      expect(fish(`sessionctl show ${ids[0]!.slice(0, 5)}`)[0]).toMatch(new RegExp(`^${ids[0]}\tclaude: `));
      expect(fish('sessionctl list --cwd f')[0]).toMatch(/^folder\//);
    });
  });
}

if (isHere('zsh')) {
  describe('zsh', () => {
    /** A terminal in which the line is typed, and Tab; what stands on the line then. */
    const zsh = (line: string): string => {
      writeFileSync(
        join(lab.home, '.zshrc'),
        `PS1= RPS1= ; unset zle_bracketed_paste
         autoload -Uz compinit; compinit -u -d ~/.zcompdump
         source ~/completion.zsh
         shown() { print -r -- "@@$BUFFER@@"; BUFFER=exit; zle accept-line }
         zle -N shown; bindkey '^X' shown
         print @ready@`,
      );
      const script = `
        zmodload zsh/zpty
        zpty term zsh -i
        zpty -r -m term answer '*@ready@*'
        zpty -n -w term ${quoted(line)}$'\\t\\x18'
        zpty -r -m term answer '*@@*@@*'
        print -r -- "$answer"`;
      const text = execFileSync('zsh', ['-f', '-c', script], {
        cwd: lab.home,
        env: { ...env, ZDOTDIR: lab.home },
        encoding: 'utf8',
      });
      return /@@(.*)@@/.exec(text)?.[1] ?? text;
    };

    it('completes commands, options, agents and sessions', () => {
      expect(zsh('sessionctl han')).toMatch(/sessionctl handoff ?$/);
      expect(zsh('sessionctl handoff --to co')).toMatch(/--to codex ?$/);
      expect(zsh('sessionctl show thousands')).toMatch(new RegExp(`show (${ids.join('|')}) ?$`));
      expect(zsh('sessionctl list --cwd fol')).toMatch(/--cwd folder\/?$/);
    });
  });
}

describe('PowerShell', () => {
  it('completes an empty word too, which gets lost on the way there', async () => {
    const { stdout } = await lab.run('__complete', 'powershell', '3', 'list', '--sort');
    expect(stdout).toBe('recent\t\noldest\t\ntitle\t\nsize\t\n');
    expect((await lab.run('__complete', 'powershell', '3', 'list', '--sort', 'o')).stdout).toBe('oldest\t\n');
  });
});

describe('a store that is locked', () => {
  it('offers no session, asks nothing and says nothing', async () => {
    const home = join(lab.home, 'locked');
    lab.env.SESSIONCTL_PASSPHRASE = 'a long passphrase';
    await lab.run('init', '--passphrase', '--home', home);
    delete lab.env.SESSIONCTL_PASSPHRASE;
    expect(await lab.run('__complete', 'zsh', 'show', '--home', home, '')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const nowhere = join(lab.home, 'nowhere');
    expect(await lab.run('__complete', 'zsh', 'show', '--home', nowhere, '')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});
