import { useEffect, useEffectEvent } from 'react';
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
  const latest = useEffectEvent(() => controller);
  useEffect(() => {
    const read = () => latest();
    controllers.set(id, read);
    return () => {
      if (controllers.get(id) === read) controllers.delete(id);
    };
  }, [id]);
}

export function activePane(): PaneId | null {
  const id = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
  return PANES.find((pane) => pane === id) ?? null;
}

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

/** Puts the focus into a pane: to its own place of entry, else to its first thing that takes focus. */
export function focusPane(id: PaneId): boolean {
  const pane = document.querySelector<HTMLElement>(`[data-pane="${id}"]`);
  if (!pane || pane.offsetParent === null) return false;
  const entry =
    pane.querySelector<HTMLElement>('[data-entry][tabindex="0"]') ??
    pane.querySelector<HTMLElement>('a[href], button:not(:disabled), input, [tabindex="0"]');
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
