import { Toast } from '@base-ui/react/toast';
import { t } from '../i18n/t.ts';
import { Button, IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

const manager = Toast.createToastManager();

interface ToastOptions {
  icon?: IconName;
  action?: { label: string; binding?: string; run(): void };
}

/** One sentence at the bottom for 10 s; longer while hovered or focused. */
export function say(text: string, { icon = 'ok', action }: ToastOptions = {}): void {
  manager.add({ title: text, timeout: 10_000, data: { icon, action } });
}

/** An error stays until it is closed. */
export function sayError(text: string): void {
  manager.add({ title: text, timeout: 0, priority: 'high', data: { icon: 'error' } });
}

export function ToastHost() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed bottom-10 start-4 z-[var(--z-toast)] flex flex-col items-start gap-2">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts, close } = Toast.useToastManager<ToastOptions>();
  return toasts.map((toast) => {
    const { icon = 'ok', action } = toast.data ?? {};
    return (
      <Toast.Root key={toast.id} toast={toast} className="toast" swipeDirection={[]}>
        <Icon name={icon} tone={icon === 'error' ? 'bad' : 'ac'} />
        <Toast.Content>
          <Toast.Title />
        </Toast.Content>
        {action ? (
          <Button
            kind="quiet"
            size="small"
            {...(action.binding ? { binding: action.binding } : {})}
            onClick={() => {
              close(toast.id);
              action.run();
            }}
          >
            {action.label}
          </Button>
        ) : null}
        <IconButton icon="close" small label={t.app.close} onClick={() => close(toast.id)} />
      </Toast.Root>
    );
  });
}
