import { useEffect } from 'react';
import { useView } from '../app/view-state.ts';
import { type Command, commandFor } from './commands.ts';
import { isSingleLetter, pressName } from './keys.ts';
import { activePane, focusPane } from './panes.ts';

const SEQUENCE_MS = 1000;

/** True where letters are typed into something. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** True where a dialog, a menu or another popup has the keys. */
const inPopup = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="alertdialog"]') !== null;

const isArrow = (binding: string): boolean => binding === 'ArrowDown' || binding === 'ArrowUp';

/** Runs commands by their keys. Two-key bindings ("g s") wait a second for the second key. */
export function useKeys(commands: readonly Command[]): void {
  useEffect(() => {
    let pending = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = () => {
      clearTimeout(timer);
      pending = '';
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || inPopup(event.target)) return;
      const press = pressName(event);
      const binding = pending ? `${pending} ${press}` : press;
      forget();
      if (isSingleLetter(binding) && (!useView.getState().letters || isTyping(event.target))) return;
      if (isTyping(event.target) && !/^(Mod\+|F6|Shift\+F6)/.test(binding)) return;
      const command = commandFor(commands, binding);
      if (command) {
        if (command.when() !== true) return;
        event.preventDefault();
        command.run();
      } else if (
        !pending &&
        commands.some((candidate) => candidate.keys?.some((keys) => keys.startsWith(`${binding} `)))
      ) {
        pending = binding;
        timer = setTimeout(forget, SEQUENCE_MS);
      } else if (isArrow(binding) && document.activeElement === document.body) {
        // nothing has the focus yet: the arrows begin where the reader was last, at first in the list
        if (focusPane(activePane() ?? 'list')) event.preventDefault();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => {
      forget();
      window.removeEventListener('keydown', onKey);
    };
  }, [commands]);
}
