import type { CaptureSink, SessionRef, SessionSink } from '../contract.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { OpenCalls } from './calls.ts';
import { PromptQueue } from './queue.ts';
import type { Json } from './record.ts';
import { SessionLog } from './session-log.ts';
import type { TitleSources } from './titles.ts';
import { Todos } from './todos.ts';
import { UsageSeen } from './usage.ts';

/** Where the file says its active branch ends. */
export interface Pointer {
  leaf: string;
  explicit: boolean;
  line: number;
}

/** A compaction mark whose summary has not come yet. */
export interface Boundary {
  uuid: string;
  /** event of the mark */
  seq: number;
  metadata: Json;
}

/** What all sessions of one file share; renewed with each capture. */
export interface Setting {
  sink: CaptureSink;
  /** canonical ids of sub-agent sessions by the call that started them */
  children: ReadonlyMap<string, string>;
  /** answers that another session paid for */
  replayed: ReadonlySet<string>;
  /** folder of the session's side files */
  folder: string;
  /** redacts the text of a side file */
  redact: (text: string) => string;
}

/** What a capture knows of one session: all that the mapping of the next record depends on. */
export class SessionState {
  readonly log: SessionLog;
  readonly store: StoreArtifact;
  readonly calls = new OpenCalls();
  readonly todos = new Todos();
  readonly usage = new UsageSeen();
  readonly queue = new PromptQueue();
  readonly titles: TitleSources = {};
  /** titles of 1.0, each for the session that holds its leaf, which can be another one */
  readonly summaries: { leaf: string | undefined; title: string | undefined }[] = [];
  /** canonical text of the last state line of each type */
  readonly repeats = new Map<string, string>();
  pointer: Pointer | undefined;
  boundary: Boundary | undefined;
  /** prompts that were put into the log while they still waited, by text: event and what it hangs on */
  readonly early = new Map<string, { seq: number; parent: number }>();
  /** event that stands for the current record */
  absorbed = -1;
  /** last line of the main chain that is conversation, for "stands after the pointer" */
  lastLine = -1;
  /** what the log says about the leaf, and behind which conversation event it says so */
  saidLeaf: { leaf: number; after: number } | undefined;
  newest: { ts: number; seq: number } | undefined;
  cwd: string | undefined;
  cwdLast: string | undefined;
  branch: string | undefined;
  model: string | undefined;
  version: string | undefined;
  duplicates = 0;
  /** the `!` command whose output comes next */
  shell: { seq: number; cmd: string } | undefined;
  readonly ref: SessionRef;
  readonly setting: Setting;

  constructor(ref: SessionRef, setting: Setting, sink: SessionSink = setting.sink.session(ref)) {
    this.ref = ref;
    this.setting = setting;
    this.log = new SessionLog(sink);
    this.store = (bytes, type) => setting.sink.artifact(bytes, type);
  }

  /** Canonical id of the sub-agent that a call started, where it is known. */
  childOf(callId: string): string | undefined {
    return this.setting.children.get(callId);
  }

  /**
   * Whether a prompt is in the log already, because it was still waiting when an earlier capture ended, and stands where
   * its record would stand.
   */
  absorbs(said: string, parent: number): boolean {
    const early = this.early.get(said);
    if (early === undefined || early.parent !== parent) return false;
    this.early.delete(said);
    this.absorbed = early.seq;
    return true;
  }
}
