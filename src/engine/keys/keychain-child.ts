import { createRequire } from 'node:module';

/**
 * Asks the system's keychain in a process of its own. A Secret Service that hangs blocks a thread of the process that
 * asked, and such a process cannot even exit; this one can be killed.
 * In: one JSON line {op, service, account, secret?}. Out: one JSON line {value} or {error}.
 */
interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, secret: string): Promise<void>;
}

interface Request {
  op: 'get' | 'set';
  service: string;
  account: string;
  secret?: string;
}

async function answer(request: Request): Promise<{ value: string | null } | { error: string }> {
  try {
    // loaded here and not above: the module throws where libsecret is missing
    const keytar = createRequire(import.meta.url)('keytar') as Keytar;
    if (request.op === 'get') return { value: await keytar.getPassword(request.service, request.account) };
    await keytar.setPassword(request.service, request.account, request.secret ?? '');
    return { value: null };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

let line = '';
for await (const chunk of process.stdin.setEncoding('utf8')) line += chunk;
process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as Request))}\n`);
