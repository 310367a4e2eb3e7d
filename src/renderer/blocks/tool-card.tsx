import type { ToolCard as Call } from '../../shared/transcript.ts';
import { formatDuration } from '../i18n/format.ts';
import { t } from '../i18n/t.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { textOf } from './content.tsx';
import { ToolBody } from './tool-body.tsx';
import { failed, groupHeader, type ToolLine } from './tool-groups.ts';

const ICONS: Record<Call['tool'], IconName> = {
  shell: 'terminal',
  read: 'read',
  write: 'write',
  edit: 'edit',
  search: 'grep',
  web: 'web',
  todo: 'todo',
  plan: 'todo',
  agent: 'subagent',
  mcp: 'plug',
  code: 'terminal',
  other: 'plug',
};

interface ToolRowProps {
  line: ToolLine;
  open: boolean;
  onToggle(): void;
  onOpenSession(id: string): void;
}

/** One line of a tool group: what kind, the input that matters, how it ended. Opens its body beneath. */
export function ToolRow({ line, open, onToggle, onOpenSession }: ToolRowProps) {
  if (line.kind === 'group') {
    return (
      <>
        <ToolHead
          icon="read"
          name={t.tool.group(line.reads, line.searches)}
          header={groupHeader(line.calls)}
          open={open}
          onToggle={onToggle}
        />
        {open ? line.calls.map((call) => <GroupMember key={call.seq} call={call} />) : null}
      </>
    );
  }
  const { call } = line;
  return (
    <>
      <ToolHead
        icon={ICONS[call.tool]}
        name={nameOf(call)}
        header={call.header}
        open={open}
        onToggle={onToggle}
        bad={failed(call)}
        result={<Outcome call={call} />}
      />
      {open ? (
        <div className="tool-b">
          <ToolBody call={call} onOpenSession={onOpenSession} />
        </div>
      ) : null}
    </>
  );
}

/** MCP and unknown tools are called by their own name, the known kinds by a word. */
const nameOf = (call: Call): string =>
  call.tool === 'mcp' || call.tool === 'other' ? call.name : t.tool.kinds[call.tool];

interface ToolHeadProps {
  icon: IconName;
  name: string;
  header: string;
  open: boolean;
  onToggle(): void;
  bad?: boolean;
  result?: React.ReactNode;
}

function ToolHead({ icon, name, header, open, onToggle, bad = false, result }: ToolHeadProps) {
  return (
    <button type="button" className={`tool ${bad ? 'fail' : ''}`} aria-expanded={open} onClick={onToggle}>
      <Icon name={open ? 'chev-d' : 'chev-r'} size={12} />
      <Icon name={icon} size={14} />
      <span className="nm">{name}</span>
      <span className="arg cut" title={header}>
        {header}
      </span>
      <span className="res">{result}</span>
    </button>
  );
}

/** A read or search inside an opened group: its header, and its output on demand. */
function GroupMember({ call }: { call: Call }) {
  return (
    <div className="tool-b">
      <div className="row h-6 px-3 text-12">
        <Icon name={ICONS[call.tool]} size={14} tone="quiet" />
        <span className="mono cut fill">{call.header}</span>
        <span className="cnt">{t.tool.hits(lineCount(call))}</span>
      </div>
    </div>
  );
}

const lineCount = (call: Call): number => {
  const text = textOf(call.result?.content ?? []);
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
};

/** How a call ended: exit code or word, changed lines, duration. Said in words, coloured only in repetition. */
function Outcome({ call }: { call: Call }) {
  const { result } = call;
  if (result === null) {
    return (
      <span className="row gap-1 text-ac-tx">
        <Icon name="s-work" size={12} />
        {t.tool.running}
      </span>
    );
  }
  return (
    <>
      {call.added === undefined && call.removed === undefined ? null : (
        <Changed added={call.added ?? 0} removed={call.removed ?? 0} />
      )}
      <Ending call={call} />
      {result.duration_ms === undefined ? null : <span>{formatDuration(result.duration_ms)}</span>}
    </>
  );
}

export function Changed({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="pm">
      {added > 0 ? <span className="p">{`+${added}`}</span> : null}{' '}
      {removed > 0 ? <span className="n">{`−${removed}`}</span> : null}
    </span>
  );
}

function Ending({ call }: { call: Call }) {
  const result = call.result;
  if (!result) return null;
  const word = endingWord(call);
  if (failed(call)) {
    return (
      <span className="bad">
        <Icon name="drop" size={12} />
        {word}
      </span>
    );
  }
  if (call.tool !== 'shell' && call.tool !== 'agent') return null;
  return (
    <span className="ok">
      <Icon name="check" size={12} />
      {word}
    </span>
  );
}

function endingWord({ result, tool }: Call): string {
  if (!result) return '';
  if (result.closed !== 'ran') return t.tool[result.closed];
  if (result.exit_code !== undefined) return t.tool.exit(result.exit_code);
  if (result.is_error) return t.tool.failed;
  return tool === 'shell' ? t.tool.exit(0) : t.tool.done;
}
