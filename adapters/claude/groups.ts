/** One answer of the model on the chain: its lines, and the results of its calls, in the order they were put. */
export interface Group {
  response: string;
  /** last event of each of its records */
  members: number[];
  tail: number;
  /** the conversation has gone on behind it */
  closed: boolean;
}

const REMEMBERED = 4;

/**
 * Parallel calls: since 2.1.197 each result names its own call's line as parent, so a walk from the leaf would lose
 * the siblings. The client repairs that by `message.id` when it reads. We repair it when we write the log: whatever
 * hangs on any record of an answer is put behind the last one.
 */
export class ResponseGroups {
  private groups: Group[] = [];

  /** The group a record belongs to, by one of its events. */
  holding(seq: number): Group | undefined {
    for (let i = this.groups.length - 1; i >= 0; i--) {
      const group = this.groups[i] as Group;
      if (group.tail === seq || group.members.includes(seq)) return group;
    }
    return undefined;
  }

  /** The newest group of a response. */
  of(response: string): Group | undefined {
    return this.groups.findLast((group) => group.response === response);
  }

  /** A line of an answer was put at `seq`. */
  answered(response: string, seq: number): Group {
    const last = this.groups.at(-1);
    let group = last?.response === response ? last : this.of(response);
    if (group === undefined || group.closed) {
      if (last !== undefined) last.closed = true;
      group = { response, members: [], tail: seq, closed: false };
      this.groups.push(group);
      if (this.groups.length > REMEMBERED) this.groups.shift();
    }
    this.extend(group, seq);
    return group;
  }

  extend(group: Group, seq: number): void {
    group.members.push(seq);
    group.tail = seq;
  }

  /** A prompt or something else began behind the newest answer. */
  close(): void {
    const last = this.groups.at(-1);
    if (last !== undefined) last.closed = true;
  }
}
