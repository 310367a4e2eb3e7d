import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Meaning = 'ok' | 'warn' | 'bad';

/** A chip that says something and does nothing: a count, a warning, where a thing comes from. */
export function Chip({ meaning, icon, children }: { meaning?: Meaning; icon?: IconName; children: ReactNode }) {
  return (
    <span className={`chip ${meaning ?? ''}`}>
      {icon ? <Icon name={icon} size={12} /> : null}
      <span>{children}</span>
    </span>
  );
}

interface ChipButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  on?: boolean;
  lead?: ReactNode;
  /** shows the ×: pressing it takes the filter away */
  removable?: boolean;
  children: ReactNode;
}

/** A chip to press: a filter, at rest or on. */
export function ChipButton({
  on = false,
  lead,
  removable = false,
  className = '',
  children,
  ...rest
}: ChipButtonProps) {
  return (
    <button type="button" className={`chip ${on ? 'is-on' : ''} ${className}`} {...rest}>
      {lead}
      <span>{children}</span>
      {removable ? <Icon name="close" size={10} /> : null}
    </button>
  );
}

interface CounterChipProps {
  label: string;
  /** place of the reader among them, from 1; 0 before the first */
  at: number;
  total: number;
  on: boolean;
  icon?: ReactNode;
  names: { previous: string; next: string };
  onToggle(): void;
  onJump(direction: -1 | 1): void;
}

/** "Prompts 14/18" with arrows: the word shows only these rows, the arrows jump between them. */
export function CounterChip({ label, at, total, on, icon, names, onToggle, onJump }: CounterChipProps) {
  return (
    <fieldset className={`chip m-0 min-w-0 ${on ? 'is-on' : ''}`} aria-label={label}>
      <button type="button" aria-pressed={on} disabled={total === 0} onClick={onToggle}>
        {icon}
        {label} <span className="cnt">{`${at}/${total}`}</span>
      </button>
      {total > 0 ? (
        <>
          <button type="button" className="arrow" aria-label={names.previous} onClick={() => onJump(-1)}>
            <Icon name="chev-u" size={10} />
          </button>
          <button type="button" className="arrow" aria-label={names.next} onClick={() => onJump(1)}>
            <Icon name="chev-d" size={10} />
          </button>
        </>
      ) : null}
    </fieldset>
  );
}
