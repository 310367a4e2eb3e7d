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
});
