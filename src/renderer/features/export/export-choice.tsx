import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type RefObject, useId } from 'react';
import { EXPORT_FORMATS } from '../../../shared/choices.ts';
import type { ExportFormat } from '../../../shared/outputs.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Tick } from '../../ui/tick.tsx';
import type { Choice } from './choice.ts';

interface ExportChoiceProps {
  session: SessionRow;
  choice: Choice;
  /** why the last attempt did not start */
  refused: string | null;
  /** the button that writes: it has the focus first */
  first: RefObject<HTMLButtonElement | null>;
  onChoice(choice: Choice): void;
  onStart(): void;
}

/** Which file, and what of the session is in it. */
export function ExportChoice({ session, choice, refused, first, onChoice, onStart }: ExportChoiceProps) {
  return (
    <>
      <RadioGroup
        className="px-5 pt-3"
        aria-label={t.exporting.format}
        value={choice.format}
        onValueChange={(format) => onChoice({ ...choice, format: format as ExportFormat })}
      >
        {SHOWN.map((format) => (
          <Format key={format} format={format} />
        ))}
      </RadioGroup>
      <div className="flex flex-col gap-2 px-5 py-3">
        <Part name={t.exporting.all} on={choice.all} onChange={(all) => onChoice({ ...choice, all })} />
        {session.kin.subagent ? (
          <Part
            name={t.exporting.subagents}
            on={choice.subagents}
            onChange={(subagents) => onChoice({ ...choice, subagents })}
          />
        ) : null}
      </div>
      <div className="flex items-center gap-3 border-line-1 border-t px-5 py-3">
        <Icon name={refused ? 'error' : 'redact'} size={14} tone={refused ? 'bad' : 'ok'} />
        <p className="min-w-0 flex-1 text-12 text-tx-2" role={refused ? 'alert' : undefined}>
          {refused ?? t.exporting.redaction(choice.format)}
        </p>
        <Button ref={first} kind="primary" icon="export" binding="Mod+Enter" onClick={onStart}>
          {t.exporting.formats[choice.format].write}
        </Button>
      </div>
    </>
  );
}

/** A page first: it is what most people want to send. */
const SHOWN: readonly ExportFormat[] = [...EXPORT_FORMATS].sort((a, b) => Number(b === 'html') - Number(a === 'html'));

function Format({ format }: { format: ExportFormat }) {
  const id = useId();
  const { name, why } = t.exporting.formats[format];
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the radio is the control; base-ui draws it as a button
    <label className="flex gap-3 border-line-1 border-b py-2.5">
      <Radio.Root className="radio mt-1" value={format} aria-labelledby={`${id}-name`} aria-describedby={`${id}-why`} />
      <span>
        <span id={`${id}-name`} className="block font-label">
          {name}
        </span>
        <span id={`${id}-why`} className="block text-12 text-tx-3">
          {why}
        </span>
      </span>
    </label>
  );
}

function Part({ name, on, onChange }: { name: string; on: boolean; onChange(on: boolean): void }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the tick box is the control; base-ui draws it as a button
    <label className="flex items-center gap-3">
      <Tick label={name} on={on} onChange={onChange} />
      <span>{name}</span>
    </label>
  );
}
