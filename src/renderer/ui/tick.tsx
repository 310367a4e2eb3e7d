import { Checkbox } from '@base-ui/react/checkbox';
import { Icon } from './icon.tsx';

/** A tick box. Its name is given by `label`, since in tables no label element stands beside it. */
export function Tick({
  label,
  on,
  disabled = false,
  onChange,
}: {
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange(on: boolean): void;
}) {
  return (
    <Checkbox.Root
      className="tick"
      aria-label={label}
      checked={on}
      disabled={disabled}
      onCheckedChange={(next) => onChange(next)}
    >
      <Checkbox.Indicator>
        <Icon name="check" size={10} />
      </Checkbox.Indicator>
    </Checkbox.Root>
  );
}
