import type { SessionRow } from '../../shared/session.ts';
import { setTheme, toggleContrast } from '../app/theme.ts';
import {
  isInspectorShown,
  openDialog,
  openExport,
  openHandoff,
  pickUp,
  setDockPinned,
  setInspectorOpen,
  useView,
} from '../app/view-state.ts';
import { t } from '../i18n/t.ts';
import type { IconName } from '../ui/icon.tsx';
import { activePane, type PaneAction, type PaneId, paneAction, paneSession, stepPane } from './panes.ts';

export type CommandGroup = 'list' | 'reader' | 'session' | 'copy' | 'everywhere' | 'go';

/** What commands need from the app; given once by the shell. */
export interface CommandHost {
  electron: boolean;
  go(path: '/sessions' | '/graph' | '/receipts' | '/welcome'): Promise<void>;
  /** agents a session can be handed to, in the order of the dock */
  targets(): readonly { id: string; label: string; can: boolean; why?: string | undefined }[];
  copyResume(session: SessionRow): void;
  openTerminal(session: SessionRow): void;
  verify(session: SessionRow): void;
  readNow(): void;
  undo: { possible(): boolean; run(): void };
}

/** Declared once; keys, menus, the palette and the `?` sheet are all drawn from it. */
export interface Command {
  id: string;
  title: string;
  group: CommandGroup;
  icon?: IconName;
  keys?: readonly string[];
  /** the pane that must have the focus for its keys to work; absent = everywhere */
  pane?: PaneId;
  /** shown in the palette; row-by-row movement is not */
  palette?: boolean;
  /** true: can run. A text: cannot, and why. false: not here at all */
  when(): true | string | false;
  run(): void;
}

const always = () => true as const;

/** A command that the answering pane carries out. */
function inPane(
  action: PaneAction,
  title: string,
  group: CommandGroup,
  keys: readonly string[],
  more: Partial<Command> = {},
): Command {
  return {
    id: `pane.${action}`,
    title,
    group,
    keys,
    palette: false,
    when: () => paneAction(action) !== undefined,
    run: () => paneAction(action)?.(),
    ...more,
  };
}

/** A command about one session: the focused row's, or the open one. */
function onSession(
  id: string,
  title: string,
  keys: readonly string[],
  icon: IconName,
  run: (session: SessionRow) => void,
  reason?: () => string | undefined,
): Command {
  return {
    id,
    title,
    group: 'session',
    icon,
    keys,
    when: () => reason?.() ?? (paneSession() ? true : t.commands.reasons.noSession),
    run: () => {
      const session = paneSession();
      if (session) run(session);
    },
  };
}

const move: readonly Command[] = [
  inPane('next', t.commands.next, 'reader', ['j']),
  inPane('previous', t.commands.previous, 'reader', ['k']),
  inPane('nextPrompt', t.commands.nextPrompt, 'reader', ['Shift+J'], { palette: true, icon: 'arr-d' }),
  inPane('previousPrompt', t.commands.previousPrompt, 'reader', ['Shift+K'], { palette: true, icon: 'arr-u' }),
  inPane('nextError', t.commands.nextError, 'reader', ['e'], { palette: true, icon: 'error' }),
  inPane('previousError', t.commands.previousError, 'reader', ['Shift+E'], { palette: true, icon: 'error' }),
  inPane('unread', t.commands.unread, 'reader', ['u'], { palette: true, icon: 'arr-d' }),
  inPane('first', t.commands.first, 'reader', ['Home']),
  inPane('last', t.commands.last, 'reader', ['End']),
  inPane('fold', t.commands.fold, 'reader', ['t']),
  inPane('foldAll', t.commands.foldAll, 'reader', ['Shift+T'], { palette: true, icon: 'chev-d' }),
  inPane('thinking', t.commands.thinking, 'reader', ['z'], { palette: true, icon: 'thought' }),
  inPane('expand', t.commands.expand, 'list', ['ArrowRight'], { pane: 'list' }),
  inPane('collapse', t.commands.collapse, 'list', ['ArrowLeft'], { pane: 'list' }),
  inPane('pickUp', t.commands.pickUp, 'list', ['Space'], { pane: 'list' }),
  inPane('copyEvent', t.commands.copyEvent, 'copy', ['y'], { palette: true, icon: 'copy' }),
  inPane('copyLink', t.commands.copyLink, 'copy', ['Shift+Y'], { palette: true, icon: 'link' }),
  inPane('search', t.commands.search, 'everywhere', ['/'], { palette: true, icon: 'search' }),
  inPane('find', t.commands.find, 'everywhere', ['Mod+F'], { palette: true, icon: 'search' }),
  inPane('previousSession', t.commands.previousSession, 'everywhere', ['[']),
  inPane('nextSession', t.commands.nextSession, 'everywhere', [']']),
  inPane('closeTab', t.commands.closeTab, 'everywhere', ['Alt+W'], { palette: true, icon: 'close' }),
  inPane('back', t.commands.back, 'everywhere', ['Escape']),
];

