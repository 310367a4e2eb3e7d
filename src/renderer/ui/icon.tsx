import { GLYPHS, type Glyph, type IconName } from './glyphs.ts';

export type { IconName } from './glyphs.ts';

type Tone = 'ok' | 'warn' | 'bad' | 'ac' | 'quiet';
const TONES: Record<Tone, string> = {
  ok: 'text-ok-tx',
  warn: 'text-warn-tx',
  bad: 'text-bad-tx',
  ac: 'text-ac-tx',
  quiet: 'text-tx-3',
};

interface IconProps {
  name: IconName;
  size?: 10 | 12 | 14 | 16 | 18 | 20 | 32;
  tone?: Tone | undefined;
  className?: string;
  /** Only where no word stands beside it; an icon with a word is decoration. */
  label?: string;
}

/** One icon of the set, in the colour of its text. */
export function Icon({ name, size = 16, tone, className = '', label }: IconProps) {
  const glyph: Glyph = GLYPHS[name];
  const classes = ['i', size === 16 ? '' : `i${size}`, tone ? TONES[tone] : '', className].filter(Boolean).join(' ');
  const parts = (
    <>
      {glyph.line ? <path d={glyph.line} strokeDasharray={glyph.dash} /> : null}
      {glyph.fill ? <path d={glyph.fill} className="f" /> : null}
    </>
  );
  return label ? (
    <svg className={classes} viewBox="0 0 16 16" role="img" aria-label={label}>
      {parts}
    </svg>
  ) : (
    <svg className={classes} viewBox="0 0 16 16" aria-hidden="true">
      {parts}
    </svg>
  );
}
