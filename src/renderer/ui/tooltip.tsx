import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Keys } from './kbd.tsx';

/** A hint after 600 ms for sighted users; the element itself must already have the name. */
export function Tip({
  text,
  binding,
  side = 'top',
  children,
}: {
  text: string;
  binding?: string | undefined;
  side?: 'top' | 'right';
  children: ReactElement;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="z-[var(--z-palette)]">
          <Tooltip.Popup className="tip">
            {text}
            {binding ? (
              <span>
                <Keys binding={binding} />
              </span>
            ) : null}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
