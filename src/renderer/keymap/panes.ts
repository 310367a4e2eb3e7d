import { useLayoutEffect, useRef } from 'react';
import type { SessionRow } from '../../shared/session.ts';

/** The panes that F6 walks through, in this order. Their elements carry `data-pane`. */
export const PANES = ['rail', 'list', 'main', 'inspector', 'dock'] as const;
export type PaneId = (typeof PANES)[number];

/** What a pane can be told by key, menu or palette. */
export type PaneAction =
  | 'next'
  | 'previous'
  | 'open'
  | 'back'
  | 'first'
  | 'last'
  | 'expand'
  | 'collapse'
  | 'pickUp'
  | 'search'
  | 'find'
  | 'nextPrompt'
  | 'previousPrompt'
  | 'nextError'
  | 'previousError'
  | 'unread'
  | 'fold'
  | 'foldAll'
  | 'thinking'
  | 'nextSession'
  | 'previousSession'
  | 'copyEvent'
  | 'copyLink'
  | 'closeTab';

export interface PaneController {
  actions: Partial<Record<PaneAction, () => void>>;
  /** the session that a command would be about while this pane has the focus */
  session?: SessionRow | undefined;
}

const controllers = new Map<PaneId, () => PaneController>();

/** Offers a pane's actions while its component is mounted. */
export function usePane(id: PaneId, controller: PaneController): void {
  // Commands ask at any time, also while something else is drawn, so this is a plain reference to the latest.
  const latest = useRef(controller);
  useLayoutEffect(() => {
    latest.current = controller;
  });
  useLayoutEffect(() => {
    const read = () => latest.current;
    controllers.set(id, read);
    return () => {
      if (controllers.get(id) === read) controllers.delete(id);
    };
  }, [id]);
}

const paneOf = (element: Element | null): PaneId | null => {
  const id = element?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
  return PANES.find((pane) => pane === id) ?? null;
};

let lastPane: PaneId | null = null;

/** Remembers which pane had the focus, for menus and dialogs, which take the focus away from it. */
export function trackPanes(): () => void {
  const onFocus = (event: FocusEvent) => {
    lastPane = paneOf(event.target as Element | null) ?? lastPane;
  };
  document.addEventListener('focusin', onFocus);
  return () => document.removeEventListener('focusin', onFocus);
}

/** The pane with the focus, or the one that had it last. */
export const activePane = (): PaneId | null => paneOf(document.activeElement) ?? lastPane;

/** The pane that would answer: the one with the focus, else the transcript, else the list. */
function answering(): PaneController[] {
  const active = activePane();
  const order: PaneId[] = [...(active ? [active] : []), 'main', 'list'];
  return order.flatMap((id) => controllers.get(id)?.() ?? []);
}

export const paneAction = (action: PaneAction): (() => void) | undefined =>
  answering().find((pane) => pane.actions[action])?.actions[action];

/** The session that commands are about now. */
export const paneSession = (): SessionRow | undefined => answering().find((pane) => pane.session)?.session;

/**
 * Puts the focus into a pane: on its row with the tab stop, else on the pane itself, so that keys are never typed into a
 * field by chance; the other panes begin with their first control.
 */
export function focusPane(id: PaneId): boolean {
  const pane = document.querySelector<HTMLElement>(`[data-pane="${id}"]`);
  if (!pane || pane.offsetParent === null) return false;
  const entry =
    pane.querySelector<HTMLElement>('[data-entry][tabindex="0"]') ??
    (pane.tabIndex < 0 && (id === 'list' || id === 'main')
      ? pane
      : pane.querySelector<HTMLElement>('a[href], button:not(:disabled), [tabindex="0"]'));
  (entry ?? pane).focus();
  return pane.contains(document.activeElement);
}

/** F6: the next pane that is on screen, round and round. */
export function stepPane(step: 1 | -1): void {
  const active = activePane();
  const from = active === null ? (step === 1 ? -1 : 0) : PANES.indexOf(active);
  for (let i = 1; i <= PANES.length; i += 1) {
    const id = PANES[(from + step * i + PANES.length * 2) % PANES.length];
    if (id && focusPane(id)) return;
  }
}
