import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fail, ok, type Result } from '../shared/errors.ts';
import { callTool, listedTool } from './call-tool.ts';
import { cleaner } from './outgoing.ts';
import { type Answer, type Call, defineTool, READS } from './tool.ts';
import { TOOLS } from './tools/all.ts';

const call = { clean: cleaner(), reading: {} } as Call;

const tool = (run: (input: { word: string }) => Promise<Result<Answer<{ said: string }>>>) =>
  defineTool({
    name: 'session_test',
    title: 'Test',
    description: 'For tests.',
    annotations: READS,
    input: z.strictObject({ word: z.string() }),
    output: z.object({ said: z.string() }),
    run: (_call, input) => run(input),
  });

describe('a call', () => {
  it('has its arguments checked, but for what a client adds for itself', async () => {
    const echo = tool(async ({ word }) => ok({ value: { said: word }, text: word }));
    expect(await callTool(echo, call, { word: 'yes', wait_for_previous: true })).toMatchObject({
      structuredContent: { said: 'yes' },
    });
    expect(await callTool(echo, call, { word: 'yes', other: 1 })).toMatchObject({ isError: true });
    expect(await callTool(echo, call, {})).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_request', details: { path: 'word' } } },
    });
  });

  it('that fails says so with a code, whatever was thrown', async () => {
    const refused = tool(async () => fail('no_conversation', 'Nothing there.'));
    expect(await callTool(refused, call, { word: '' })).toMatchObject({
      isError: true,
      content: [{ text: 'no_conversation: Nothing there.' }],
    });
    const broken = tool(() => Promise.reject(new Error('a bug')));
    expect(await callTool(broken, call, { word: '' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'internal', message: expect.stringContaining('a bug') } },
    });
  });

  it('lets no secret out that today’s rules know, whenever the session was read', async () => {
    const secret = ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');
    const leak = tool(async () => ok({ value: { said: `token ${secret}` }, text: `token ${secret}` }));
    const answer = JSON.stringify(await callTool(leak, call, { word: '' }));
    expect(answer).not.toContain(secret);
    expect(answer).toContain('[REDACTED:');
    const error = tool(async () => fail('not_found', 'Not there.', { candidates: [{ title: secret }] }));
    expect(JSON.stringify(await callTool(error, call, { word: '' }))).not.toContain(secret);
    // a text that is cut shows no part of one either
    const cut = tool(async () => fail('not_found', 'Not there.', { title: `${'word '.repeat(98)}${secret}` }));
    expect(JSON.stringify(await callTool(cut, call, { word: '' }))).not.toContain(secret.slice(0, 8));
  });

  it('says what was not read, in its answer and where that may be why it failed', async () => {
    const note = 'Sessions are still being read.';
    const early = { ...call, reading: { note } } as Call;
    const echo = tool(async ({ word }) => ok({ value: { said: word }, text: word }));
    expect(await callTool(echo, early, { word: 'yes' })).toMatchObject({
      content: [{ text: `${note}\nyes` }],
      structuredContent: { said: 'yes', note },
    });
    for (const [code, said] of [
      ['not_found', `Why. ${note}`],
      ['selection_required', `Why. ${note}`],
      ['target_unsupported', 'Why.'],
    ] as const)
      expect(
        await callTool(
          tool(async () => fail(code, 'Why.')),
          early,
          { word: '' },
        ),
      ).toMatchObject({
        structuredContent: { error: { code, message: said } },
      });
  });
});

describe('the tools', () => {
  it('have names that every client takes, and say what they change', () => {
    for (const { name, annotations, description } of TOOLS.map(listedTool)) {
      expect(name).toMatch(/^[a-z_]{1,40}$/);
      expect(description?.length).toBeGreaterThan(50);
      expect(annotations).toMatchObject({
        readOnlyHint: name !== 'session_handoff',
        destructiveHint: false,
        openWorldHint: false,
      });
    }
  });

  it('take objects without unions, which not every model takes', () => {
    for (const { inputSchema, outputSchema } of TOOLS.map(listedTool)) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(inputSchema)).not.toMatch(/anyOf|oneOf|allOf|\$ref|"null"/);
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
    expect(JSON.stringify(TOOLS.map((one) => listedTool(one).inputSchema)).length).toBeLessThan(10_000);
  });
});
