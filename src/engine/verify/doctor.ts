import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AppInfo } from '../../shared/api.ts';
import type { AppError } from '../../shared/errors.ts';
import { type HomeFile, homeFilePath, readHomeFile, storePath } from '../keys/home-file.ts';
import { keyState } from '../keys/keys.ts';
import type { EngineContext } from '../procedures/context.ts';

export interface Finding {
  id: string;
  level: 'ok' | 'note' | 'warn' | 'error';
  text: string;
  /** what to do about it */
  fix?: string;
}

export interface Examination {
  /** false when anything is an error */
  ok: boolean;
  version: string;
  node: string;
  platform: string;
  home: string;
  keys: AppInfo['keys'] | null;
  findings: Finding[];
}

/** Looks at everything that a session or a handoff needs, and says what is wrong and what to do. */
export async function examine(context: EngineContext): Promise<Examination> {
  const { home, version } = context.options;
  const file = await readHomeFile(home);
  const findings: Finding[] = [];
  if (!file.ok) findings.push(failed('home', file.error));
  else if (file.value === null)
    findings.push({ id: 'home', level: 'note', text: `There is no store in ${home} yet`, fix: 'sessionctl init' });
  else findings.push(...(await examineHome(context, file.value)));
  findings.push(...(await examineAgents(context)));
  const keys = file.ok && file.value ? keyState(file.value.key) : null;
  const ok = findings.every((finding) => finding.level !== 'error');
  return { ok, version, node: process.version, platform: `${process.platform} ${process.arch}`, home, keys, findings };
}

const failed = (id: string, error: AppError): Finding => ({ id, level: 'error', text: error.message });

async function examineHome(context: EngineContext, file: HomeFile): Promise<Finding[]> {
  const { home } = context.options;
  const keys = keyState(file.key);
  const findings: Finding[] = [{ id: 'key', level: keys.weaker ? 'note' : 'ok', text: keys.text }];
  const own = [home, homeFilePath(home), storePath(home)];
  if (file.key.kind === 'keyfile') own.push(isAbsolute(file.key.path) ? file.key.path : join(home, file.key.path));
  findings.push(...(await examineModes(own)));
  const opened = await context.home();
  if (!opened.ok) return [...findings, failed('store', opened.error)];
  const { sessions, events, bytes } = await opened.value.store.reader.stats();
  findings.push({
    id: 'store',
    level: 'ok',
    text: `The store opens: sessions ${sessions}, events ${events}, size ${(bytes / 1e6).toFixed(1)} MB`,
  });
  return findings;
}

/** Nobody else may read what is ours. Windows has no such modes. */
async function examineModes(paths: string[]): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const findings: Finding[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (!found || (found.mode & 0o077) === 0) continue;
    const mode = found.isDirectory() ? '700' : '600';
    findings.push({ id: 'mode', level: 'warn', text: `Others may read ${path}`, fix: `chmod ${mode} ${path}` });
  }
  return findings;
}

async function examineAgents(context: EngineContext): Promise<Finding[]> {
  const agents = await context.agents.describe();
  const sources = await context.agents.discover();
  const roots = new Set(sources.filter((source) => source.exists).map((source) => source.agent));
  const here = agents.filter(({ id, installed }) => installed || roots.has(id));
  const absent = agents.filter((agent) => !here.includes(agent));
  const findings: Finding[] = here.map(({ id, label, installed, version, verified }) => {
    if (!installed)
      return {
        id: `agent:${id}`,
        level: 'note',
        text: `${label} was not found on the PATH`,
        fix: `Sessions can be read; to resume one, install ${label}`,
      };
    const known = version !== null && verified.includes(version);
    const text = `${label} ${version ?? '(version unknown)'}${known ? '' : `; checked against ${verified.join(', ')}`}`;
    return { id: `agent:${id}`, level: known ? 'ok' : 'note', text };
  });
  if (absent.length > 0)
    findings.push({
      id: 'agents',
      level: 'note',
      text: `Neither program nor sessions here: ${absent.map(({ label }) => label).join(', ')}`,
    });
  for (const source of sources) {
    if (source.exists)
      findings.push({
        id: `source:${source.agent}`,
        level: 'ok',
        text: `${source.label}: ${source.sessions} ${source.sessions === 1 ? 'session' : 'sessions'} in ${source.root}`,
      });
    for (const warning of source.warnings)
      findings.push({ id: `source:${source.agent}`, level: 'warn', text: `${warning.about}: ${warning.detail}` });
  }
  return findings;
}
