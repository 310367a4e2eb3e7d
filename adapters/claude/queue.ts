/** A prompt that was typed while the agent worked and that waits. */
export interface Waiting {
  text: string;
  line: number;
  ts: number | null;
}

/**
 * The log of queued prompts. A delivered one appears again as a user line or as an attachment, which is what counts;
 * what is neither delivered nor removed when the file ends is the open request of the user.
 */
export class PromptQueue {
  private waiting: Waiting[] = [];

  enqueue(text: string, line: number, ts: number | null): void {
    if (isNotice(text)) return;
    this.waiting.push({ text, line, ts });
  }

  /** `dequeue` takes the oldest; `remove` may name its text. */
  leave(content: unknown): void {
    const at = typeof content === 'string' ? this.waiting.findIndex((one) => one.text === content) : 0;
    if (at >= 0) this.waiting.splice(at, 1);
  }

  /** The prompt arrived as a record of its own. */
  delivered(text: string): void {
    const at = this.waiting.findIndex((one) => one.text === text);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  /** What waits still. */
  open(): readonly Waiting[] {
    return this.waiting;
  }
}

/** Notices about background tasks pass through the same queue. */
function isNotice(text: string): boolean {
  return text === '' || text.startsWith('<task-notification>') || text.startsWith('{"task_id"');
}
