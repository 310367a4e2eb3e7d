import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './claude-session.ts';

const LF = 10;

/** Cuts one large session into many small ones of twenty lines each, as Claude Code lays them out. Returns their bytes. */
export function writeSmallSessions(large: string, home: string, sessions: number): number {
  const bytes = readFileSync(large);
  const starts = [0];
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) starts.push(at + 1);
  const blocks = Math.floor((starts.length - 1) / 20);
  let total = 0;
  for (let i = 0; i < sessions; i++) {
    const folder = join(home, '.claude', 'projects', `-home-dev-p${i % 400}`);
    if (i < 400) mkdirSync(folder, { recursive: true });
    const first = (i % blocks) * 20;
    const part = bytes.subarray(starts[first], starts[first + 20]);
    const id = `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`;
    writeFileSync(join(folder, `${id}.jsonl`), part);
    total += part.length;
  }
  return total;
}

/** Repeats a session with other ids until it has so many bytes. */
export function writeLargeSession(source: string, path: string, atLeast: number): number {
  const bytes = readFileSync(source);
  const file = openSync(path, 'w');
  let written = 0;
  for (let round = 0; written < atLeast; round++) {
    const copy = Buffer.from(bytes);
    const digits = round.toString(16).padStart(2, '0');
    for (const key of ['"uuid":"', '"parentUuid":"', '"id":"toolu_01', '"tool_use_id":"toolu_01'])
      for (let at = copy.indexOf(key); at >= 0; at = copy.indexOf(key, at + key.length))
        copy.write(digits, at + key.length, 'latin1');
    written += writeSync(file, copy);
  }
  closeSync(file);
  return written;
}

/** A session of usual lines with one in the middle whose output has so many characters. Returns the file's bytes. */
export function writeLongLine(source: string, path: string, characters: number): number {
  const lines = readFileSync(source, 'utf8').slice(0, 2_000_000).split('\n').slice(0, -1);
  const at = lines.findIndex((line, i) => i > lines.length / 2 && line.includes('"tool_result"'));
  const record = JSON.parse(lines[at] as string) as Json & { message: { content: { content: string }[] } };
  const block = record.message.content[0] as { content: string };
  const unit = `${block.content}\tcolumn\n "quoted" naïve 日本 `;
  block.content = unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);
  record.toolUseResult = { stdout: block.content, stderr: '', interrupted: false };
  lines[at] = JSON.stringify(record);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return statSync(path).size;
}
