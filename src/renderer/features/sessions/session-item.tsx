import { useRef } from 'react';
import type { SessionRow as Row } from '../../../shared/session.ts';
import { SessionRow } from './session-row.tsx';
import { useDragRow } from './use-drag-row.ts';

interface SessionItemProps {
  row: Row;
  index: number;
  total: number;
  selected: boolean;
  focusable: boolean;
  expanded: boolean;
  onToggle(): void;
}

/** A session row that can be picked up. */
export function SessionItem(props: SessionItemProps) {
  const element = useRef<HTMLDivElement>(null);
  useDragRow(element, props.row);
  return <SessionRow ref={element} {...props} />;
}
