import type { Ref } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Keys } from './kbd.tsx';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
  clearLabel: string;
  binding?: string;
  onKeyDown?: React.KeyboardEventHandler<HTMLInputElement>;
  inputRef?: Ref<HTMLInputElement>;
  className?: string;
}

/** A search box: icon, text, and either its key or the × that clears it. */
export function SearchField({
  label,
  placeholder = label,
  value,
  onChange,
  clearLabel,
  binding,
  onKeyDown,
  inputRef,
  className = '',
}: SearchFieldProps) {
  return (
    <search className={`field soft ${className}`}>
      <Icon name="search" size={14} />
      <input
        ref={inputRef}
        type="text"
        className={value.includes(':') ? 'mono' : ''}
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {value ? (
        <IconButton icon="close" small label={clearLabel} onClick={() => onChange('')} />
      ) : binding ? (
        <Keys binding={binding} />
      ) : null}
    </search>
  );
}