const plain = (
  id: string,
  title: string,
  group: CommandGroup,
  icon: IconName,
  keys: readonly string[],
  run: () => void,
): Command => ({
  id,
  title,
  group,
  icon,
  keys,
  when: always,
  run,
});

function sessionCommands(host: CommandHost): Command[] {
  const first = () => host.targets().find((target) => target.can);
  const electronOnly = () => (host.electron ? undefined : t.commands.reasons.electronOnly);
  return [
    onSession('handoff', t.commands.handOff, ['h'], 'handoff', (session) => {
      const target = host.targets().find((candidate) => candidate.can && candidate.id !== session.agent) ?? first();
      if (target) openHandoff(session.id, target.id);
      else pickUp(session, 'keys');
    }),
    onSession('resume.open', t.commands.resume, ['o'], 'terminal', host.openTerminal, electronOnly),
    onSession('resume.copy', t.commands.copyResume, ['Shift+O'], 'copy', host.copyResume),
    onSession('export', t.commands.export, ['Mod+E'], 'export', (session) => openExport(session.id)),
    onSession('verify', t.commands.verifySession, [], 'ok', host.verify),
    ...host.targets().map((target) => ({
      ...onSession(`handoff.${target.id}`, t.commands.handOffTo(target.label), [], 'handoff', (session) =>
        openHandoff(session.id, target.id),
      ),
      when: () =>
        !target.can
          ? (target.why ?? t.commands.reasons.cannotReceive)
          : paneSession()
            ? (true as const)
            : t.commands.reasons.noSession,
    })),
  ];
}

function appCommands(host: CommandHost): Command[] {
  const view = useView.getState;
  return [
    plain('palette', t.commands.palette, 'everywhere', 'search', ['Mod+K'], () => openDialog('palette')),
    plain('switch', t.commands.switchSession, 'everywhere', 'sessions', ['Mod+P'], () => openDialog('palette', '@')),
    plain('pane.forward', t.commands.nextPane, 'everywhere', 'split', ['F6'], () => stepPane(1)),
    plain('pane.backward', t.commands.previousPane, 'everywhere', 'split', ['Shift+F6'], () => stepPane(-1)),
    plain('inspector', t.commands.inspector, 'everywhere', 'panel', ['Mod+.'], () =>
      setInspectorOpen(!isInspectorShown()),
    ),
    plain('dock', t.commands.dock, 'everywhere', 'pin', ['d'], () => setDockPinned(!view().dockPinned)),
    {
      ...plain('undo', t.commands.undo, 'everywhere', 'undo', ['Mod+Z'], host.undo.run),
      when: () => (host.undo.possible() ? true : t.commands.reasons.nothingToUndo),
    },
    plain('keys', t.commands.keys, 'everywhere', 'keyboard', ['?'], () => openDialog('keys')),
    plain('read', t.commands.read, 'everywhere', 'refresh', [], host.readNow),
    plain('theme.light', t.commands.themeLight, 'everywhere', 'half-l', [], () => setTheme('light')),
    plain('theme.dark', t.commands.themeDark, 'everywhere', 'half-r', [], () => setTheme('dark')),
    plain('theme.system', t.commands.themeSystem, 'everywhere', 'device', [], () => setTheme('system')),
    plain('contrast', t.commands.contrast, 'everywhere', 'read', [], toggleContrast),
    plain('go.sessions', t.commands.goSessions, 'go', 'sessions', ['g s'], () => host.go('/sessions')),
    plain('go.graph', t.commands.goGraph, 'go', 'graph', ['g g'], () => host.go('/graph')),
    plain('go.receipts', t.commands.goReceipts, 'go', 'receipts', ['g v'], () => host.go('/receipts')),
    plain('go.sources', t.commands.goSources, 'go', 'folder', ['g o'], () => host.go('/welcome')),
  ];
}

/** Every command of the app, in the order of the palette. */
export const commandsOf = (host: CommandHost): Command[] => [...sessionCommands(host), ...move, ...appCommands(host)];

/** The command that a binding runs now: one of the focused pane before one of everywhere. */
export function commandFor(commands: readonly Command[], binding: string): Command | undefined {
  const active = activePane();
  const fits = commands.filter(
    (command) => command.keys?.includes(binding) && (command.pane === undefined || command.pane === active),
  );
  return fits.find((command) => command.pane !== undefined) ?? fits[0];
}
