// biome-ignore-all lint/performance/noBarrelFile: the one entry of the package, `import { … } from 'sessionctl'`
export {
  type Adapter,
  type AdapterInfo,
  AdapterRegistry,
  type FoundSession,
  type NamedSession,
  type Surroundings,
} from './adapters.ts';
export {
  type ClaudeSessionEntry,
  type ClaudeSessionKey,
  ClaudeSessionStore,
} from './claude-session-store.ts';
export { type CompileOptions, Compiler } from './compiler.ts';
export { SessionctlError } from './error.ts';
export { Identity } from './identity.ts';
export { type ExportOptions, type HandoffOptions, type Once, Session } from './session.ts';
export { Store, type StoreOptions } from './store.ts';
export type * from './types.ts';
