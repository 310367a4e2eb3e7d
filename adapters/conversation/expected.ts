import type { SessionEvent } from '../../src/shared/events.ts';
import type { SessionSource } from '../contract.ts';
import { Arranger, type Step } from './arrange.ts';
import { blocksOf, supportedImage, truncatedOf } from './blocks.ts';

/** What must stand in a written message, derived from the event and not by the writer's own conversion. */
export type ExpectedPart = { text: string } | { image: Uint8Array } | { note: true };

/** A part of a written message as it was read back. */
export type FoundPart = { text: string } | { image: Uint8Array } | null;

/** The model view in the order in which targets hold it. */
export async function* stepsOf(session: SessionSource): AsyncGenerator<Step> {
  const arranger = new Arranger(() => {});
  for await (const event of session.model()) yield* arranger.push(event);
  yield* arranger.end();
}

export async function expectedParts(
  event: SessionEvent,
  session: Pick<SessionSource, 'artifact'>,
): Promise<ExpectedPart[]> {
  const cut = truncatedOf(event);
  const parts: ExpectedPart[] = [];
  if (cut !== undefined)
    parts.push({ text: new TextDecoder().decode(await session.artifact(cut.artifact)).toWellFormed() });
  for (const block of blocksOf(event)) {
    if (block.kind === 'document') parts.push({ note: true });
    if (block.kind === 'text' && cut === undefined && block.text.trim() !== '')
      parts.push({ text: block.text.toWellFormed() });
    if (block.kind !== 'image') continue;
    const carried = supportedImage(block.media_type) && event.type !== 'message.assistant';
    parts.push(carried ? { image: await session.artifact(block.artifact) } : { note: true });
  }
  return parts;
}

export function sameParts(expected: readonly ExpectedPart[], found: readonly FoundPart[]): boolean {
  return expected.length === found.length && expected.every((part, i) => samePart(part, found[i]!));
}

function samePart(expected: ExpectedPart, found: FoundPart): boolean {
  if (found === null) return false;
  if ('note' in expected) return 'text' in found;
  if ('text' in expected) return 'text' in found && found.text === expected.text;
  return 'image' in found && Buffer.compare(expected.image, found.image) === 0;
}
