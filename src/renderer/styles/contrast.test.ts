import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Every pair of colours that text or marks stand on, against WCAG: 4.5 for text, 7 for titles, 3 for marks and edges. */
const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const [base = ''] = css.split(':root[data-theme=');
const more = /:root\[data-contrast=["']more["']\]\s*\{([\s\S]*?)\n\}/.exec(css)?.[1] ?? '';

type Theme = Record<string, [light: string, dark: string]>;
const parse = (text: string): Theme =>
  Object.fromEntries(
    [...text.matchAll(/--([\w-]+):\s*light-dark\((#\w+),\s*(#\w+)\)/g)].map(([, name, light, dark]) => [
      name,
      [light, dark],
    ]),
  );
const themes: Record<string, Theme> = { base: parse(base), more: { ...parse(base), ...parse(more) } };

function luminance(hex: string): number {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((digit) => digit + digit).join('')}` : hex;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ['bg-frame', 'bg-side', 'bg-content', 'bg-float', 'bg-inset'];
const pairs: [text: string, backgrounds: string[], bar: number][] = [
  [
    'tx-1',
    [...surfaces, 'ac-bg', 'sel-idle', 'add-bg', 'del-bg', 'add-word', 'del-word', 'ok-bg', 'warn-bg', 'bad-bg'],
    7,
  ],
  ['tx-2', [...surfaces, 'ac-bg', 'sel-idle', 'ok-bg', 'warn-bg', 'bad-bg'], 4.5],
  ['tx-3', [...surfaces, 'ac-bg', 'sel-idle', 'add-bg', 'del-bg', 'bad-bg'], 4.5],
  ['ac-tx', [...surfaces, 'ac-bg', 'sel-idle'], 4.5],
  ['ac-on', ['ac', 'ac-hover'], 4.5],
  ['focus', surfaces, 3],
  ['line-3', surfaces, 3],
  ['add-tx', ['add-bg'], 4.5],
  ['del-tx', ['del-bg'], 4.5],
  ...['ok', 'warn', 'bad'].flatMap((kind): [string, string[], number][] => [
    [`${kind}-tx`, [`${kind}-bg`, ...surfaces, 'ac-bg'], 4.5],
    [kind, ['bg-content', 'bg-side', 'bg-float'], 3],
  ]),
  ...['key', 'str', 'num', 'com'].map((ink): [string, string[], number] => [
    `code-${ink}`,
    ['bg-content', 'bg-inset', 'add-bg', 'del-bg'],
    4.5,
  ]),
  ...['claude', 'codex'].flatMap((agent): [string, string[], number][] => [
    ['ag-on', [`ag-${agent}`], 4.5],
    [`ag-${agent}`, ['bg-content', 'bg-side', 'bg-float', 'ac-bg'], 3],
  ]),
  ['p0', ['bg-content', 'bg-float'], 3],
  ['p0-on', ['p0'], 4.5],
  ['p1-on', ['p1'], 4.5],
  ['p2-on', ['p2'], 4.5],
];

describe('colours', () => {
  for (const [name, theme] of Object.entries(themes)) {
    for (const mode of [0, 1] as const) {
      it(`can be read: ${name}, ${mode === 0 ? 'light' : 'dark'}`, () => {
        const low = pairs.flatMap(([text, backgrounds, bar]) =>
          backgrounds.flatMap((background) => {
            const [front, back] = [theme[text]?.[mode], theme[background]?.[mode]];
            if (front === undefined || back === undefined) return [`${text} on ${background}: no such token`];
            const asked = name === 'more' && /^tx-[123]$/.test(text) ? 7 : bar;
            const ratio = contrast(front, back);
            return ratio < asked ? [`${text} on ${background}: ${ratio.toFixed(2)} < ${asked}`] : [];
          }),
        );
        expect(low).toEqual([]);
      });
    }
  }
});
