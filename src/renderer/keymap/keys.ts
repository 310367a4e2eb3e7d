/**
 * Key bindings as text: "j", "Shift+J", "Mod+K" (Ctrl, or ⌘ on a Mac), "F6", "g s" (a sequence of two).
 * Letters are compared by what they type, so that other keyboard layouts keep working.
 */

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

export const isMac = (): boolean => typeof navigator !== 'undefined' && /Mac|iP(hone|ad)/.test(navigator.platform);

/** One key press in the form of the bindings: modifiers in the order Mod, Alt, Shift, then the key. */
export function pressName(press: KeyPress, mac = isMac()): string {
  const letter = press.key.length === 1 && press.key.toLowerCase() !== press.key.toUpperCase();
  const key = press.key === ' ' ? 'Space' : letter ? press.key.toUpperCase() : press.key;
  const mod = mac ? press.metaKey : press.ctrlKey;
  // The other platform's key never counts as no key at all: Ctrl+K on a Mac is not "k".
  const other = mac ? press.ctrlKey : press.metaKey;
  // A sign such as "?" already holds its Shift; a letter or a named key does not.
  const shift = press.shiftKey && (letter || press.key.length > 1);
  const name = [mod ? 'Mod' : '', other ? 'Other' : '', press.altKey ? 'Alt' : '', shift ? 'Shift' : '', key]
    .filter(Boolean)
    .join('+');
  return letter && !mod && !other && !press.altKey && !shift ? name.toLowerCase() : name;
}

/** True for a binding made of single typed letters or signs alone: these can be switched off (WCAG 2.1.4). */
export function isSingleLetter(binding: string): boolean {
  return binding.split(' ').every((part) => {
    const key = part.replace(/^Shift\+/, '');
    return key.length === 1;
  });
}

const CAPS: Record<string, string> = {
  Enter: '⏎',
  Escape: 'Esc',
  Delete: 'Del',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** A binding as the caps that are drawn: ["⌘K"] or ["Ctrl", "K"], ["G", "S"], ["⇧J"]. */
export function keyCaps(binding: string, mac = isMac()): string[] {
  return binding.split(' ').flatMap((part) => {
    const keys = part.split('+').map((key) => CAPS[key] ?? (key.length === 1 ? key.toUpperCase() : key));
    const last = keys.pop() ?? '';
    const shifted = keys.includes('Shift') ? `⇧${last}` : last;
    if (mac) return [`${keys.includes('Mod') ? '⌘' : ''}${keys.includes('Alt') ? '⌥' : ''}${shifted}`];
    return [...keys.flatMap((key) => (key === 'Mod' ? ['Ctrl'] : key === 'Alt' ? ['Alt'] : [])), shifted];
  });
}
