import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from './output.ts';

describe('output to a reader that is slow', () => {
  it('keeps all lines in order and waits with one listener', async () => {
    const taken: string[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        taken.push(String(chunk));
        setImmediate(done);
      },
    });
    const stderr = new PassThrough();
    const io = { stdin: new PassThrough(), stdout: slow, stderr, env: {}, cwd: '/' };
    const output = new Output(io, { json: false });
    for (let i = 0; i < 50; i++) output.line(`line ${i}`);
    expect(slow.listenerCount('drain')).toBe(1);
    await output.write('end\n');
    await output.write('after\n');
    expect(taken.slice(0, 51)).toEqual([...Array.from({ length: 50 }, (_, i) => `line ${i}\n`), 'end\n']);
  });
});

describe('commands that are printed', () => {
  const said = (typed?: string): string => {
    const stderr = new PassThrough();
    const env = typed === undefined ? {} : { SESSIONCTL_TYPED: typed };
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env, cwd: '/' };
    const output = new Output(io, { json: false });
    output.note(output.typed('sessionctl list'));
    output.fail({ code: 'internal', message: 'A sessionctl of yours is broken: run `sessionctl verify`.' });
    return String(stderr.read());
  };

  it('can be typed as they are, on the PATH or in a checkout', () => {
    expect(said()).toBe('sessionctl list\nsessionctl: A sessionctl of yours is broken: run `sessionctl verify`.\n');
    expect(said('bin/sessionctl')).toBe(
      'bin/sessionctl list\nsessionctl: A sessionctl of yours is broken: run `bin/sessionctl verify`.\n',
    );
    expect(said('/a b/bin/sessionctl')).toContain("'/a b/bin/sessionctl' list");
  });
});
