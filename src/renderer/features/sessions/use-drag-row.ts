import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { disableNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/disable-native-drag-preview';
import { type RefObject, useEffect } from 'react';
import type { SessionRow } from '../../../shared/session.ts';
import { pickUp, putDown } from '../../app/view-state.ts';

/** Lets a row be dragged to the agent dock. The picture under the pointer is drawn by the dock, which knows the target. */
export function useDragRow(element: RefObject<HTMLElement | null>, session: SessionRow | undefined): void {
  useEffect(() => {
    if (!element.current || !session) return;
    return draggable({
      element: element.current,
      getInitialData: () => ({ kind: 'session', id: session.id }),
      onGenerateDragPreview: ({ nativeSetDragImage }) => disableNativeDragPreview({ nativeSetDragImage }),
      onDragStart: () => pickUp(session, 'mouse'),
      onDrop: () => putDown(),
    });
  }, [element, session]);
}
