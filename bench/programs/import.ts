import { statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCapture } from '../../src/engine/capture/capture.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/** Imports one file into a new store, or all sessions of a home when no file is named: `import <store> <home> [file]`. */
const [storeHome, agentHome, path] = process.argv.slice(2) as [string, string, string?];
prepareCapture();
const { store, capture } = await openHome(storeHome, agentHome);
if (path === undefined) unwrap(await store.writer.setSourceEnabled('claude', true));
const summary = unwrap(await capture.import({ path }));
await store.close();
const { events, sessions_changed, unchanged, warnings } = summary;
tellUsage({
  events,
  sessions: sessions_changed,
  unchanged,
  warnings: warnings.length,
  disk: statSync(join(storeHome, 'store.db')).size,
});
