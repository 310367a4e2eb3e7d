import type { SourceInfo } from './api.ts';

/** What was found by name, in words: a database may hold any number of sessions, which only reading tells. */
export function foundText(sources: readonly Pick<SourceInfo, 'sessions' | 'databases'>[]): string {
  const databases = sources.reduce((sum, source) => sum + (source.databases ?? 0), 0);
  const files = sources.reduce((sum, source) => sum + source.sessions, 0) - databases;
  const parts = [
    ...(files > 0 || databases === 0
      ? [`${files.toLocaleString('en-US')} ${files === 1 ? 'session' : 'sessions'}`]
      : []),
    ...(databases > 0 ? [`${databases} ${databases === 1 ? 'database' : 'databases'}`] : []),
  ];
  return parts.join(' and ');
}
