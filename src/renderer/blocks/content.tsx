import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type { blockSchema } from '../../shared/transcript.ts';
import { useClient } from '../app/client-context.ts';
import { formatBytes } from '../i18n/format.ts';
import { t } from '../i18n/t.ts';
import { Icon } from '../ui/icon.tsx';
import { Prose } from './markdown.tsx';
import { Stub } from './stub.tsx';

export type Block = z.infer<typeof blockSchema>;
type ImageBlock = Extract<Block, { kind: 'image' }>;

/** All text of some blocks, for previews and for program output. */
export const textOf = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');

/** What was said: prose, then pictures as thumbnails, then what cannot be shown, each as a counted stub. */
export function Content({ blocks }: { blocks: readonly Block[] }) {
  const images = blocks.filter((block) => block.kind === 'image');
  return (
    <>
      {blocks.map((block, i) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one event never change their order
        if (block.kind === 'text') return <Prose key={i} text={block.text} />;
        if (block.kind === 'image') return null;
        const label =
          block.kind === 'document'
            ? `${block.name ?? t.reader.document}, ${formatBytes(block.bytes)}`
            : t.reader.opaque;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Stub key={i} icon={block.kind === 'document' ? 'file' : 'lock'}>
            {label}
          </Stub>
        );
      })}
      {images.length > 0 ? (
        <div className="thumbs">
          {images.map((image) => (
            <Thumbnail key={image.artifact} image={image} />
          ))}
        </div>
      ) : null}
    </>
  );
}

/** A picture from the store, loaded when it comes near the screen. Without bytes it is a stub, not a hole. */
export function Thumbnail({ image }: { image: ImageBlock }) {
  const client = useClient();
  const url = client.artifactUrl(image.artifact);
  const [broken, setBroken] = useState(false);
  const { data, isError } = useQuery({
    queryKey: ['artifact', image.artifact],
    queryFn: ({ signal }) => client.call('artifacts.get', { hash: image.artifact }, signal),
    enabled: url === null,
  });
  const source = url ?? (data ? `data:${data.media_type};base64,${data.base64}` : null);
  const name = image.alt ?? `${t.reader.image}: ${t.reader.imageOf(image.media_type, image.bytes)}`;
  if (broken || isError) return <Stub icon="image">{t.reader.imageMissing}</Stub>;
  if (!source) return <Icon name="image" size={20} label={name} tone="quiet" />;
  return <img src={source} alt={name} title={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />;
}
