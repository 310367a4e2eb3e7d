import { create } from 'zustand';
import type { SessionRow } from '../../shared/session.ts';
import { readStored, writeStored } from './stored.ts';

export type InspectorTab = 'details' | 'tokens' | 'files' | 'lineage' | 'warnings' | 'event';

/** A session that is picked up, by the mouse or by the keyboard, and the agent it is held over. */
export interface Drag {
  session: SessionRow;
  by: 'mouse' | 'keys';
  over: string | null;
}

/** What is on screen, and nothing that the engine owns. */
interface ViewState {
  /** ids of the sessions with a tab, in the order of the tabs */
  tabs: readonly string[];
  /** the inspector beside the transcript, in a wide window */
  inspectorOpen: boolean;
  /** the inspector over the transcript, in a narrow window; never by itself */
  inspectorOver: boolean;
  inspectorTab: InspectorTab;
  /** the event the inspector shows, of the open session */
  seq: number | null;
  drag: Drag | null;
  dockPinned: boolean;
  /** the handoff sheet: what is handed to whom; null when closed */
  handoff: { session: string; to: string } | null;
  /** the session whose export is being chosen; null when that is closed */
  exporting: string | null;
  dialog: 'palette' | 'keys' | null;
  paletteStart: string;
  /** sessions that grew since they were last looked at in this window */
  unread: ReadonlySet<string>;
  /** single-letter keys on */
  letters: boolean;
}

const ON_OFF = ['on', 'off'] as const;
const flag = (key: string, otherwise: 'on' | 'off') => readStored(key, ON_OFF, otherwise) === 'on';

export const useView = create<ViewState>(() => ({
  tabs: [],
  inspectorOpen: flag('inspector', 'on'),
  inspectorOver: false,
  inspectorTab: 'details',
  seq: null,
  drag: null,
  dockPinned: flag('dock', 'off'),
  handoff: null,
  exporting: null,
  dialog: null,
  paletteStart: '',
  unread: new Set(),
  letters: flag('letters', 'on'),
}));

const set = useView.setState;

/** Shows a session in a tab: its own when it has one, else in place of `replacing`, or in a new one. */
export function showTab(id: string, replacing: string | null): void {
  set(({ tabs }) => {
    if (tabs.includes(id)) return {};
    if (replacing !== null && tabs.includes(replacing))
      return { tabs: tabs.map((tab) => (tab === replacing ? id : tab)) };
    return { tabs: [...tabs, id] };
  });
}

/** Closes a tab and says which one is to be shown then, if any. */
export function closeTab(id: string): string | null {
  const { tabs } = useView.getState();
  const at = tabs.indexOf(id);
  const rest = tabs.filter((tab) => tab !== id);
  set({ tabs: rest });
  return rest[Math.min(Math.max(at, 0), rest.length - 1)] ?? null;
}

const isNarrow = (): boolean => !window.matchMedia('(min-width: 1200px)').matches;

export const isInspectorShown = (): boolean => useView.getState()[isNarrow() ? 'inspectorOver' : 'inspectorOpen'];

export function setInspectorOpen(open: boolean): void {
  if (isNarrow()) {
    set({ inspectorOver: open });
    return;
  }
  writeStored('inspector', open ? 'on' : 'off');
  set({ inspectorOpen: open });
}

export function showInspector(tab: InspectorTab): void {
  setInspectorOpen(true);
  set({ inspectorTab: tab });
}

export function showEvent(seq: number): void {
  set({ seq });
  showInspector('event');
}

export function setDockPinned(pinned: boolean): void {
  writeStored('dock', pinned ? 'on' : 'off');
  set({ dockPinned: pinned });
}

export function setLetters(on: boolean): void {
  writeStored('letters', on ? 'on' : 'off');
  set({ letters: on });
}

export const pickUp = (session: SessionRow, by: Drag['by']): void => set({ drag: { session, by, over: null } });
export const holdOver = (over: string | null): void =>
  set(({ drag }) => (drag && drag.over !== over ? { drag: { ...drag, over } } : {}));
export const putDown = (): void => set({ drag: null });
export const openHandoff = (session: string, to: string): void => set({ drag: null, handoff: { session, to } });
export const closeHandoff = (): void => set({ handoff: null });
export const openExport = (session: string): void => set({ exporting: session });
export const closeExport = (): void => set({ exporting: null });
export const openDialog = (dialog: ViewState['dialog'], paletteStart = ''): void => set({ dialog, paletteStart });

export function markUnread(id: string): void {
  set(({ unread }) => (unread.has(id) ? {} : { unread: new Set([...unread, id]) }));
}

export function markRead(id: string): void {
  set(({ unread }) => (unread.has(id) ? { unread: new Set([...unread].filter((other) => other !== id)) } : {}));
}
