import type { HandoffPlan } from '../../../shared/handoff.ts';
import { t } from '../../i18n/t.ts';

/** What one way of a handoff writes, or why it is closed. */
export function modeWhat({ target, budget }: HandoffPlan, mode: HandoffPlan['modes'][number]): string {
  const { tokens, turns = 0 } = mode;
  if (!mode.possible) {
    const room = budget.window - budget.reserve;
    return tokens > room ? t.handoff.tooLong(target.label, tokens, room) : (mode.why ?? '');
  }
  switch (mode.mode) {
    case 'native':
      return t.handoff.modeWhat.native(target.label, tokens);
    case 'native-tail':
      return t.handoff.modeWhat['native-tail'](turns, tokens);
    case 'context':
      return t.handoff.modeWhat.context(tokens);
    case 'delta':
      return t.handoff.modeWhat.delta(target.label, mode.since?.own_turns ?? 0, tokens);
  }
}

/** Why a handoff cannot be done as chosen, in words of the app: the engine's own name options of the command line. */
export function refusalOf({ refused, modes, target }: HandoffPlan): string | undefined {
  switch (refused?.code) {
    case 'window_exceeded': {
      const open = modes.filter(({ possible }) => possible).map(({ mode }) => `“${t.handoff.modes[mode]}”`);
      return open.length === 0
        ? refused.message
        : t.handoff.refused.window_exceeded(target.label, open.reduce(t.handoff.or));
    }
    case 'unknown_cwd':
      return t.handoff.refused.unknown_cwd;
    default:
      return refused?.message;
  }
}
