import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionMade, writeClaudeSession } from './generate/claude-session.ts';
import { hardTexts } from './generate/hard-texts.ts';

/** Where a bench runs: built programs, a temp folder, and data that several figures share, made when first asked for. */
export interface Surroundings {
  programs: string;
  folder: string;
  quick: boolean;
  rounds: number;
  /** 100,000 lines of about 1.1 KB */
  large(): Promise<{ path: string } & SessionMade>;
  /** the same number of lines with 60,000 words, long outputs and 10,000 secrets */
  secrets(): Promise<{ path: string } & SessionMade>;
  /** 100,000 lines of about 0.6 KB */
  light(): Promise<{ path: string } & SessionMade>;
  /** an empty folder of that name */
  fresh(name: string): string;
  remove(): void;
}

export function surroundingsOf(programs: string, quick: boolean): Surroundings {
  const folder = mkdtempSync(join(tmpdir(), 'sessionctl-bench-'));
  const lines = quick ? 20_000 : 100_000;
  const once = (name: string, shape: object) => {
    let made: Promise<{ path: string } & SessionMade> | null = null;
    const path = join(folder, `${name}.jsonl`);
    return () => {
      made ??= writeClaudeSession(path, { lines, seed: 42, ...shape }).then((session) => ({ path, ...session }));
      return made;
    };
  };
  return {
    programs,
    folder,
    quick,
    rounds: quick ? 3 : 7,
    large: once('large', {}),
    secrets: once('secrets', { alter: hardTexts(0.12) }),
    light: once('light', { text: 0.1 }),
    fresh: (name) => {
      const path = join(folder, name);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
