/** A small preference of this window, kept in the browser's storage. Storage that refuses is as if it were empty. */
export function readStored<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  try {
    const value = localStorage.getItem(`sessionctl.${key}`);
    return allowed.find((candidate) => candidate === value) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(`sessionctl.${key}`, value);
  } catch {
    // A preference that cannot be kept holds for this window only.
  }
}
