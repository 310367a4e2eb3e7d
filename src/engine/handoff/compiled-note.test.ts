import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { CompiledNote } from './compiled-note.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

async function notesAfter(mode: 'native' | 'context'): Promise<SessionEvent[]> {
  const { engine, session, project } = lab;
  const input = { session: session.id, to: 'pi', cwd: project, mode, operation_id: `op-${mode}` };
  unwrap(await engine.call('handoff.execute', input));
  const all: SessionEvent[] = [];
  for await (const events of unwrap(await engine.local.events(session.id)).events) all.push(...events);
  return all.filter(({ type }) => type === 'context.compiled');
}

describe('a handoff with a compiled page', () => {
  it('leaves in the log what the page took from which events, and all that it left out', async () => {
    const { engine, session } = lab;
    const compiled = unwrap(await engine.local.compile({ session: session.id, for: 'pi' }));
    const [event] = await notesAfter('context');
    const note = event!.payload as unknown as CompiledNote;
    expect(note.target).toBe('pi');
    // a handoff looks at what its agent would send, so as far as that goes
    expect(note.at_seq).toBeLessThanOrEqual(compiled.head);
    expect(note.items.length).toBeGreaterThan(0);
    expect(note.items.length + note.dropped.length).toBe(compiled.items.length + compiled.dropped.length);
    for (const { seqs } of [...note.items, ...note.dropped])
      expect(seqs.every((seq) => seq >= 0 && seq <= note.at_seq)).toBe(true);
    expect(JSON.stringify(note)).not.toContain(session.first_prompt);
  });

  it('is named by the manifests that are signed from then on', async () => {
    const [event] = await notesAfter('context');
    const { at_seq, sha256, tokens } = event!.payload as unknown as CompiledNote;
    const manifest = unwrap(await lab.engine.local.signManifest(lab.session.id));
    expect(manifest.compiled_context).toEqual({ at_seq, sha256, tokens });
  });

  it('says nothing of the kind where all goes natively', async () => {
    expect(await notesAfter('native')).toEqual([]);
  });
});
