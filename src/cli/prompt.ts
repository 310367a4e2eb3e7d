import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppFailure } from '../shared/errors.ts';
import type { CliIo } from './io.ts';

/** Questions to a person. They go to stderr, so that stdout holds results alone. */

/** What a question needs: the streams, and what ends it. */
export interface Asker {
  io: CliIo;
  signal: AbortSignal;
}

export function isInteractive(io: CliIo): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** One line of an answer. Ctrl-C and the end of the input are no answer: they throw `cancelled`. */
export async function ask(asker: Asker, question: string): Promise<string> {
  const answer = await readAnswer(asker, question, asker.io.stderr);
  if (answer === null) throw stoppedAsking();
  return answer;
}

/** As `ask`, without showing what is typed. */
export async function askHidden(asker: Asker, question: string): Promise<string> {
  const { stderr } = asker.io;
  stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await readAnswer(asker, '', nowhere);
  stderr.write('\n');
  if (answer === null) throw stoppedAsking();
  return answer;
}

/** One line of stdin, asked of nobody; empty when there is none. */
export const readLine = async (asker: Asker): Promise<string> => (await readAnswer(asker, '', asker.io.stderr)) ?? '';

const stoppedAsking = (): AppFailure =>
  new AppFailure({ code: 'cancelled', message: 'Stopped at a question. Nothing was done.' });

/** null: interrupted, or the input ended. */
function readAnswer({ io, signal }: Asker, question: string, output: NodeJS.WritableStream): Promise<string | null> {
  const lines = createInterface({ input: io.stdin, output, terminal: io.stdin.isTTY === true });
  return new Promise((resolve) => {
    const close = (): void => lines.close();
    signal.addEventListener('abort', close, { once: true });
    lines.on('close', () => {
      signal.removeEventListener('abort', close);
      // what was typed stays on its line
      if (output === io.stderr && question !== '' && !answered) io.stderr.write('\n');
      resolve(null);
    });
    let answered = false;
    lines.question(question, (answer) => {
      answered = true;
      resolve(answer);
      lines.close();
    });
    if (signal.aborted) close();
  });
}
