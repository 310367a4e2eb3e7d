import { type HandlersOf, withHome } from './context.ts';

/** Moving a session on: compiled context and handoffs. The code behind is large and loaded when it is first needed. */
export const handoffProcedures: HandlersOf<'compile.run' | 'handoff.preflight' | 'handoff.execute' | 'handoff.undo'> = {
  'compile.run': (context, input, signal) =>
    withHome(context, async (home) => {
      const { compileSession } = await import('../compile/compile-session.ts');
      return compileSession(context, home, input, signal);
    }),
  'handoff.preflight': (context, input) =>
    withHome(context, async (home) => {
      const { preflight } = await import('../handoff/execute.ts');
      return preflight(context, home, input);
    }),
  'handoff.execute': (context, input, signal) =>
    withHome(context, async (home) => {
      const { execute } = await import('../handoff/execute.ts');
      return execute(context, home, input, signal, context.options.handoffHook);
    }),
  'handoff.undo': (context, { operation_id }) =>
    withHome(context, async (home) => {
      const { undoHandoff } = await import('../handoff/undo.ts');
      return undoHandoff(context, home, operation_id);
    }),
};
