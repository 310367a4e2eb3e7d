import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { HandoffMode, HandoffPlan } from '../../../shared/handoff.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useInfo } from '../../app/queries.ts';
import { userHome } from '../../app/user-home.ts';
import { BudgetBar } from '../../blocks/budget-bar.tsx';
import { FidelityTable, ShareBar } from '../../blocks/fidelity-table.tsx';
import { formatPercent, tildePath } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Path } from '../../ui/path.tsx';
import { FolderPart } from './folder-part.tsx';
import { modeWhat } from './plan-words.ts';

interface PlanBodyProps {
  plan: HandoffPlan;
  session: SessionRow;
  note: string;
  onNote(note: string): void;
  onFolder(folder: string): void;
  onChoose(choice: { mode: HandoffMode; turns?: number }): void;
  onShowEvent(seq: number): void;
}

/** What will be lost on the left; on the right whether it can run, how much it takes, and exactly what will be done. */
export function PlanBody({ plan, session, note, onNote, onFolder, onChoose, onShowEvent }: PlanBodyProps) {
  const { fidelity } = plan;
  const lossless = fidelity.rows.every((row) => row.outcome === 'kept' || row.outcome === 'converted');
  return (
    <div className="sheet-b">
      <div className="l">
        <Modes plan={plan} onChoose={onChoose} />
        <div className="mb-2 flex items-baseline">
          <h3 className="text-15">{lossless ? t.handoff.nothingLost : t.handoff.lost}</h3>
          <span className="fill" />
          <span>
            <span className="text-tx-3">{t.handoff.arrives}</span>{' '}
            <strong>{formatPercent(fidelity.events.arriving, fidelity.events.total)}</strong> {t.handoff.ofEvents},{' '}
            <strong>{formatPercent(fidelity.tokens.arriving, fidelity.tokens.total)}</strong> {t.handoff.ofTokens}
          </span>
        </div>
        <ShareBar report={fidelity} />
        <div className="h-2" />
        <FidelityTable report={fidelity} session={session.id} onShowEvent={onShowEvent} />
        <p className="mt-2 text-11 text-tx-3">
          {t.handoff.sum(fidelity.rows.reduce((sum, row) => sum + row.count, 0))}
        </p>
      </div>
      <div className="r">
        <Ready plan={plan} />
        <FolderPart folder={plan.command.cwd} onFolder={onFolder} />
        <ContextPart plan={plan} />
        <section className="sec">
          <h3 className="sec-h">{t.handoff.redaction}</h3>
          <div className="frow">
            <Icon name="redact" size={14} tone="ok" />
            <span>
              <strong>{t.handoff.zeroOpen}</strong>, {t.handoff.redacted(plan.redaction.removed)}
            </span>
          </div>
        </section>
        <WillRun plan={plan} />
        <section className="sec">
          <label className="sec-h" htmlFor="handoff-note">
            {t.handoff.note}
          </label>
          <textarea
            id="handoff-note"
            className="field in block !h-auto w-full resize-none py-1.5 text-tx-1"
            rows={2}
            maxLength={8000}
            placeholder={t.handoff.notePlaceholder}
            value={note}
            onChange={(event) => onNote(event.target.value)}
          />
        </section>
      </div>
    </div>
  );
}

const MODE_ICONS: Record<HandoffMode, IconName> = {
  native: 'native',
  'native-tail': 'bridge',
  context: 'brief',
  delta: 'refresh',
};

function Modes({ plan, onChoose }: { plan: HandoffPlan; onChoose: PlanBodyProps['onChoose'] }) {
  return (
    <RadioGroup
      className="paths"
      aria-label={t.handoff.mode}
      value={plan.mode}
      onValueChange={(mode) => {
        const chosen = plan.modes.find((candidate) => candidate.mode === mode);
        if (chosen)
          onChoose(chosen.turns === undefined ? { mode: chosen.mode } : { mode: chosen.mode, turns: chosen.turns });
      }}
    >
      {plan.modes.map((mode) => (
        <Radio.Root
          key={mode.mode}
          className="path"
          value={mode.mode}
          disabled={!mode.possible}
          render={<button type="button" />}
          nativeButton
        >
          <b>
            <Icon name={MODE_ICONS[mode.mode]} size={14} />
            {t.handoff.modes[mode.mode]}
          </b>
          <span>{modeWhat(plan, mode)}</span>
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}

const CHECK_LOOKS = {
  ok: { icon: 'check', tone: 'ok' },
  note: { icon: 'info', tone: 'quiet' },
  warn: { icon: 'warn', tone: 'warn' },
  stop: { icon: 'error', tone: 'bad' },
} as const;
const SEVERITY = ['stop', 'warn', 'note', 'ok'];

function Ready({ plan }: { plan: HandoffPlan }) {
  const open = plan.checks.filter((check) => check.level === 'warn' || check.level === 'stop').length;
  const worstFirst = [...plan.checks].sort((a, b) => SEVERITY.indexOf(a.level) - SEVERITY.indexOf(b.level));
  return (
    <section className="sec">
      <h3 className="sec-h">
        {t.handoff.ready}
        {open > 0 ? <span className="cnt">{t.handoff.open(open)}</span> : null}
      </h3>
      <ul className="checks">
        {worstFirst.map((check) => (
          <li key={check.id} className={check.level === 'ok' ? 'is-ok' : ''}>
            <Icon {...{ name: CHECK_LOOKS[check.level].icon, tone: CHECK_LOOKS[check.level].tone }} />
            <div className="wrap-anywhere min-w-0">
              {check.text}
              {check.detail ? <small>{check.detail}</small> : null}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ContextPart({ plan: { budget } }: { plan: HandoffPlan }) {
  return (
    <section className="sec">
      <h3 className="sec-h">
        {t.handoff.context}
        <span className="cnt">{t.handoff.contextOf(budget.used + budget.reserve, budget.window)}</span>
      </h3>
      <BudgetBar budget={budget} />
      <p className="mt-1 text-11 text-tx-3">{t.handoff.contextMargin(budget.margin, budget.tokenizer)}</p>
    </section>
  );
}

function WillRun({ plan }: { plan: HandoffPlan }) {
  const home = userHome(useInfo());
  return (
    <section className="sec">
      <h3 className="sec-h">{t.handoff.willRun}</h3>
      <div className="cmd">{plan.command.text}</div>
      <p className="mt-1.5 text-11 text-tx-3">{t.handoff.idLater}</p>
      <p className="mt-1.5 text-11 text-tx-3">{t.handoff.writes(plan.files.length)}</p>
      {plan.files.map((file) => (
        <p key={file} className="text-tx-2">
          <Path path={tildePath(file, home)} className="!text-11" />
        </p>
      ))}
    </section>
  );
}
