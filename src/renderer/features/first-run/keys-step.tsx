import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useId, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';

export interface KeyChoice {
  passphrase?: string;
  keyfile?: boolean;
}
type Kind = 'keychain' | 'passphrase' | 'keyfile';
const SHORTEST = 8;

interface KeysStepProps {
  /** why the keychain cannot be used */
  why: string;
  busy: boolean;
  onChoose(choice: KeyChoice): void;
  onBack(): void;
}

/** How the store is locked. Where no keychain answers, the weaker ways are named as such and chosen openly. */
export function KeysStep({ why, busy, onChoose, onBack }: KeysStepProps) {
  const [kind, setKind] = useState<Kind>('passphrase');
  const [passphrase, setPassphrase] = useState('');
  const short = kind === 'passphrase' && passphrase.length < SHORTEST;
  const choose = () => onChoose(kind === 'passphrase' ? { passphrase } : kind === 'keyfile' ? { keyfile: true } : {});
  return (
    <>
      <main className="pane" data-pane="main" tabIndex={-1}>
        <form
          className="scroll max-w-[720px] px-14 pt-16 max-insp:px-8"
          onSubmit={(event) => {
            event.preventDefault();
            if (!short && !busy) choose();
          }}
        >
          <h1 className="text-20">{t.first.keysTitle}</h1>
          <p className="mt-1 mb-6 text-tx-2">{t.first.keysIntro}</p>
          <RadioGroup aria-label={t.first.keysTitle} value={kind} onValueChange={(next) => setKind(next as Kind)}>
            <Way kind="keychain" name={t.first.keychain} why={t.first.keychainAway} title={why} disabled />
            <Way kind="passphrase" name={t.first.passphrase} why={t.first.passphraseWhy} />
            <Way kind="keyfile" name={t.first.keyfile} why={t.first.keyfileWhy} />
          </RadioGroup>
          {kind === 'passphrase' ? <Passphrase value={passphrase} short={short} onChange={setPassphrase} /> : null}
        </form>
      </main>
      <footer className="row border-line-1 border-t px-14 max-insp:px-8">
        <Button kind="quiet" size="large" className="-ms-3.5" onClick={onBack}>
          {t.first.back}
        </Button>
        <span className="fill" />
        <Button kind="primary" size="large" disabled={busy || short} onClick={choose}>
          {t.first.go}
        </Button>
      </footer>
    </>
  );
}

function Passphrase({ value, short, onChange }: { value: string; short: boolean; onChange(value: string): void }) {
  const field = useId();
  return (
    <div className="mt-5 max-w-80">
      <label className="mb-1 block text-12 font-label" htmlFor={field}>
        {t.first.passphraseField}
      </label>
      <div className="field">
        <input
          id={field}
          type="password"
          autoComplete="new-password"
          value={value}
          aria-describedby={`${field}-why`}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <p id={`${field}-why`} className="mt-1 text-11 text-tx-3">
        {short ? t.first.passphraseShort : ''}
      </p>
    </div>
  );
}

interface WayProps {
  kind: Kind;
  name: string;
  why: string;
  title?: string;
  disabled?: boolean;
}

function Way({ kind, name, why, title, disabled = false }: WayProps) {
  const id = useId();
  return (
    <div className={`flex gap-3 border-line-1 border-b px-2 py-3 ${disabled ? 'text-tx-3' : ''}`}>
      <Radio.Root
        className="radio mt-1"
        value={kind}
        disabled={disabled}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-why`}
      />
      <div>
        <div id={`${id}-name`} className="font-label">
          {name}
        </div>
        <div id={`${id}-why`} className="text-12 text-tx-3" title={title}>
          {why}
        </div>
      </div>
    </div>
  );
}
