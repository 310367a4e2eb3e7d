/** One thing that `doctor` found, and what to do about it. */
export interface Finding {
  id: string;
  level: 'ok' | 'note' | 'warn' | 'error';
  text: string;
  fix?: string;
}
