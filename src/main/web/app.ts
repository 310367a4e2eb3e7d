import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type ProcedureName, procedures } from '../../shared/api.ts';
import { fail } from '../../shared/errors.ts';
import { artifactResponse, assetResponse, SAFE_HEADERS, type Served, text } from './pages.ts';
import type { SessionGate } from './session-gate.ts';

const NOT_ADMITTED = `This window was not opened by the address that sessionctl printed, or that address was used before.
Run "sessionctl serve" or "npm start" again and open the address it prints.
`;

/** The web host as a fetch handler: no port, no global state. `assets` is the folder of the built renderer. */
export function webApp(served: Served, gate: SessionGate, assets: string): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    if (!gate.hostAllowed(context.req.header('host')))
      return text(421, 'This server answers to its loopback address only.');
    if (!gate.originAllowed(context.req.header('origin'))) return text(403, 'Requests from other sites are refused.');
    const token = context.req.query('token');
    const cookie = token === undefined ? null : gate.redeem(token);
    if (cookie !== null) return context.body(null, 303, { ...SAFE_HEADERS, 'Set-Cookie': cookie, Location: '/' });
    if (!gate.admits(context.req.header('cookie'))) return text(401, NOT_ADMITTED);
    return next();
  });
  app.post('/api/:name', bodyLimit({ maxSize: 4 << 20 }), (context) => callProcedure(context, served));
  app.get('/artifact/:hash', (context) => artifactResponse(served, context.req.param('hash')));
  app.get('*', (context) => assetResponse(assets, context.req.path));
  return app;
}

async function callProcedure(context: Context, served: Served): Promise<Response> {
  const answer = (value: unknown, status = 200): Response =>
    Response.json(value, { status, headers: { ...SAFE_HEADERS, 'Cache-Control': 'no-store' } });
  const name = context.req.param('name') ?? '';
  if (!Object.hasOwn(procedures, name)) return answer(fail('not_found', `There is no procedure "${name}".`), 404);
  // a form of another site cannot send this type without a preflight, which is never answered
  if (!context.req.header('content-type')?.startsWith('application/json'))
    return answer(fail('invalid_request', 'Send JSON.'), 415);
  const input: unknown = await context.req.json().catch(() => undefined);
  if (input === undefined) return answer(fail('invalid_request', 'The body is not JSON.'), 400);
  return answer(await served.call(name as ProcedureName, input as never, context.req.raw.signal));
}
