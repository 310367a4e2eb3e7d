import { describe, expect, it } from 'vitest';
import { listFixtures } from '../../fixtures/load.ts';
import type { ContentBlock } from '../../src/shared/events.ts';
import { modelView } from '../testing/model-view.ts';
import { branchText } from './content.ts';
import { type Captured, captureFixture, oracleOf, told } from './testing/fixtures.ts';

type Json = Record<string, unknown>;

const names = await listFixtures('pi');

/** Texts longer than this are cut in what Pi's reader told, followed by `…` and their length. */
const TOLD = 400;

function shortened(text: string): string {
  return text.length > TOLD ? `${text.slice(0, TOLD)}…${text.length}` : text;
}

/** One line for each thing that Pi itself would send: its own context, without the answers that broke off. */
function factsTold(messages: readonly Json[]): string[] {
  return messages.flatMap((message): string[] => {
    if (message.stopReason === 'error' || message.stopReason === 'aborted') return [];
    if (message.role === 'compactionSummary') return [`summary: ${shortened(String(message.summary))}`];
    if (message.role === 'branchSummary') return [`user: ${shortened(branchText(String(message.summary)))}`];
    if (message.role === 'bashExecution')
      return message.excludeFromContext === true ? [] : [`ran: ${String(message.command)}`];
    const content =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content as Json[]);
    const role = message.role === 'custom' ? 'user' : String(message.role);
    if (role === 'toolResult')
      return [`result ${String(message.toolCallId)} ${String(message.isError)}: ${content.map(partTold).join('|')}`];
    if (role === 'user') return [`user: ${content.map(partTold).join('|')}`];
    return content.map((part) => `assistant: ${partTold(part)}`);
  });
}

function partTold(part: Json): string {
  if (part.type === 'text') return String(part.text);
  if (part.type === 'image') return `[image ${String(part.mimeType)} ${String(part.bytes)}]`;
  if (part.type === 'thinking') return part.redacted === true ? '(redacted)' : `(${String(part.thinking)})`;
  return `${String(part.id)} ${String(part.name)} ${JSON.stringify(part.arguments)}`;
}

/** The same from our events. */
function factsOf(captured: Captured): string[] {
  return modelView(captured.events).map(({ type, payload, actor }) => {
    const { sink } = captured;
    const blocks = (payload.content ?? payload.summary ?? []) as ContentBlock[];
    const cut = payload.truncated as { artifact: string } | undefined;
    const words =
      cut === undefined
        ? blocks.map(blockOf).join('|')
        : shortened(String(Buffer.from(sink.artifacts.get(cut.artifact)!.bytes)));
    if (type === 'context.compacted') return `summary: ${words}`;
    if (type === 'message.system' && actor === 'user') return `ran: ${/^Ran `(.*)`$/m.exec(words)?.[1]}`;
    if (type === 'message.user' || type === 'message.system') return `user: ${words}`;
    if (type === 'tool.result') return `result ${String(payload.call_id)} ${String(payload.is_error)}: ${words}`;
    if (type === 'message.thinking')
      return payload.form === 'encrypted' ? 'assistant: (redacted)' : `assistant: (${String(payload.text)})`;
    if (type === 'tool.call')
      return `assistant: ${String(payload.call_id)} ${String(payload.name)} ${JSON.stringify(payload.arguments)}`;
    return `assistant: ${words}`;
  });
}

function blockOf(block: ContentBlock): string {
  if (block.kind === 'text') return shortened(block.text);
  return block.kind === 'image' ? `[image ${block.media_type} ${block.bytes}]` : '?';
}

/** Keys of objects in order. */
const sorted = (line: string): string =>
  line.replace(/\{.*\}$/, (json) => {
    try {
      return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort())
          : value,
      );
    } catch {
      return json;
    }
  });

describe('what the real clients wrote', () => {
  for (const name of names) {
    it(`${name}: every record is accounted for, none unknown or unreadable, nothing odd`, async () => {
      for (const { outcome, events, warnings } of await captureFixture(name)) {
        expect(told(outcome)).toBe(outcome.records);
        expect(outcome.unknown).toEqual({});
        expect(outcome.unreadable).toBe(0);
        expect(events.length).toBeGreaterThan(3);
        expect(warnings.filter(({ about }) => about !== 'unanswered-call')).toEqual([]);
      }
    });

    if (name !== '15-secrets')
      it(`${name}: the model view is what Pi's own reader makes of the file`, async () => {
        const oracles = await oracleOf(name);
        const all = await captureFixture(name);
        expect(all.length).toBe(oracles.length);
        for (const captured of all) {
          const oracle = oracles.find(({ file }) => captured.source.path.endsWith(file))!;
          expect(factsOf(captured).map(sorted)).toEqual(factsTold(oracle.messages).map(sorted));
          if (typeof oracle.name === 'string') expect(captured.facts.title).toBe(oracle.name);
        }
      });
  }
});
