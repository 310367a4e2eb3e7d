import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Keys } from './kbd.tsx';
import { Tip } from './tooltip.tsx';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  kind?: 'primary' | 'default' | 'quiet' | 'danger';
  size?: 'small' | 'normal' | 'large';
  icon?: IconName;
  /** the key that does the same, shown as a cap */
  binding?: string;
  children: ReactNode;
}

const KINDS = { primary: 'pri', default: '', quiet: 'quiet', danger: 'danger' } as const;
const SIZES = { small: 'sm', normal: '', large: 'lg' } as const;

/** A button names its result: "Continue in Codex". One primary button in a view. */
export function Button({
  kind = 'default',
  size = 'normal',
  icon,
  binding,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" className={`btn ${KINDS[kind]} ${SIZES[size]} ${className}`} {...rest}>
      {icon ? <Icon name={icon} /> : null}
      <span className="cut">{children}</span>
      {binding ? <Keys binding={binding} /> : null}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'aria-label'> {
  icon: IconName;
  /** its name; also the tooltip */
  label: string;
  small?: boolean;
  pressed?: boolean;
  binding?: string;
}

/** A button without a word always has a name and a tooltip. */
export function IconButton({ icon, label, small = false, pressed, binding, className = '', ...rest }: IconButtonProps) {
  return (
    <Tip text={label} binding={binding}>
      <button
        type="button"
        className={`ib ${small ? 'sm' : ''} ${className}`}
        aria-label={label}
        aria-pressed={pressed}
        {...rest}
      >
        <Icon name={icon} size={small ? 14 : 16} />
      </button>
    </Tip>
  );
}
