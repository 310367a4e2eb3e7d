import type { ExportFormat } from '../../shared/outputs.ts';
import { NO_COUNTS, NO_USAGE, type SessionRow } from '../../shared/session.ts';
import { activePath } from '../view/branch.ts';
import { readSpecial, specialSeqs } from '../view/model.ts';
import { WHOLE } from '../view/preview.ts';
import { buildRows, sightOf } from '../view/rows.ts';
import type { LogBuilder } from '../view/testing.ts';
import { pageSeqs, RowPlan } from '../view/transcript.ts';
import { OUTPUTS } from './formats.ts';
import type { Images, OutputSession } from './output.ts';

export const ROW: SessionRow = {
  id: 'sess_0123456789abcdef0123',
  agent: 'claude',
  native_id: '9ed90ef0-3d15-4905-88dd-6aaed917544d',
  source: '/home/dev/.claude/projects/shop/9ed90ef0.jsonl',
  title: 'Fix the price parser',
  title_from: 'agent',
  first_prompt: 'Fix the price parser',
  last_prompt: null,
  cwd: '/home/dev/shop',
  cwd_last: '/home/dev/shop',
  git_branch: 'main',
  model: 'claude-opus-5-5',
  agent_version: '2.1.332',
  started_at: 1_790_000_000,
  last_activity: 1_790_000_600,
  counts: { ...NO_COUNTS, user: 2, assistant: 2, tool_call: 3 },
  usage: { ...NO_USAGE, input: 120, output: 80 },
  context_tokens: null,
  events: 0,
  copied: 0,
  bytes: 0,
  parent: null,
  parent_kind: null,
  children: [],
  kin: {},
  branches: 1,
  errors: 0,
  redactions: 0,
  unknown_records: 0,
  warnings: [],
  archived: false,
  status: 'idle',
};

/** A log as the engine gives it to a format, without a store. */
export function outputSession(
  log: LogBuilder,
  more: Partial<SessionRow> = {},
  { all = false, images = new Map() as Images, size = 7 } = {},
): OutputSession {
  const index = log.index();
  const special = readSpecial(specialSeqs(index).map((seq) => log.events[seq]!));
  const active = activePath(index, special.leaf);
  const plan = new RowPlan().extend(index);
  const sight = sightOf(index, special);
  return {
    row: { ...ROW, events: index.n, ...more },
    inactive: [...active].filter((one) => one === 0).length,
    pages: async function* () {
      for (let from = 0; from < plan.rows; from += size) {
        const events = pageSeqs(plan, index, from, size)
          .filter((seq) => all || active[seq] === 1)
          .map((seq) => log.events[seq]!);
        yield { rows: buildRows(plan, sight, events, from, size, WHOLE), images };
      }
    },
    events: async function* () {
      for (let from = 0; from < index.n; from += size)
        yield {
          events: log.events.slice(from, from + size).map((event) => ({ ...event, active: active[event.seq] === 1 })),
          images,
        };
    },
  };
}

/** The whole text that a format makes of sessions. */
export async function written(format: ExportFormat, sessions: OutputSession[], all = false): Promise<string> {
  let text = '';
  for await (const piece of OUTPUTS[format].write({ sessions, all, version: '0.1.0' })) text += piece;
  return text;
}
