import type { Part } from '../../conversation/blocks.ts';

/** A content part of the Responses API as Codex keeps it. */
export type InputPart = { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string };

/** Codex takes pictures as data URLs, in prompts and in outputs (FORMAT.md). */
export function inputParts(parts: readonly Part[]): InputPart[] {
  return parts.map((part) =>
    'text' in part
      ? { type: 'input_text', text: part.text }
      : {
          type: 'input_image',
          image_url: `data:${part.mediaType};base64,${Buffer.from(part.image).toString('base64')}`,
        },
  );
}
