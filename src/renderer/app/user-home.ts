import type { AppInfo } from '../../shared/api.ts';

/** The user's home folder as far as the store's place tells it; undefined when the store lies elsewhere. */
export function userHome(info: AppInfo | undefined): string | undefined {
  const match = info ? /^(.+)\/\.sessionctl\/?$/.exec(info.home) : null;
  return match?.[1];
}
