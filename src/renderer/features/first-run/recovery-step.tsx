import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';

/** The recovery key, shown once. */
export function RecoveryStep({ value, busy, onKept }: { value: string; busy: boolean; onKept(): void }) {
  return (
    <>
      <main className="pane" data-pane="main" tabIndex={-1}>
        <div className="scroll max-w-[720px] px-14 pt-16 max-insp:px-8">
          <h1 className="text-20">{t.first.recoveryTitle}</h1>
          <p className="mt-1 mb-6 text-tx-2">{t.first.recoveryIntro}</p>
          <p className="cmd !text-15 select-all">{value}</p>
          <div className="btns mt-4">
            <Button icon="copy" onClick={() => void copyText(value)}>
              {t.first.copyRecovery}
            </Button>
          </div>
        </div>
      </main>
      <footer className="row border-line-1 border-t px-14 max-insp:px-8">
        <span className="fill" />
        <Button kind="primary" size="large" disabled={busy} onClick={onKept}>
          {t.first.kept}
        </Button>
      </footer>
    </>
  );
}
