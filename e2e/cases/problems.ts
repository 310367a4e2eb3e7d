/** Collects everything that is wrong with a case, so that one run tells all of it. */
export class Problems {
  readonly list: string[] = [];

  add(problem: string): void {
    this.list.push(problem);
  }

  equal(what: string, got: unknown, wanted: unknown): void {
    if (got !== wanted) this.add(`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
  }

  contains(what: string, text: string, wanted: readonly string[]): void {
    for (const part of wanted) if (!text.includes(part)) this.add(`${what} lacks ${JSON.stringify(part)}`);
  }

  excludes(what: string, text: string, unwanted: readonly string[]): void {
    for (const part of unwanted) if (text.includes(part)) this.add(`${what} holds ${JSON.stringify(part)}`);
  }

  inOrder(what: string, text: string, wanted: readonly string[]): void {
    let at = 0;
    for (const part of wanted) {
      const found = text.indexOf(part, at);
      if (found >= 0) {
        at = found + part.length;
        continue;
      }
      this.add(`${what}: ${JSON.stringify(part)} is ${text.includes(part) ? 'out of order' : 'missing'}`);
      return;
    }
  }
}
