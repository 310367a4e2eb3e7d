import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codexRecords } from '../generate/codex-session.ts';
import { writeHermes, writeOpenCode } from '../generate/databases.ts';
import { geminiRecords } from '../generate/gemini-session.ts';
import { writeLines } from '../generate/lines.ts';
import { piRecords } from '../generate/pi-session.ts';
import { absolute, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';
import { importSource } from './import.ts';

/** Import of each agent's own records, against a floor of the same shape. */

interface Native {
  path: string;
  /** tables to be read where it is a database */
  tables: string[];
}

const FILES = {
  codex: {
    place: '.codex/sessions/2026/07/01/rollout-2026-07-01T08-00-00-01a22791-bb90-77e3-8fe5-30ec722705d2.jsonl',
    records: codexRecords,
  },
  pi: {
    place:
      '.pi/agent/sessions/--home-dev-code-repo--/2026-07-01T08-00-00-000Z_01a22777-60db-766b-b701-93eb17ff86a3.jsonl',
    records: piRecords,
  },
  gemini: { place: '.gemini/tmp/repo/chats/session-2026-07-01T08-00-cd351736.jsonl', records: geminiRecords },
};

/** 100,000 records of an agent below a home folder of its own. */
export async function nativeOf(around: Surroundings, agent: keyof typeof FILES | 'opencode'): Promise<Native> {
  const home = around.fresh(`native-${agent}`);
  const records = around.quick ? 20_000 : 100_000;
  if (agent === 'opencode')
    return { path: (await writeOpenCode(home, records)).path, tables: ['session', 'message', 'part'] };
  const path = join(home, FILES[agent].place);
  mkdirSync(dirname(path), { recursive: true });
  await writeLines(path, FILES[agent].records(42), records);
  return { path, tables: [] };
}

const fewer = (around: Surroundings): Surroundings => ({ ...around, rounds: Math.min(3, around.rounds) });

export function importOf(agent: keyof typeof FILES | 'opencode'): (around: Surroundings) => Promise<Figure[]> {
  return async (around) => {
    const { path, tables } = await nativeOf(around, agent);
    return importSource(fewer(around), `import-${agent}`, path, { ratio: 1.2, peak: 300 }, { tables });
  };
}

/** 1,000 sessions in one database; the bar is the time. */
export async function importHermes(around: Surroundings): Promise<Figure[]> {
  const sessions = around.quick ? 200 : 1000;
  const { path } = await writeHermes(around.fresh('native-hermes'), sessions, sessions * 120);
  const tables = ['sessions', 'messages'];
  const [figure, ...others] = await importSource(
    fewer(around),
    'import-hermes',
    path,
    { ratio: 1.2, peak: 300 },
    { tables },
  );
  if (figure === undefined) return [];
  const note = `${sessions * 120} messages in ${sessions} sessions; ${statSync(path).size} bytes`;
  return [figure, absolute('import-hermes-time', figure.value, 's', sessions / 500, note), ...others];
}
