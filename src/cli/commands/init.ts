import type { Engine } from '../../engine/engine.ts';
import type { SourceInfo } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { foundText } from '../../shared/source-count.ts';
import { mayAsk } from '../choose.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { homeOf } from '../engine-host.ts';
import { ask, askHidden, isInteractive, readLine } from '../prompt.ts';

interface Options {
  passphrase?: boolean;
  keyFile?: string | true;
  recover?: boolean;
}

type Choice = Parameters<Engine['local']['init']>[0];

/** `sessionctl init`: makes the store and its key, says openly where the key is, and shows the recovery key once. */
export const init: Run<Options> = (cli, options) =>
  withEngine(cli, async (engine) => {
    const made = await make(cli, engine, options);
    if (!made.ok) return cli.output.fail(made.error);
    const home = homeOf(cli.io, cli);
    // before anything else is asked: the recovery key comes this once
    tellMade(cli, home, made.value);
    const sources = await offerSources(cli, engine);
    return cli.output.end(ok({ home, ...made.value, sources }), () => tellNext(cli, sources));
  });

type Made = { created: boolean; keys: { kind: string; weaker: boolean; text: string }; recovery_key?: string };

async function make(cli: Cli, engine: Engine, options: Options): Promise<Result<Made>> {
  const recovery = options.recover ? await recoveryKey(cli) : undefined;
  const choice = await chosen(cli, options);
  if (!choice.ok) return choice;
  const first = await engine.local.init(choice.value, recovery);
  const noKeychain =
    !first.ok &&
    first.error.code === 'key_missing' &&
    choice.value.kind === 'auto' &&
    first.error.details?.choose === true;
  if (!noKeychain) return first;
  const other = await withoutKeychain(cli);
  return other.ok ? engine.local.init(other.value, recovery) : other;
}

async function recoveryKey(cli: Cli): Promise<string> {
  if (cli.io.env.SESSIONCTL_RECOVERY_KEY) return cli.io.env.SESSIONCTL_RECOVERY_KEY;
  return isInteractive(cli.io) ? askHidden(cli, 'Recovery key: ') : readLine(cli);
}

async function chosen(cli: Cli, { passphrase, keyFile }: Options): Promise<Result<Choice>> {
  if (passphrase && keyFile !== undefined) return fail('invalid_request', 'Choose one of --passphrase and --key-file.');
  if (keyFile !== undefined) return ok(keyFile === true ? { kind: 'keyfile' } : { kind: 'keyfile', path: keyFile });
  return passphrase ? newPassphrase(cli) : ok({ kind: 'auto' });
}

const SHORTEST = 8;

async function newPassphrase(cli: Cli): Promise<Result<Choice>> {
  const given = cli.io.env.SESSIONCTL_PASSPHRASE;
  const passphrase = given ?? (isInteractive(cli.io) ? await askHidden(cli, 'New passphrase: ') : '');
  if (passphrase.length < SHORTEST) {
    const how =
      given === undefined && !isInteractive(cli.io)
        ? 'Set SESSIONCTL_PASSPHRASE, or run this on a terminal'
        : `Use ${SHORTEST} characters or more`;
    return fail('invalid_request', `${how}.`);
  }
  if (given === undefined && (await askHidden(cli, 'Once more: ')) !== passphrase)
    return fail('invalid_request', 'The two differ. Nothing was made.');
  return ok({ kind: 'passphrase', passphrase });
}

/** A person chooses; a script gets the key file, said plainly. */
async function withoutKeychain(cli: Cli): Promise<Result<Choice>> {
  if (!mayAsk(cli)) {
    cli.output.note(
      'No keychain answers here, so the key is kept in a file beside the store (mode 0600). Whoever can read that file can read the store. Use --passphrase for a stronger way.',
    );
    return ok({ kind: 'keyfile' });
  }
  cli.output.note('No keychain answers here. The key of the encrypted store can be');
  cli.output.note('  1  locked by a passphrase that you type each time');
  cli.output.note('  2  kept in a file that only you can read (weaker: whoever reads it reads the store)');
  const answer = (await ask(cli, 'Which? [1] ')).trim();
  return answer === '2' ? ok({ kind: 'keyfile' }) : newPassphrase(cli);
}

/** The sources that are here; on a terminal a person says at once which may be read. */
async function offerSources(cli: Cli, engine: Engine): Promise<SourceInfo[]> {
  const found = await engine.call('sources.list', {});
  if (!found.ok) return [];
  for (const source of mayAsk(cli) ? found.value : []) {
    const { agent, label, exists, enabled, sessions } = source;
    if (!exists || enabled || sessions === 0) continue;
    const answer = await ask(cli, `May ${label}'s ${foundText([source])} be read? [Y/n] `);
    if (!/^n/i.test(answer.trim())) await engine.call('sources.set', { agent, enabled: true });
  }
  const after = await engine.call('sources.list', {});
  return after.ok ? after.value : found.value;
}

function tellMade({ output }: Cli, home: string, { created, keys, recovery_key }: Made): void {
  output.line(created ? `Store made in ${home}` : `Store in ${home}`);
  output.line(keys.text);
  if (recovery_key) {
    output.line();
    output.line(`Recovery key, shown this once. Keep it where you keep passwords:`);
    output.line();
    output.line(`  ${output.style('bold', recovery_key)}`);
  }
  output.line();
}

function tellNext({ output }: Cli, sources: SourceInfo[]): void {
  const waiting = sources.filter((source) => source.exists && !source.enabled && source.sessions > 0);
  if (sources.some((source) => source.enabled)) output.line(`Next: ${output.typed('sessionctl list')}`);
  else if (waiting.length > 0) {
    // an agent can keep sessions in many places, as Hermes does with profiles
    const agents = Map.groupBy(waiting, ({ agent }) => agent);
    const found = [...agents.values()].map((places) => {
      return `${places[0]!.label} (${foundText(places)})`;
    });
    output.line(`Found: ${found.join(', ')}`);
    output.line(`Next: ${output.typed(`sessionctl sources enable ${[...agents.keys()].join(' ')}`)}`);
  }
}
