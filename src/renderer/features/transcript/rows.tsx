import type { TranscriptRow } from '../../../shared/transcript.ts';
import { Content, textOf } from '../../blocks/content.tsx';
import { Prose } from '../../blocks/markdown.tsx';
import { Output } from '../../blocks/output.tsx';
import { Stub } from '../../blocks/stub.tsx';
import { ToolRow } from '../../blocks/tool-card.tsx';
import { toolLines } from '../../blocks/tool-groups.ts';
import { formatClock, formatTokens } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { agentLabel } from '../../ui/agent-mark.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { callKey, type Folds, isCallOpen, isPartOpen, partKey } from './folds.ts';
import { RowFrame, RuleLine } from './row-frame.tsx';

type RowOf<K extends TranscriptRow['kind']> = Extract<TranscriptRow, { kind: K }>;

/** What a row can tell its view. The same object for the life of the view, so that rows are not drawn again for it. */
export interface RowActions {
  onShow(seq: number): void;
  onFold(keys: readonly string[]): void;
  onOpenSession(id: string): void;
}
interface RowProps<K extends TranscriptRow['kind']> {
  row: RowOf<K>;
  folds: Folds;
  actions: RowActions;
}

export function PromptRow({ row, actions }: RowProps<'prompt'>) {
  return (
    <>
      <div className="turn">
        <span className="eno">{row.turn}</span>
        <h3>
          <b>{t.reader.you}</b>
          {row.ts === null ? null : <span>{formatClock(row.ts)}</span>}
          {t.reader.via[row.via] ? <span>{t.reader.via[row.via]}</span> : null}
        </h3>
      </div>
      <RowFrame row={row} onShow={actions.onShow}>
        <div className="prompt">
          <Content blocks={row.content} />
        </div>
      </RowFrame>
    </>
  );
}

export function TextRow({ row, actions }: RowProps<'text'>) {
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      {row.synthetic ? <p className="text-11 text-tx-3">{t.reader.synthetic}</p> : null}
      <Content blocks={row.content} />
    </RowFrame>
  );
}

function FoldLine({
  open,
  icon,
  words,
  note,
  onToggle,
}: {
  open: boolean;
  icon: IconName;
  words: string;
  note?: string;
  onToggle?(): void;
}) {
  const inside = (
    <>
      {onToggle ? <Icon name={open ? 'chev-d' : 'chev-r'} size={12} /> : <span className="w-3" />}
      <Icon name={icon} size={14} />
      <span>{words}</span>
      {note ? <span className="cnt cut">{note}</span> : null}
    </>
  );
  return onToggle ? (
    <button type="button" className="fold" aria-expanded={open} onClick={onToggle}>
      {inside}
    </button>
  ) : (
    <div className="fold">{inside}</div>
  );
}

export function ThinkingRow({ row, folds, actions }: RowProps<'thinking'>) {
  const open = isPartOpen(folds, row) && row.text !== null;
  const note = t.reader.thoughtForms[row.form] ?? row.form;
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      <FoldLine
        open={open}
        icon="thought"
        words={t.reader.thought}
        note={note}
        {...(row.text === null ? {} : { onToggle: () => actions.onFold([partKey(row)]) })}
      />
      {open && row.text !== null ? (
        <div className="text-tx-2">
          <Prose text={row.text} />
        </div>
      ) : null}
    </RowFrame>
  );
}

export function ToolsRow({ row, folds, actions }: RowProps<'tools'>) {
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      <div className="tools">
        {toolLines(row.calls).map((line) => {
          const key = callKey(line.kind === 'group' ? (line.calls[0]?.seq ?? row.seq) : line.call.seq);
          return (
            <ToolRow
              key={key}
              line={line}
              open={isCallOpen(folds, key, line.kind === 'call' ? line.call : null)}
              onToggle={() => actions.onFold([key])}
              onOpenSession={actions.onOpenSession}
            />
          );
        })}
      </div>
    </RowFrame>
  );
}

const RULE_ICONS: Record<RowOf<'rule'>['rule'], IconName> = {
  compaction: 'compact',
  fork: 'fork',
  handoff: 'handoff',
  merge: 'merge',
  end: 's-done',
};

export function RuleRow({ row, folds, actions, agent }: RowProps<'rule'> & { agent: string }) {
  const open = isPartOpen(folds, row);
  const { session, content } = row;
  const sizes = row.tokens_before !== undefined && row.tokens_after !== undefined;
  return (
    <>
      <RuleLine seq={row.seq} onShow={actions.onShow}>
        <Icon name={RULE_ICONS[row.rule]} size={14} tone={row.rule === 'compaction' ? 'ac' : undefined} />
        <span className="cut">
          {row.rule === 'compaction' ? row.text || t.reader.compacted(agentLabel(agent)) : row.text}
        </span>
        {sizes ? <span>{t.reader.compactedSizes(row.tokens_before ?? 0, row.tokens_after ?? 0)}</span> : null}
        {row.tokens_before !== undefined && !sizes ? <span>{formatTokens(row.tokens_before)}</span> : null}
        {content && content.length > 0 ? (
          <button type="button" className="link" aria-expanded={open} onClick={() => actions.onFold([partKey(row)])}>
            {open ? t.reader.hideSummary : t.reader.showSummary}
          </button>
        ) : null}
        {session ? (
          <button type="button" className="chip" onClick={() => actions.onOpenSession(session)}>
            {t.reader.openSession}
          </button>
        ) : null}
      </RuleLine>
      {open && content ? (
        <RowFrame row={row} onShow={actions.onShow}>
          <div className="prompt">
            <Content blocks={content} />
          </div>
        </RowFrame>
      ) : null}
    </>
  );
}

export function SystemRow({ row, folds, actions }: RowProps<'system'>) {
  const open = isPartOpen(folds, row);
  const text = textOf(row.content);
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      <FoldLine
        open={open}
        icon="info"
        words={t.reader.system[row.about] ?? row.about}
        note={open ? '' : text.replace(/\s+/g, ' ').slice(0, 90)}
        onToggle={() => actions.onFold([partKey(row)])}
      />
      {open ? (
        <div className="tools">
          <Output text={text} />
        </div>
      ) : null}
    </RowFrame>
  );
}

export function UnknownRow({ row, actions }: RowProps<'unknown'>) {
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      <Stub icon="info" action={{ label: t.reader.viewRaw, run: () => actions.onShow(row.seq) }}>
        {t.reader.unknownRecord} <span className="mono">{row.record_type}</span>, {t.reader.unknownKept(row.count)}
      </Stub>
    </RowFrame>
  );
}

export function WarningRow({ row, actions }: RowProps<'warning'>) {
  return (
    <RowFrame row={row} onShow={actions.onShow}>
      <Stub icon="warn" action={{ label: t.reader.viewRaw, run: () => actions.onShow(row.seq) }}>
        {row.detail}
        {row.line === undefined ? '' : `, ${t.reader.lineNumber(row.line)}`}
      </Stub>
    </RowFrame>
  );
}
