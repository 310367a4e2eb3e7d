import { describe, expect, it } from 'vitest';
import { factsOf, imageHash } from '../facts.ts';
import { responsesItems } from './responses.ts';

const message = (role: string, ...content: unknown[]) => ({ type: 'message', role, content });
const text = (value: string) => ({ type: 'input_text', text: value });
const PIXEL = Buffer.from('not really a picture').toString('base64');

describe('a request of Codex', () => {
  it('gives what user and assistant said and leaves instructions and environment out', () => {
    const { facts, harness } = factsOf(
      responsesItems({
        input: [
          message('developer', text('You are Codex.')),
          message('user', text('<environment_context>\n<cwd>/home/dev/app</cwd>\n</environment_context>')),
          message('user', text('# AGENTS.md instructions for /home/dev/app\n<INSTRUCTIONS>x</INSTRUCTIONS>')),
          message('user', text('First'), text('Second')),
          message('assistant', { type: 'output_text', text: 'Done.' }),
        ],
      }),
    );
    expect(facts.map(({ kind, text: said }) => [kind, said])).toEqual([
      ['prompt', 'First'],
      ['prompt', 'Second'],
      ['reply', 'Done.'],
    ]);
    expect(harness).toHaveLength(3);
  });

  it('gives calls of every kind with their results', () => {
    const { facts } = factsOf(
      responsesItems({
        input: [
          { type: 'function_call', name: 'Bash', arguments: '{"command":"ls"}', call_id: 'a' },
          { type: 'function_call', name: 'shot', namespace: 'mcp__screen', arguments: '{}', call_id: 'b' },
          { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'c' },
          { type: 'function_call_output', call_id: 'b', output: [text('One'), text('Two')] },
          { type: 'function_call_output', call_id: 'a', output: 'x' },
          { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
        ],
      }),
    );
    expect(facts.map(({ kind, text: said, call }) => [kind, said, call])).toEqual([
      ['call', 'Bash {"command":"ls"}', 'a'],
      ['call', 'mcp__screen__shot {}', 'b'],
      ['call', 'apply_patch {"input":"*** Begin Patch"}', 'c'],
      ['result', 'x', 'a'],
      ['result', 'One\nTwo', 'b'],
      ['result', 'ok', 'c'],
    ]);
  });

  it('gives pictures by their bytes, in prompts and in results', () => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` };
    const { facts } = factsOf(
      responsesItems({
        input: [
          message('user', text('<image name=[Image #1]>'), picture, text('</image>'), text('What is it?')),
          { type: 'function_call', name: 'Read', arguments: '{}', call_id: 'a' },
          { type: 'function_call_output', call_id: 'a', output: [picture] },
        ],
      }),
    );
    expect(facts.map((fact) => fact.kind)).toEqual(['image', 'prompt', 'call', 'result', 'image']);
    expect(facts[0]?.text).toBe(imageHash(PIXEL));
  });

  it('counts reasoning apart and knows the mark of an interruption', () => {
    const { facts, thinking } = factsOf(
      responsesItems({
        input: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
          message('user', text('<turn_aborted>\nThe user interrupted the previous turn.\n</turn_aborted>')),
        ],
      }),
    );
    expect(thinking).toBe(1);
    expect(facts.map((fact) => fact.kind)).toEqual(['interruption']);
  });

  it('is refused when it has no input', () => {
    expect(() => responsesItems({ messages: [] })).toThrow(/no input/);
  });
});
