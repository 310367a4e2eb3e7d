import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliIo } from './io.ts';

/** Questions to a person. They go to stderr, so that stdout holds results alone. */

export function isInteractive(io: CliIo): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** One line of an answer; empty when the input ends. */
export function ask(io: CliIo, question: string): Promise<string> {
  return readAnswer(io, question, io.stderr);
}

/** As `ask`, without showing what is typed. */
export async function askHidden(io: CliIo, question: string): Promise<string> {
  io.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await readAnswer(io, '', nowhere);
  io.stderr.write('\n');
  return answer;
}

function readAnswer(io: CliIo, question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: io.stdin, output, terminal: io.stdin.isTTY === true });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
