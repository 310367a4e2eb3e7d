import type { Images } from '../../core/outputs/output.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { StoreReader } from '../store/contract.ts';

/** Pictures that every browser shows and that hold no program. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Bytes of one image, and of all images of one output, that go along. */
const ONE = 2 * 1024 * 1024;
const ALL = 24 * 1024 * 1024;

/** Images of an output as `data:` URLs, within bounds; counts those that went along and those that did not. */
export class ImageShelf {
  included = 0;
  left = 0;
  #room: number;

  /** @param along false: none goes along, all are counted as left */
  constructor(along: boolean) {
    this.#room = along ? ALL : 0;
  }

  /** The images of some events, each read once. */
  async of(events: readonly SessionEvent[], reader: StoreReader): Promise<Images> {
    const images = new Map<string, string>();
    for (const { payload } of events)
      for (const block of [payload.content, payload.summary].flatMap((blocks) =>
        Array.isArray(blocks) ? blocks : [],
      )) {
        if (block?.kind !== 'image' || typeof block.artifact !== 'string' || images.has(block.artifact)) continue;
        const url = await this.#url(block as { artifact: string; media_type: unknown }, reader);
        if (url === null) this.left++;
        else {
          this.included++;
          images.set(block.artifact, url);
        }
      }
    return images;
  }

  async #url(block: { artifact: string; media_type: unknown }, reader: StoreReader): Promise<string | null> {
    const type = String(block.media_type);
    const artifact = SHOWN.has(type) && this.#room > 0 ? await reader.artifact(block.artifact) : null;
    const size = artifact?.bytes.length ?? 0;
    if (artifact === null || size > ONE || size > this.#room) return null;
    this.#room -= size;
    return `data:${type};base64,${Buffer.from(artifact.bytes).toString('base64')}`;
  }
}
