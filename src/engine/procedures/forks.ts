import { type HandlersOf, withHome } from './context.ts';

/** What a person adds to sessions: forks and marked points. */
export const forkProcedures: HandlersOf<'sessions.fork' | 'sessions.checkpoint'> = {
  'sessions.fork': (context, input) =>
    withHome(context, async (home) => {
      const { fork } = await import('../sessions/fork.ts');
      return fork(context, home, input);
    }),
  'sessions.checkpoint': (context, input) =>
    withHome(context, async (home) => {
      const { checkpoint } = await import('../sessions/checkpoint.ts');
      return checkpoint(context, home, input);
    }),
};
