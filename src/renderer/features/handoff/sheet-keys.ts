import { type RefObject, useEffect, useEffectEvent } from 'react';

/** Ctrl or ⌘ with Enter presses the primary button from anywhere in the sheet. */
export function useStartKey(possible: boolean, start: () => void): void {
  const latest = useEffectEvent(start);
  useEffect(() => {
    if (!possible) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [possible]);
}

/** When the sheet comes to a new state, its next step gets the focus, unless the reader has put the focus elsewhere. */
export function useNextStepFocus(
  sheet: RefObject<HTMLElement | null>,
  primary: RefObject<HTMLButtonElement | null>,
  state: string,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new state alone moves the focus
  useEffect(() => {
    if (document.activeElement?.closest('.sheet-b, .dock')) return;
    if (primary.current && !primary.current.disabled) primary.current.focus();
    else sheet.current?.focus();
  }, [state]);
}
