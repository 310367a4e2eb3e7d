import { stat } from 'node:fs/promises';
import { type FSWatcher, watch } from 'chokidar';
import type { AgentEnv, SourceRoot } from '../../../adapters/contract.ts';
import { databaseStat } from '../../../adapters/io/sqlite-snapshot.ts';
import type { AppEvent } from '../../shared/api.ts';
import { openFound } from './databases.ts';
import { type Adapters, type Found, findOwn } from './find-sources.ts';
import type { SourceCapture, StoreRpc } from './source-capture.ts';

/** Watchers can lose events, and some facts lie in files that are no sessions: so everything is looked at now and then. */
const RESCAN_MS = 60_000;
/** After a change that is no known session (a new sub-folder, a title kept beside), all is looked at so soon. */
const SOON_MS = 300;
/** A source that another process writes at the same moment is tried again so often. */
const TRIES = 3;

export interface WatchSurroundings {
  adapters: Adapters;
  env: AgentEnv;
  rpc: StoreRpc;
  captures: SourceCapture;
  emit(event: AppEvent): void;
}

/** Follows the sources of all enabled agents: one watch a folder, and each changed file is captured at once, from where it was. */
export class Watcher {
  private readonly around: WatchSurroundings;
  private readonly known = new Map<string, Found>();
  /** paths with news, in the order in which they came */
  private readonly dirty = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private soon: NodeJS.Timeout | null = null;
  private files: FSWatcher[] = [];
  private roots = '';
  private working: Promise<void> | null = null;
  private scanning: Promise<void> | null = null;
  private closed = false;

  constructor(around: WatchSurroundings) {
    this.around = around;
    this.timer = setInterval(() => void this.scan(), RESCAN_MS);
  }

  /** Watches the folders of the agents that are enabled now, and captures what is new. Call again when they change. */
  async refresh(): Promise<void> {
    const enabled = await this.enabled();
    const roots: SourceRoot[] = [];
    for (const adapter of enabled) roots.push(...(await adapter.discover(this.around.env)).roots);
    const names = roots.map(({ path, flat }) => `${path}\0${flat === true}`).join('\0');
    if (names !== this.roots) {
      await this.unfollow();
      this.roots = names;
      await this.follow(roots.filter(({ flat }) => flat !== true));
      await this.follow(
        roots.filter(({ flat }) => flat === true),
        0,
      );
    }
    await this.scan();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    if (this.soon !== null) clearTimeout(this.soon);
    await this.unfollow();
    this.dirty.clear();
    await this.scanning;
    await this.working;
  }

  private async enabled() {
    const agents = await this.around.rpc.call('enabledSources');
    return Object.values(this.around.adapters).filter(({ id }) => agents.includes(id));
  }

  private async follow(roots: SourceRoot[], depth?: number): Promise<void> {
    if (roots.length === 0) return;
    const options = { ignoreInitial: true, ignorePermissionErrors: true, ...(depth !== undefined && { depth }) };
    const files = watch(
      roots.map(({ path }) => path),
      options,
    );
    this.files.push(files);
    files.on('add', (path) => this.touched(path));
    files.on('change', (path) => this.touched(path));
    files.on('error', () => this.rescanSoon());
    await new Promise<void>((resolve) => {
      files.once('ready', resolve);
    });
  }

  private async unfollow(): Promise<void> {
    await Promise.all(this.files.splice(0).map((files) => files.close()));
  }

  private touched(path: string): void {
    if (this.closed) return;
    const database = path.replace(/-(?:wal|journal)$/, '');
    this.dirty.add(this.known.get(database)?.source.database === true ? database : path);
    this.work();
  }

  private rescanSoon(): void {
    if (this.closed) return;
    this.soon ??= setTimeout(() => {
      this.soon = null;
      void this.scan();
    }, SOON_MS);
  }

  /** Looks at all sources by name, size and time, and puts the changed ones on the list. */
  private async scan(): Promise<void> {
    this.scanning ??= this.scanAll().finally(() => {
      this.scanning = null;
    });
    await this.scanning;
    await this.working;
  }

  private async scanAll(): Promise<void> {
    for (const adapter of await this.enabled()) {
      const { found } = await findOwn(adapter, this.around.env);
      const stamps = await this.around.rpc.call('stamps', adapter.id);
      const seen = new Map(stamps.map((stamp) => [stamp.path, stamp]));
      for (const one of found) {
        const { path, bytes, mtime_ms } = one.source;
        this.known.set(path, one);
        const stamp = seen.get(path);
        if (stamp?.size !== bytes || stamp.mtime_ms !== mtime_ms) this.dirty.add(path);
      }
    }
    this.work();
  }

  private work(): void {
    this.working ??= this.workOff().finally(() => {
      this.working = null;
      if (this.dirty.size > 0 && !this.closed) this.work();
    });
  }

  private async workOff(): Promise<void> {
    for (const path of this.dirty) {
      this.dirty.delete(path);
      if (this.closed) return;
      const found = await this.sourceAt(path);
      if (found !== null) await this.take(found);
    }
  }

  /** The source as it is on disk now; null when the path is none, or gone. */
  private async sourceAt(path: string): Promise<Found | null> {
    const known = this.known.get(path);
    if (known?.source.database === true) {
      const now = await databaseStat(path);
      return now === null ? null : { ...known, source: { ...known.source, ...now } };
    }
    const info = await stat(path).catch(() => null);
    if (info === null) return null;
    if (known !== undefined)
      return {
        ...known,
        source: { ...known.source, bytes: info.size, mtime_ms: Math.max(info.mtimeMs, known.source.mtime_ms) },
      };
    for (const adapter of await this.enabled()) {
      const result = await adapter.recognise(path, this.around.env);
      if (!result.ok) continue;
      const found = { adapter, source: result.value };
      this.known.set(found.source.path, found);
      return found;
    }
    this.rescanSoon();
    return null;
  }

  private async take(found: Found): Promise<void> {
    if (found.source.database === true) return this.takeDatabase(found);
    await this.takeOne(found);
  }

  private async takeDatabase(found: Found): Promise<void> {
    const opened = await openFound(this.around, found);
    if (!opened.ok) return;
    const { sessions, done, close } = opened.value;
    try {
      let all = true;
      for (const one of sessions) all = (await this.takeOne(one)) && all;
      if (!all || this.closed) return;
      await done();
      await this.around.captures.flush();
    } finally {
      await close();
    }
  }

  /** True when what is new is in the store. */
  private async takeOne({ adapter, source }: Found): Promise<boolean> {
    const { captures, emit } = this.around;
    for (let tries = 0; tries < TRIES && !this.closed; tries++) {
      const captured = await captures.capture(adapter, source, true);
      const result = await captures.flush().then(
        (results) => results.find(({ capture }) => capture === captured.capture),
        () => undefined,
      );
      if (result?.state === 'stale') continue;
      for (const { id, change, events } of result?.changed ?? [])
        emit({ topic: 'session', id, change, head_seq: events - 1 });
      return captured.error === null && result !== undefined;
    }
    return false;
  }
}
