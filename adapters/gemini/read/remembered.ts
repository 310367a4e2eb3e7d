import type { Part } from './message.ts';

export interface Said {
  parts: readonly Part[];
  time: unknown;
}

/** What nodes of the tree said, the newest of them, as many as fit into so many characters. */
export class Remembered {
  readonly #limit: number;
  readonly #said = new Map<number, Said & { size: number }>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(node: number): boolean {
    return this.#said.has(node);
  }

  get(node: number): Said | undefined {
    return this.#said.get(node);
  }

  /** The newest stays, however large it is. */
  set(node: number, { parts, time }: Said): void {
    this.#forget(node);
    const size = charactersOf(parts);
    this.#said.set(node, { parts, time, size });
    this.#size += size;
    while (this.#size > this.#limit && this.#said.size > 1) this.#forget(this.#said.keys().next().value!);
  }

  #forget(node: number): void {
    this.#size -= this.#said.get(node)?.size ?? 0;
    this.#said.delete(node);
  }
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const one of Object.values(value)) sum += charactersOf(one);
  return sum;
}
