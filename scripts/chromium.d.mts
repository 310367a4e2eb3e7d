/** Path of a Chromium for the browser tests, or null. */
export function findChromium(env?: Record<string, string | undefined>): string | null;
