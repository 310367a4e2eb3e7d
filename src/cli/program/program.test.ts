import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../shared/agents.ts';
import type { CliIo } from '../io.ts';
import { runCli } from '../run.ts';
import type { CommandSpec } from './add.ts';
import { buildProgram } from './program.ts';

const ioOf = (columns?: number): CliIo & { text: () => string } => {
  const stdout = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
  let text = '';
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: {}, cwd: '/', text: () => text };
};

/** All commands as they are declared, and what a line to type would run. */
function declared(): { specs: CommandSpec[]; parse: (argv: string[]) => Promise<{ usage: string; options: object }> } {
  const specs: CommandSpec[] = [];
  let called: { usage: string; options: object } | undefined;
  const program = buildProgram(ioOf(), (spec) => {
    specs.push(spec);
    return async (...args) => {
      called = { usage: spec.usage, options: (args.at(-1) as Command).opts() };
    };
  });
  return {
    specs,
    parse: async (argv) => {
      called = undefined;
      await program.parseAsync(argv, { from: 'user' });
      return called ?? { usage: '', options: {} };
    },
  };
}

/** A line as a shell takes it apart, without a redirection or a pipe at its end. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ (?:>>?|\|) .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (word) => word[1] ?? word[2] ?? word[3]!,
  );

async function helpOf(command: string[], columns?: number): Promise<string> {
  const io = ioOf(columns);
  expect(await runCli([...command, '--help'], io)).toBe(0);
  return io.text();
}

describe('examples', () => {
  it('stand in the help of every command, begin with the program, and are taken by it', async () => {
    const { specs } = declared();
    for (const { usage, examples } of specs) {
      const own: string[] = [];
      for (const [line, does] of examples) {
        const [program, ...argv] = wordsOf(line);
        expect(program).toBe('sessionctl');
        expect(does.trim(), line).not.toBe('');
        // a program each: commander keeps the options of the line before
        const ran = await declared().parse(argv);
        if (ran.usage === usage) own.push(line);
        expect(ran.usage, line).not.toBe('');
        for (const [name, value] of Object.entries(ran.options))
          if (['agent', 'to', 'for'].includes(name)) expect(AGENTS, line).toContain(value);
      }
      // others stand there to say where a value comes from
      expect(own.length, usage).toBeGreaterThan(0);
    }
  });

  it('stand beside what they do, or above it where the terminal is narrow', async () => {
    expect(await helpOf(['list'], 100)).toMatch(/^ {2}sessionctl list {3,}the newest of all agents$/m);
    expect(await helpOf(['list'], 40)).toMatch(/^ {2}sessionctl list\n {6}the newest of all agents$/m);
  });
});

describe('help', () => {
  it('groups the commands, and each names its own options before those that all have', async () => {
    const help = await helpOf([]);
    for (const heading of ['Set up:', 'Look:', 'Go on elsewhere:', 'Check:', 'Serve:', 'In your shell:', 'Examples:'])
      expect(help).toContain(`\n${heading}\n`);
    expect(help).not.toContain('\nCommands:');
    expect(await helpOf(['handoff'])).toMatch(
      /\nOptions:[\s\S]*--to[\s\S]*Common to all commands:[\s\S]*--json[\s\S]*Examples:/,
    );
  });

  it('fits the terminal: no text of ours is wider than it', async () => {
    for (const columns of [50, 60, 80, 200]) {
      const [text = ''] = (await helpOf(['handoff'], columns)).split('Examples:');
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it('is what a pipe gets without arguments, and what `help` shows of a command', async () => {
    const io = ioOf();
    expect(await runCli([], io)).toBe(0);
    expect(io.text()).toBe(await helpOf([]));
    const one = ioOf();
    expect(await runCli(['help', 'list'], one)).toBe(0);
    expect(one.text()).toBe(await helpOf(['list']));
  });
});

describe('a slip', () => {
  it('in a command or an option is answered with what it may have been', async () => {
    const said = async (...argv: string[]): Promise<string> => {
      const io = ioOf();
      let text = '';
      io.stderr.on('data', (chunk: Buffer) => {
        text += String(chunk);
      });
      expect(await runCli(argv, io)).toBe(2);
      return text;
    };
    expect(await said('lits')).toContain('Did you mean list?');
    expect(await said('sources', 'enabel', 'pi')).toContain('sessionctl sources');
    expect(await said('handoff', '--tp', 'codex')).toContain('Did you mean --to?');
    expect(await said('list', '--sort', 'newest')).toContain('Allowed choices are recent, oldest, title, size');
    expect(await said('compile', '4f2a')).toContain("required option '--for <agent>' not specified");
  });
});
