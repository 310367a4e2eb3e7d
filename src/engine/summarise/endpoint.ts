import { fail, ok, type Result } from '../../shared/errors.ts';

/** A model that the user named, and nobody else. */
export interface SummariserInput {
  /** base of an OpenAI-compatible server (`…/v1`), or the whole address of `/chat/completions` or of Anthropic's `/messages` */
  url: string;
  model: string;
  /** sent to this address alone */
  key?: string | undefined;
  /** plain http to another machine is allowed */
  insecure?: boolean | undefined;
  /** for the whole answer; default 60 */
  seconds?: number | undefined;
}

export interface Endpoint {
  url: URL;
  protocol: 'openai' | 'anthropic';
  /** the address is this machine: it is not looked up anywhere */
  isLocal: boolean;
}

/** Where to ask and how, from the address alone. Errors: invalid_request. */
export function endpointOf({ url: text, model, insecure }: SummariserInput): Result<Endpoint> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return fail(
      'invalid_request',
      'The summariser is named by an http or https address, e.g. http://127.0.0.1:11434/v1.',
    );
  if (url.username !== '' || url.password !== '')
    return fail(
      'invalid_request',
      "Leave the key out of the summariser's address: name a variable with --summariser-key.",
    );
  if (model.trim() === '') return fail('invalid_request', 'Name the model of the summariser: --model <name>.');
  const isLocal = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !isLocal && insecure !== true)
    return fail(
      'invalid_request',
      `${url.host} is another machine, and http would send the session there in clear. Use https, or allow it: --insecure-summariser.`,
    );
  const isMessages = /\/messages\/?$/.test(url.pathname);
  if (!isMessages && !/\/chat\/completions\/?$/.test(url.pathname))
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  url.hash = '';
  return ok({ url, protocol: isMessages ? 'anthropic' : 'openai', isLocal });
}

/** What is this machine by its very name. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
