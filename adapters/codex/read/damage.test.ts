import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import { damagedFile, hits } from '../../testing/damage.ts';
import { modelView } from '../../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { tempHome } from '../testing/home.ts';
import { type Captured, captureSource, told } from '../testing/native.ts';
import { discoverRollouts, recogniseRollout } from './discover.ts';

const ID = '01a22791-bb90-77e3-8fe5-30ec722705d2';

type Json = Record<string, unknown>;

/** A rollout with these bytes, captured. */
async function captureBytes(bytes: Uint8Array | string): Promise<Captured> {
  const home = tempHome();
  try {
    const path = join(home.codex, 'sessions', '2026', '11', '29', `rollout-2026-11-29T13-49-51-${ID}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    return await captureSource(unwrap(await recogniseRollout(path, home.env)), home.env);
  } finally {
    home.dispose();
  }
}

async function linesOf(name: string): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'codex-fixture-'));
  try {
    await loadFixture('codex', name, home);
    const [source] = (await discoverRollouts({ home, env: {} })).sources;
    return readFileSync(source!.path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const files = await Promise.all(
  ['b-shell', 'm-parallel', 'h-compact-tui', 'e-reasoning', 'legacy-0.29.0', 'legacy-0.8.0', 'legacy-0.50.0'].map(
    linesOf,
  ),
);

/** What must be found of a record in the log: what was said, a call, a result. */
function facts(line: string): string[] {
  // 0.8.0 itself has glued two records into one line
  if (line.includes('}{"')) return [];
  const record = JSON.parse(line) as Json;
  const item = (record.payload ?? record) as Json;
  const { type, call_id } = item;
  if (type === 'function_call' || type === 'custom_tool_call') return [`call ${String(call_id)}`];
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return [`result ${String(call_id)}`];
  if (type !== 'message' || !Array.isArray(item.content)) return [];
  return (item.content as Json[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

/** All that a log says, in one text: the answer to the request for a summary stands in the summary. */
function found({ events }: Captured): string {
  return events
    .flatMap(({ type, payload }) => {
      if (type === 'tool.call') return `call ${String(payload.call_id)}`;
      if (type === 'tool.result') return `result ${String(payload.call_id)}`;
      return [payload.content, payload.summary].flatMap((said) =>
        Array.isArray(said) ? said.map(({ text }) => String(text)) : [],
      );
    })
    .join('\n');
}

describe('a damaged rollout', () => {
  it(
    'never fails, accounts for what it read, warns with the line, and keeps every sound record',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(files.length - 1), hits, async (which, all) => {
          const { bytes, sound } = damagedFile(files[which]!, all);
          const captured = await captureBytes(bytes);
          const { outcome, warnings } = captured;
          expect(told(outcome)).toBe(outcome.records);
          expect(outcome.records).toBeGreaterThanOrEqual(sound.length);
          if (outcome.unreadable > 0) expect(warnings.some(({ line }) => line !== undefined)).toBe(true);
          const log = found(captured);
          for (const line of sound) for (const fact of facts(line)) expect(log).toContain(fact);
          modelView(captured.events);
        }),
        propertyRuns(60, 501),
      );
    },
    PROPERTY_MS,
  );

  it(
    'survives records of any shape',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyRecord(), { minLength: 1, maxLength: 12 }), async (records) => {
          const captured = await captureBytes(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
          expect(told(captured.outcome)).toBe(captured.outcome.records);
          expect(captured.outcome.records).toBe(records.length);
          for (const { seq, parent_seq } of captured.events) expect(parent_seq ?? -1).toBeLessThan(seq);
          modelView(captured.events);
        }),
        propertyRuns(100, 502),
      );
    },
    PROPERTY_MS,
  );
});

function anyRecord(): fc.Arbitrary<unknown> {
  const any = fc.jsonValue({ maxDepth: 2 });
  const id = fc.oneof(fc.constantFrom('c1', 'c2', 't1'), any);
  const part = fc.record(
    {
      type: fc.oneof(fc.constantFrom('input_text', 'output_text', 'input_image', 'summary_text', 'encrypted'), any),
      text: fc.oneof(fc.string(), any),
      image_url: fc.oneof(fc.constant('data:image/png;base64,AAAA'), any),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(fc.array(fc.oneof(part, any), { maxLength: 3 }), any);
  const payload = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(
          ...['message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'local_shell_call'],
          ...['custom_tool_call_output', 'web_search_call', 'compaction', 'user_message', 'agent_message'],
          ...[
            'token_count',
            'turn_aborted',
            'task_started',
            'item_completed',
            'thread_rolled_back',
            'exec_command_end',
          ],
        ),
        any,
      ),
      role: fc.oneof(fc.constantFrom('user', 'assistant', 'developer'), any),
      content,
      summary: content,
      message: any,
      call_id: id,
      id,
      name: fc.oneof(fc.constantFrom('shell', 'exec_command', 'apply_patch', 'update_plan'), any),
      arguments: fc.oneof(fc.constantFrom('{"cmd":"ls"}', '{'), any),
      input: any,
      output: any,
      action: any,
      item: fc.oneof(fc.record({ type: any, id, call_id: id, text: any, content }), any),
      info: any,
      num_turns: any,
      turn_id: id,
      replacement_history: fc.oneof(fc.array(any, { maxLength: 3 }), any),
      cwd: any,
      timestamp: any,
      source: any,
      forked_from_id: any,
      git: any,
    },
    { requiredKeys: [] },
  );
  const kind = fc.constantFrom(
    ...['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state', 'other'],
  );
  const timestamp = fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    any,
  );
  const wrapped = fc.record({ timestamp, ordinal: any, type: fc.oneof(kind, any), payload: fc.oneof(payload, any) });
  return fc.oneof({ weight: 8, arbitrary: wrapped }, { weight: 2, arbitrary: payload }, { weight: 1, arbitrary: any });
}
