import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { type Installed, type InstallRequest, install } from './install.ts';
import { SETUP_AGENTS } from './setups.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-install-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const PROGRAM = '/opt/sessionctl/bin/sessionctl';

const request = (
  agent: string,
  more: Partial<InstallRequest> & { version?: string; env?: object } = {},
): InstallRequest => ({
  agent,
  start: { program: PROGRAM, args: ['mcp'] },
  around: { home, env: { ...more.env }, version: more.version ?? null },
  undo: false,
  dryRun: false,
  ...more,
});
const run = async (...args: Parameters<typeof request>): Promise<Installed> => unwrap(await install(request(...args)));

/** A file of the home, its folders made. */
async function put(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const FILES: Record<string, [path: string, text: string]> = {
  claude: [
    '.claude.json',
    '{\n  "numStartups": 3,\n  "mcpServers": {\n    "docs": {\n      "url": "https://x.example"\n    }\n  }\n}\n',
  ],
  codex: ['.codex/config.toml', '# mine\nmodel = "gpt-5.5"\n\n[projects."/home/dev/p"]\ntrust_level = "trusted"\n'],
  gemini: ['.gemini/settings.json', '{\n  // theme\n  "ui": { "theme": "Dracula" }\n}'],
  opencode: ['.config/opencode/opencode.jsonc', '{\r\n\t"autoupdate": false, // never\r\n}\r\n'],
  pi: ['.pi/agent/mcp.json', '{"mcpServers": {}}'],
};

describe.each(Object.entries(FILES))('%s', (agent, [path, text]) => {
  it('gets the server, and gives the file back byte for byte', async () => {
    const file = await put(path, text);
    const done = await run(agent);
    expect(done).toMatchObject({ agent, kind: 'mcp', file, action: 'add', written: true });
    const after = await readFile(file, 'utf8');
    expect(after).toContain(PROGRAM);
    for (const line of text.split(/\r?\n/).filter((one) => one !== ''))
      expect(after).toContain(line.replace(/[,}]*$/, ''));
    expect(await run(agent)).toMatchObject({ action: 'none', written: false });
    expect(await readFile(file, 'utf8')).toBe(after);
    expect(await run(agent, { undo: true })).toMatchObject({ action: 'remove', written: true });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await run(agent, { undo: true })).toMatchObject({ action: 'none' });
    expect(await readdir(dirname(file))).toEqual([path.split('/').at(-1)]);
  });

  it('says without writing what it would do', async () => {
    const file = await put(path, text);
    expect(await run(agent, { dryRun: true })).toMatchObject({
      action: 'add',
      written: false,
      text: expect.stringContaining(PROGRAM),
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    await run(agent);
    const after = await readFile(file, 'utf8');
    expect(await run(agent, { undo: true, dryRun: true })).toMatchObject({ action: 'remove', written: false });
    expect(await readFile(file, 'utf8')).toBe(after);
  });

  it('gets a private file where there is none, which goes again', async () => {
    const { file } = await run(agent);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await run(agent, { undo: true });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('keeps a link and a mode', async () => {
    const real = await put(`dotfiles/${agent}`, text);
    await chmod(real, 0o640);
    await mkdir(dirname(join(home, path)), { recursive: true });
    await symlink(real, join(home, path));
    await run(agent);
    expect((await lstat(join(home, path))).isSymbolicLink()).toBe(true);
    expect(await readFile(real, 'utf8')).toContain(PROGRAM);
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    await run(agent, { undo: true });
    expect(await readFile(real, 'utf8')).toBe(text);
  });

  it('is not written into a file that is not understood', async () => {
    const file = await put(path, `${text}\n{ "broken`);
    expect(await install(request(agent))).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await install(request(agent, { undo: true }))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
    expect(await readFile(file, 'utf8')).toBe(`${text}\n{ "broken`);
  });

  it('leaves a file that is no text, and a link to nothing, alone', async () => {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from([0xff, 0xfe, 0x00]));
    expect(await install(request(agent))).toMatchObject({ error: { code: 'invalid_request' } });
    await rm(file);
    await symlink(join(home, 'nowhere'), file);
    expect(await install(request(agent))).toMatchObject({ error: { code: 'source_unreadable' } });
    await rm(file);
    await mkdir(file);
    expect(await install(request(agent))).toMatchObject({ error: { code: 'source_unreadable' } });
  });

  it('is told of the place to which the program has moved', async () => {
    const file = await put(path, text);
    await run(agent);
    const start = { program: '/new/bin/sessionctl', args: ['mcp', '--home', '/data'] };
    expect(await run(agent, { start })).toMatchObject({ action: 'update', written: true });
    const after = await readFile(file, 'utf8');
    expect([after.includes(PROGRAM), after.includes('/new/bin/sessionctl')]).toEqual([false, true]);
    await run(agent, { undo: true });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

describe('what is not ours', () => {
  it.each([
    ['claude', '.claude.json', '{"mcpServers": {"sessionctl": {"command": "/usr/bin/other"}}}'],
    ['codex', '.codex/config.toml', '[mcp_servers.sessionctl]\ncommand = "/usr/bin/other"\n'],
    ['opencode', '.config/opencode/opencode.json', '{"mcp": {"sessionctl": {"command": ["other"]}}}'],
    ['hermes', '.hermes/skills/sessionctl/SKILL.md', '# my own\n'],
  ])('stays under our name in %s', async (agent, path, text) => {
    const file = await put(path, text);
    for (const undo of [false, true])
      expect(await install(request(agent, { undo }))).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('is named when an agent cannot be set up', async () => {
    expect(await install(request('aider'))).toMatchObject({
      error: {
        code: 'target_unsupported',
        message: expect.stringContaining(`${PROGRAM} mcp`),
        details: { known: SETUP_AGENTS },
      },
    });
  });
});

describe('an agent without MCP', () => {
  it.each([
    ['pi', '.pi/agent/skills/sessionctl/SKILL.md', '0.87.1'],
    ['hermes', '.hermes/skills/sessionctl/SKILL.md', undefined],
  ])('%s gets a skill that tells it to use the command line', async (agent, path, version) => {
    const more = version === undefined ? {} : { version };
    const done = await run(agent, more);
    expect(done).toMatchObject({ kind: 'skill', file: join(home, path), action: 'add', written: true });
    const text = await readFile(join(home, path), 'utf8');
    expect(text).toMatch(/^---\nname: sessionctl\ndescription: .+\n---\n/);
    expect(text).toContain(`${PROGRAM} compile <id> --for ${agent}`);
    expect(await run(agent, more)).toMatchObject({ action: 'none' });
    await run(agent, { ...more, undo: true });
    await expect(stat(dirname(join(home, path)))).rejects.toThrow('ENOENT');
  });

  it('is one no more: Pi since 0.99', async () => {
    for (const version of ['0.99.0', '1.6.0'])
      expect(await run('pi', { version, dryRun: true })).toMatchObject({ kind: 'mcp' });
  });
});

describe('the places of agents', () => {
  it.each([
    ['claude', { CLAUDE_CONFIG_DIR: '/cc' }, '/cc/.claude.json'],
    ['codex', { CODEX_HOME: '/cx' }, '/cx/config.toml'],
    ['gemini', { GEMINI_CLI_HOME: '/gm' }, '/gm/.gemini/settings.json'],
    ['opencode', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/opencode/opencode.json'],
    ['pi', { PI_CODING_AGENT_DIR: '/pi' }, '/pi/mcp.json'],
    ['hermes', { HERMES_HOME: '/he' }, '/he/skills/sessionctl/SKILL.md'],
  ])('%s: its own variable decides', async (agent, env, file) => {
    expect(await run(agent, { env, dryRun: true })).toMatchObject({ file });
  });

  it('Claude Code: the older file is used where there is one', async () => {
    const file = await put('.claude/.config.json', '{}');
    expect(await run('claude', { dryRun: true })).toMatchObject({ file });
  });

  it('Codex passes on by name what decides where sessions and keys are, no values', async () => {
    const { file } = await run('codex', { env: { SESSIONCTL_PASSPHRASE: 'not to be written' } });
    const text = await readFile(file, 'utf8');
    expect(text).toContain('"SESSIONCTL_PASSPHRASE"');
    expect(text).not.toContain('not to be written');
  });
});

describe("Claude Code's lock", () => {
  it('is waited for, and gone afterwards', async () => {
    const file = await put('.claude.json', '{}');
    await mkdir(`${file}.lock`);
    const waiting = run('claude');
    await rm(`${file}.lock`, { recursive: true });
    expect(await waiting).toMatchObject({ written: true });
    await expect(stat(`${file}.lock`)).rejects.toThrow('ENOENT');
  });

  it('of a program that was killed is taken over', async () => {
    const file = await put('.claude.json', '{}');
    await mkdir(`${file}.lock`);
    await utimes(`${file}.lock`, new Date(0), new Date(0));
    expect(await run('claude')).toMatchObject({ written: true });
  });

  it('that was left and cannot be removed is named, not waited for', async () => {
    const file = await put('.claude.json', '{}');
    await mkdir(join(`${file}.lock`, 'something'), { recursive: true });
    await utimes(`${file}.lock`, new Date(0), new Date(0));
    await expect(run('claude')).rejects.toThrow('.claude.json.lock was left');
  });
});
