import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';

interface OverlayProps {
  label: string;
  /** the class of the floating surface */
  className: string;
  open: boolean;
  /** what has the focus first; else the first control */
  focus?: RefObject<HTMLElement | null>;
  onClose(): void;
  children: ReactNode;
}

/** A floating dialog over a scrim: palette, keyboard sheet. Escape and a press beside it close it. */
export function Overlay({ label, className, open, focus, onClose, children }: OverlayProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim fixed" />
        <Dialog.Popup className={className} aria-label={label} {...(focus ? { initialFocus: focus } : {})}>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
