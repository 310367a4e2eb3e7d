import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toAppError } from '../../shared/errors.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { useClient } from './client-context.ts';

/** The store is there but its key is not: never shown as an empty store. */
export function Locked({ message }: { message: string }) {
  const client = useClient();
  const queryClient = useQueryClient();
  const [passphrase, setPassphrase] = useState('');
  const unlock = useMutation({
    mutationFn: () => client.call('app.init', passphrase === '' ? {} : { passphrase }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <main className="pane main h-full">
      <h1 className="sr-only">{t.app.name}</h1>
      <Empty
        icon="lock"
        title={t.locked.title}
        why={`${unlock.error ? toAppError(unlock.error).message : message} ${t.locked.why}`}
        detail={
          <form
            onSubmit={(event) => {
              event.preventDefault();
              unlock.mutate();
            }}
          >
            <div className="field">
              <input
                type="password"
                aria-label={t.first.passphraseField}
                placeholder={t.first.passphraseField}
                autoComplete="current-password"
                value={passphrase}
                onChange={(event) => setPassphrase(event.target.value)}
              />
            </div>
          </form>
        }
      >
        <Button kind="primary" disabled={unlock.isPending} onClick={() => unlock.mutate()}>
          {t.locked.unlock}
        </Button>
      </Empty>
    </main>
  );
}
