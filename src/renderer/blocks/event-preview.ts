/**
 * One line that says what an event was: its text, its command, its path. Works on any canonical event, known or not.
 * The event comes as plain JSON, so every field is looked at before it is used.
 */
export function eventPreview(event: Record<string, unknown>): string {
  const payload = isRecord(event.payload) ? event.payload : {};
  const text =
    textIn(payload.content) ??
    string(payload.text) ??
    inputOf(payload) ??
    string(payload.detail) ??
    string(payload.key);
  const line = text?.replace(/\s+/g, ' ').trim();
  return line ? line.slice(0, 300) : String(event.type ?? '');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const string = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function textIn(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const block of content) {
    if (!isRecord(block)) continue;
    const text = string(block.text) ?? (block.kind === 'image' ? `[${String(block.media_type)}]` : undefined);
    if (text) return text;
  }
  return undefined;
}

function inputOf(payload: Record<string, unknown>): string | undefined {
  const name = string(payload.name);
  if (!name) return undefined;
  const input = payload.arguments;
  if (typeof input === 'string') return `${name} ${input}`;
  if (!isRecord(input)) return name;
  const telling = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description']
    .map((key) => input[key])
    .find((value) => typeof value === 'string');
  return `${name} ${typeof telling === 'string' ? telling : JSON.stringify(input)}`;
}
