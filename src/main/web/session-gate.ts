import { randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Who may speak to the web host: whoever opened the printed address once (one-time token), from then on by a cookie that
 * scripts cannot read and other sites cannot send. Lives as long as the process.
 */
export class SessionGate {
  private token: string | null = null;
  private readonly secret = randomBytes(32).toString('base64url');
  private readonly port: () => number;

  constructor(port: () => number) {
    this.port = port;
  }

  /** The token for the printed address. A new one is made each time; the one before it is void. */
  issue(): string {
    this.token = randomBytes(24).toString('base64url');
    return this.token;
  }

  /** Takes a token once and returns the Set-Cookie line, or null when it is not the present one. */
  redeem(token: string): string | null {
    if (this.token === null || !same(token, this.token)) return null;
    this.token = null;
    return `${this.cookieName()}=${this.secret}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** True when the Cookie header carries this process's secret. */
  admits(cookieHeader: string | undefined): boolean {
    const name = `${this.cookieName()}=`;
    const cookie = (cookieHeader ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(name));
    return cookie !== undefined && same(cookie.slice(name.length), this.secret);
  }

  /** Loopback names with this port only: a page of another name that resolves to 127.0.0.1 is refused (DNS rebinding). */
  hostAllowed(host: string | undefined): boolean {
    return host !== undefined && this.hosts().includes(host.toLowerCase());
  }

  /** Absent (same-origin GET, programs) or one of ours. */
  originAllowed(origin: string | undefined): boolean {
    return origin === undefined || this.hosts().some((host) => origin === `http://${host}`);
  }

  /** Cookies know no ports, so the port is in the name: two servers on one machine do not disturb each other. */
  private cookieName(): string {
    return `sessionctl_${this.port()}`;
  }

  private hosts(): string[] {
    return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${this.port()}`);
  }
}

function same(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
