import { type LineHits, Prefilter } from '../../src/core/redact/prefilter.ts';

/** Scanners that no reader uses at the moment: a home with thousands of small files needs one, not thousands. */
const idle: Prefilter[] = [];
const MOST_IDLE = 4;
/** WebAssembly memory never shrinks, so a scanner that had to hold a huge line is not kept. */
const LARGEST_IDLE = 8 * 1024 * 1024;

/** The bytes a reader is looking at, lying where the redaction prefilter can scan them. */
export class LineMemory {
  bytes: Buffer;
  private readonly prefilter: Prefilter;

  constructor(size: number) {
    this.prefilter = idle.pop() ?? new Prefilter();
    this.bytes = this.view(size);
  }

  /** Makes room for `size` bytes; what is there stays. */
  grow(size: number): void {
    this.bytes = this.view(size);
  }

  /** Scans the first `end` bytes, whole lines. */
  scan(end: number): void {
    this.prefilter.scan(0, end);
  }

  /** What the scan says about the next line, which ends before `end`. */
  hits(end: number): LineHits {
    return this.prefilter.line(end);
  }

  release(): void {
    if (idle.length < MOST_IDLE && this.bytes.length <= LARGEST_IDLE) idle.push(this.prefilter);
  }

  private view(size: number): Buffer {
    const { buffer, byteOffset, byteLength } = this.prefilter.reserve(size);
    return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  }
}
