import fc from 'fast-check';
import { TestSession } from './session.ts';

type Part = { kind: 'reply' | 'thinking' | 'call'; text: string; answered: boolean; error: boolean; free: boolean };
type Move =
  | { kind: 'user' | 'system' | 'summary' | 'image'; text: string }
  | { kind: 'response'; parts: Part[]; order: number; late: boolean };

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\ud800 half',
    'a\u0000b',
    '<environment_context>x</environment_context>',
    'error: no',
    '日本語 🎉',
    '"quoted"\\n',
  ),
);

const part: fc.Arbitrary<Part> = fc.record({
  kind: fc.constantFrom('reply' as const, 'thinking' as const, 'call' as const, 'call' as const),
  text,
  answered: fc.boolean(),
  error: fc.boolean(),
  free: fc.boolean(),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constantFrom('user' as const, 'system' as const, 'summary' as const, 'image' as const), text }),
  fc.record({
    kind: fc.constant('response' as const),
    parts: fc.array(part, { minLength: 1, maxLength: 5 }),
    order: fc.nat(),
    late: fc.boolean(),
  }),
);

/** Ids as agents write them, and such that Codex would refuse. */
const callId = fc.constantFrom('toolu_01', 'call:1', 'a'.repeat(90), 'same', 'same', 'ü', '');

/** Random model views: answers with parallel calls, results in any order or missing, notes in between, odd texts and ids. */
export const anySession: fc.Arbitrary<TestSession> = fc
  .record({
    moves: fc.array(move, { minLength: 1, maxLength: 12 }),
    ids: fc.array(callId, { minLength: 1, maxLength: 8 }),
  })
  .map(({ moves, ids }) => {
    const session = new TestSession();
    let n = 0;
    for (const [index, step] of moves.entries()) {
      if ('parts' in step) respond(session, step, `r${index}`, () => ids[n++ % ids.length]!);
      else if (step.kind === 'user') session.user(step.text);
      else if (step.kind === 'system') session.system(step.text);
      else if (step.kind === 'summary') session.summary(step.text);
      else session.user([{ kind: 'text', text: step.text }, session.image()]);
    }
    return session;
  });

function respond(
  session: TestSession,
  { parts, order, late }: Extract<Move, { kind: 'response' }>,
  response: string,
  nextId: () => string,
): void {
  const open: { id: string; part: Part }[] = [];
  const used = new Set<string>();
  for (const one of parts) {
    if (one.kind === 'reply') session.reply(response, one.text);
    else if (one.kind === 'thinking') session.thinking(response, one.text);
    else {
      let id = nextId();
      while (used.has(id)) id += '+';
      used.add(id);
      session.call(
        response,
        id,
        one.free ? { name: 'apply_patch', arguments: one.text, tool: 'edit' } : { arguments: { value: one.text } },
      );
      open.push({ id, part: one });
      // Claude Code writes a result as soon as it is there, between the calls of one answer.
      if (late && one.answered) answer(session, open.pop()!);
    }
  }
  if (late) session.system('a note between results');
  const rest = open.filter(({ part: { answered } }) => answered);
  while (rest.length > 0) answer(session, rest.splice(order % rest.length, 1)[0]!);
}

function answer(session: TestSession, { id, part: { text: said, error } }: { id: string; part: Part }): void {
  session.result(id, said, { is_error: error });
}
