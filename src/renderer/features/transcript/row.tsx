import { memo } from 'react';
import type { TranscriptRow } from '../../../shared/transcript.ts';
import { t } from '../../i18n/t.ts';
import type { Folds } from './folds.ts';
import {
  PromptRow,
  type RowActions,
  RuleRow,
  SystemRow,
  TextRow,
  ThinkingRow,
  ToolsRow,
  UnknownRow,
  WarningRow,
} from './rows.tsx';

interface RowProps {
  row: TranscriptRow;
  agent: string;
  folds: Folds;
  actions: RowActions;
}

/** One display row. */
export const Row = memo(function Row(props: RowProps) {
  const { row } = props;
  switch (row.kind) {
    case 'prompt':
      return <PromptRow {...props} row={row} />;
    case 'text':
      return <TextRow {...props} row={row} />;
    case 'thinking':
      return <ThinkingRow {...props} row={row} />;
    case 'tools':
      return <ToolsRow {...props} row={row} />;
    case 'rule':
      return <RuleRow {...props} row={row} />;
    case 'system':
      return <SystemRow {...props} row={row} />;
    case 'unknown':
      return <UnknownRow {...props} row={row} />;
    case 'warning':
      return <WarningRow {...props} row={row} />;
  }
});

/** What a screen reader calls a row. */
export function rowName(row: TranscriptRow): string {
  switch (row.kind) {
    case 'prompt':
      return `${t.reader.turn(row.turn)}, ${t.reader.you}`;
    case 'rule':
      return row.text || row.rule;
    case 'unknown':
      return `${t.reader.unknownRecord} ${row.record_type}`;
    default:
      return t.reader.event(row.seq);
  }
}
