import { compileSession } from '../handoff/compile.ts';
import { execute, preflight } from '../handoff/execute.ts';
import { undoHandoff } from '../handoff/undo.ts';
import { type HandlersOf, withHome } from './context.ts';

/** Moving a session on: compiled context and handoffs. */
export const handoffProcedures: HandlersOf<'compile.run' | 'handoff.preflight' | 'handoff.execute' | 'handoff.undo'> = {
  'compile.run': (context, input) => withHome(context, (home) => compileSession(context, home, input)),
  'handoff.preflight': (context, input) => withHome(context, (home) => preflight(context, home, input)),
  'handoff.execute': (context, input, signal) =>
    withHome(context, (home) => execute(context, home, input, signal, context.options.handoffHook)),
  'handoff.undo': (context, { operation_id }) => withHome(context, (home) => undoHandoff(context, home, operation_id)),
};
