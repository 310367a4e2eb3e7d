import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RULES_VERSION } from '../../core/redact/rules.ts';
import { LogBuilder } from '../../core/view/testing.ts';
import { unwrap } from '../../shared/errors.ts';
import { secretsIn } from '../verify/secrets-in.ts';
import { OutgoingRedactor } from './outgoing.ts';
import { type Lab, makeLab } from './testing.ts';

/** Put together at run time: no whole secret stands in a file. */
const SECRET = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab(['simple-qa']);
});
afterEach(() => lab.close());

describe('what leaves the store', () => {
  it('is redacted in the user’s note, and the receipt counts it', async () => {
    const input = { session: lab.session.id, to: 'codex', cwd: lab.project, note: `Log in with ${SECRET}.` };
    const plan = unwrap(await lab.engine.call('handoff.preflight', input));
    expect(plan.redaction).toMatchObject({ removed: 1, by_type: { 'github-token': 1 } });
    const result = unwrap(await lab.engine.call('handoff.execute', { ...input, operation_id: 'op' }));
    const text = await readFile(result.files[0]!, 'utf8');
    expect([text.includes(SECRET), text.includes('[REDACTED:github-token:1]')]).toEqual([false, true]);
    const receipt = unwrap(await lab.engine.call('receipts.get', { id: result.receipt }));
    expect(receipt.facts.redaction).toEqual({ removed: 1, by_type: { 'github-token': 1 } });
    for (const id of [lab.session.id, result.new_session]) {
      const { events } = unwrap(await lab.engine.local.events(id));
      for await (const some of events) expect(JSON.stringify(some).includes(SECRET)).toBe(false);
    }
  });

  it('is redacted anew when it was captured under other rules', () => {
    const log = new LogBuilder();
    log.user(`Use ${SECRET}`);
    const event = log.events[0]!;
    const key = randomBytes(32);
    const old = new OutgoingRedactor(key, { rules: RULES_VERSION - 1, seen: {}, counts: { jwt: 2 } });
    expect(JSON.stringify(old.event(event))).not.toContain(SECRET);
    expect(old.counts).toEqual({ removed: 3, by_type: { jwt: 2, 'github-token': 1 } });
    expect(JSON.stringify(event)).toContain(SECRET);
    const same = new OutgoingRedactor(key, { rules: RULES_VERSION, seen: {}, counts: {} });
    expect(same.event(event)).toBe(event);
  });

  it('is redacted in arguments of a tool too, whatever their names', () => {
    const log = new LogBuilder();
    log.call('r1', 'c1', 'mcp', { data: `Use ${SECRET}`, id: [SECRET], nested: { kind: SECRET, n: 1 } });
    const event = log.events.at(-1)!;
    const redacted = new OutgoingRedactor(randomBytes(32), null).event(event);
    expect(JSON.stringify(redacted)).not.toContain(SECRET);
    expect(redacted.payload).toMatchObject({ call_id: 'c1', arguments: { nested: { n: 1 } } });
  });

  it('is redacted in the texts that lie apart too, and in nothing else', () => {
    const artifact = (media_type: string, text: string) => ({ media_type, bytes: Buffer.from(text) });
    const said = (redactor: OutgoingRedactor, one: ReturnType<typeof artifact>) =>
      Buffer.from(redactor.artifact(one)).toString();
    const old = new OutgoingRedactor(randomBytes(32), null);
    const text = artifact('text/plain', `\uFEFFUse ${SECRET}\n`);
    expect(said(old, text)).toBe('\uFEFFUse [REDACTED:github-token:1]\n');
    const json = artifact('application/json', JSON.stringify({ signature: SECRET, text: `Use ${SECRET}` }));
    expect(JSON.parse(said(old, json))).toEqual({ signature: SECRET, text: 'Use [REDACTED:github-token:1]' });
    const binary = artifact('image/png', SECRET);
    expect(old.artifact(binary)).toBe(binary.bytes);
    const damaged = { media_type: 'text/plain', bytes: Uint8Array.of(0xff, 0x00) };
    expect(old.artifact(damaged)).toBe(damaged.bytes);
    const same = new OutgoingRedactor(randomBytes(32), { rules: RULES_VERSION, seen: {}, counts: {} });
    expect(same.artifact(text)).toBe(text.bytes);
  });
});

describe('secretsIn', () => {
  it('finds secrets in the bytes of a written file, in lines of any length, and nothing in encoded data', async () => {
    const path = join(lab.home, 'written.jsonl');
    const line = (text: string): string => `${JSON.stringify({ text })}\n`;
    const long = 'word '.repeat(500_000);
    await mkdir(lab.home, { recursive: true });
    await writeFile(
      path,
      line('nothing here') + line(`${long}${SECRET}`) + line('more') + JSON.stringify({ text: `last ${SECRET}` }),
    );
    expect(await secretsIn(path)).toBe(2);
    await writeFile(
      path,
      line(`data:image/png;base64,${SECRET}`) +
        line('[REDACTED:github-token:1]') +
        JSON.stringify({ signature: SECRET }),
    );
    expect(await secretsIn(path)).toBe(0);
    await writeFile(path, '');
    expect(await secretsIn(path)).toBe(0);
  });
});
