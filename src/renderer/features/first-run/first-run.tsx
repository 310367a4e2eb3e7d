import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import { useClient } from '../../app/client-context.ts';
import { useInfo, useSources } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { Icon } from '../../ui/icon.tsx';
import { sayError } from '../../ui/toast.tsx';
import { type KeyChoice, KeysStep } from './keys-step.tsx';
import { RecoveryStep } from './recovery-step.tsx';
import { SourcesStep } from './sources-step.tsx';

type Step = { name: 'sources' } | { name: 'keys'; why: string } | { name: 'recovery'; key: string };

/** First run: which sources, how the store is locked, then the list. Also the place to change the sources later. */
export function FirstRun() {
  const run = useFirstRun();
  const { step, busy, sources, keys } = run;
  return (
    <div className="first">
      <Steps step={step.name} found={sources.reduce((sum, source) => sum + source.sessions, 0)} keys={keys?.text} />
      {step.name === 'sources' ? (
        <SourcesStep
          sources={sources}
          isOn={run.isOn}
          onTick={run.tick}
          busy={busy}
          onRead={run.read}
          onSkip={run.skip}
          onSample={run.sample}
        />
      ) : null}
      {step.name === 'keys' ? <KeysStep why={step.why} busy={busy} onChoose={run.init} onBack={run.back} /> : null}
      {step.name === 'recovery' ? <RecoveryStep value={step.key} busy={busy} onKept={run.finish} /> : null}
    </div>
  );
}

/** The steps and what each press does. Nothing is read before the last one. */
function useFirstRun() {
  const client = useClient();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const info = useInfo();
  const sources = useSources().data ?? [];
  const [ticks, setTicks] = useState<Readonly<Record<string, boolean>>>({});
  const [step, setStep] = useState<Step>({ name: 'sources' });
  const [busy, guarded] = useGuarded();
  const isOn = (agent: string) => ticks[agent] ?? defaultTick(sources.find((source) => source.agent === agent));

  const toList = async () => {
    await queryClient.invalidateQueries();
    await navigate({ to: '/sessions' });
  };
  const finish = async (wanted: (agent: string) => boolean) => {
    for (const source of sources) {
      const enabled = wanted(source.agent);
      if (enabled !== source.enabled) await client.call('sources.set', { agent: source.agent, enabled });
    }
    if (sources.some((source) => wanted(source.agent))) await client.call('import.start', {});
    await toList();
  };
  const init = async (choice: KeyChoice, wanted = isOn) => {
    const { recovery_key } = await client.call('app.init', choice);
    if (recovery_key) setStep({ name: 'recovery', key: recovery_key });
    else await finish(wanted);
  };
  /** The keychain when it answers; else the other ways are shown, with the reason. */
  const initOrAsk = async (wanted = isOn) => {
    try {
      await init({}, wanted);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.code.startsWith('key_')) throw thrown;
      setStep({ name: 'keys', why: error.message });
    }
  };
  return {
    step,
    busy,
    sources,
    keys: info?.keys,
    isOn,
    tick: (agent: string, on: boolean) => setTicks((old) => ({ ...old, [agent]: on })),
    back: () => setStep({ name: 'sources' }),
    init: (choice: KeyChoice) => guarded(() => init(choice)),
    finish: () => guarded(() => finish(isOn)),
    read: () => {
      if (info?.initialised) guarded(() => finish(isOn));
      else guarded(() => initOrAsk());
    },
    skip: () => {
      if (info?.initialised) return void navigate({ to: '/sessions' });
      setTicks(Object.fromEntries(sources.map((source) => [source.agent, false])));
      guarded(() => initOrAsk(() => false));
    },
    sample: () =>
      guarded(async () => {
        await client.call('sample.start', {});
        await toList();
      }),
  };
}

/** One thing at a time: runs it, says its failure, and tells while it runs. */
function useGuarded(): [boolean, (work: () => Promise<void>) => void] {
  const [busy, setBusy] = useState(false);
  const guarded = (work: () => Promise<void>) => {
    setBusy(true);
    work()
      .catch((thrown) => sayError(toAppError(thrown).message))
      .finally(() => setBusy(false));
  };
  return [busy, guarded];
}

/** What is found and not empty is ticked to begin with; what was chosen before stays as it is. */
const defaultTick = (source: { enabled: boolean; exists: boolean; sessions: number } | undefined): boolean =>
  source !== undefined && (source.enabled || (source.exists && source.sessions > 0));

function Steps({ step, found, keys }: { step: Step['name']; found: number; keys: string | undefined }) {
  const steps = [
    { name: t.first.steps.sources, note: t.first.found(found), on: step === 'sources' },
    { name: t.first.steps.keys, note: keys ?? t.first.keyNote, on: step !== 'sources' },
    { name: t.first.steps.index, note: t.first.indexNote, on: false },
  ];
  return (
    <nav aria-label={t.first.label}>
      <div className="row gap-2.5 px-2 pb-6">
        <Icon name="graph" size={20} />
        <span className="text-15">{t.app.name}</span>
      </div>
      {steps.map((each, i) => (
        <div key={each.name} className={`fstep ${each.on ? 'is-on' : ''}`} aria-current={each.on ? 'step' : undefined}>
          <span className="n">{i + 1}</span>
          <span>{each.name}</span>
          <small>{each.note}</small>
        </div>
      ))}
      <span className="flex-1" />
      <p className="px-2 text-12/[18px] text-tx-3">{t.first.privacy}</p>
    </nav>
  );
}
