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
