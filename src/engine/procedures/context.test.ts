import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { resolveSession } from './context.ts';

const row = (id: string, parent: string | null = null, parent_kind: SessionRow['parent_kind'] = null): SessionRow =>
  ({ id, native_id: 'native', parent, parent_kind }) as SessionRow;

const resolve = (rows: SessionRow[]) =>
  resolveSession({ find: async () => rows, enabledSources: async () => [] } as unknown as StoreReader, 'native');

describe('a handle', () => {
  it('means the session of a file, not those of sub-agents that old clients keep in it', async () => {
    const found = await resolve([row('main'), row('agent', 'main', 'subagent')]);
    expect(found).toMatchObject({ ok: true, value: { id: 'main' } });
  });

  it('means a sub-agent when nothing else is meant', async () => {
    expect(await resolve([row('agent', 'elsewhere', 'subagent')])).toMatchObject({ ok: true, value: { id: 'agent' } });
  });

  it('is asked about when two sessions share it, forks too', async () => {
    const found = await resolve([row('main'), row('copy', 'main', 'fork')]);
    expect(found).toMatchObject({ ok: false, error: { code: 'selection_required' } });
  });

  describe('that is the beginning of an id', () => {
    const store = (...rows: [id: string, native: string][]) =>
      ({
        find: async (handle: string) =>
          rows
            .filter((names) => names.some((name) => name === handle || name.startsWith(handle)))
            .map(([id, native_id]) => ({ ...row(id), native_id })),
        enabledSources: async () => [],
      }) as unknown as StoreReader;

    it('needs no sess_ in front', async () => {
      const reader = store(['sess_ab12cd', '0199-x'], ['sess_ef', 'ff00-y']);
      expect(await resolveSession(reader, 'ab12')).toMatchObject({ ok: true, value: { id: 'sess_ab12cd' } });
      expect(await resolveSession(reader, 'sess_ab12')).toMatchObject({ ok: true, value: { id: 'sess_ab12cd' } });
      expect(await resolveSession(reader, 'ab99')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    });

    it('needs 4 characters, which the answer says', async () => {
      const reader = { find: async () => [], enabledSources: async () => ['claude'] } as unknown as StoreReader;
      const short = { error: { message: expect.stringContaining('The beginning of an id needs 4 characters.') } };
      expect(await resolveSession(reader, '55')).toMatchObject(short);
      expect(await resolveSession(reader, 'sess_55a')).toMatchObject(short);
      expect(await resolveSession(reader, '55ab')).not.toMatchObject(short);
    });

    it('is asked about when it begins an id of ours and an id of an agent', async () => {
      const reader = store(['sess_ab12cd', '0199-x'], ['sess_ef', 'ab12-y']);
      expect(await resolveSession(reader, 'ab12')).toMatchObject({ error: { code: 'selection_required' } });
      expect(await resolveSession(reader, 'ab12-')).toMatchObject({ ok: true, value: { id: 'sess_ef' } });
    });

    it('means the session that is named to the letter', async () => {
      const reader = store(['sess_ab12cd', '0199-x'], ['sess_ef', 'ab12']);
      expect(await resolveSession(reader, 'ab12')).toMatchObject({ ok: true, value: { id: 'sess_ef' } });
    });
  });
});
