import type { Command } from 'commander';
import { factor, positive, whole } from './values.ts';

/** Options that say what goes into a compiled page, beside the session and the budget. */
export function addCompileInputs(command: Command): void {
  command
    .option('--reserve <tokens>', "what the target keeps for its own prompt and answer (default: the target's)", whole)
    .option('--factor <f>', 'tokens of the target for one of o200k (default: that of the agent)', factor)
    .option('--at <seq>', 'the session as it stood at this event', whole)
    .option('--since <session>', "only what this session of the target's does not know, by our records of handoffs")
    .option('--workspace [dir]', "also what git and the files of the folder say now (default: the session's folder)")
    .option('--summariser <url>', 'also ask a model: an OpenAI-compatible server, or the address of Anthropic messages')
    .option('--model <name>', 'the model to ask')
    .option('--summariser-key <VARIABLE>', 'the variable that holds its key')
    .option('--summariser-timeout <seconds>', 'wait so long for it (default: 60)', positive)
    .option('--insecure-summariser', 'let the session go to another machine over plain http');
}
