import { readStored, writeStored } from './stored.ts';

export type Theme = 'system' | 'light' | 'dark';
const THEMES = ['system', 'light', 'dark'] as const;
const CONTRASTS = ['system', 'more', 'normal'] as const;

/** Sets the theme on <html> before the first paint, and follows the system's wish for contrast. */
export function startTheme(): void {
  applyTheme(readStored('theme', THEMES, 'system'));
  const wish = window.matchMedia('(prefers-contrast: more)');
  const apply = () => applyContrast(readStored('contrast', CONTRASTS, 'system'), wish.matches);
  wish.addEventListener('change', apply);
  apply();
}

export function setTheme(theme: Theme): void {
  writeStored('theme', theme);
  applyTheme(theme);
}

export function toggleContrast(): void {
  const next = document.documentElement.dataset.contrast === 'more' ? 'normal' : 'more';
  writeStored('contrast', next);
  applyContrast(next, false);
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function applyContrast(choice: (typeof CONTRASTS)[number], wished: boolean): void {
  if (choice === 'more' || (choice === 'system' && wished)) document.documentElement.dataset.contrast = 'more';
  else delete document.documentElement.dataset.contrast;
}
