import type { ExportFormat } from '../../shared/outputs.ts';
import { atif } from './atif.ts';
import { html } from './html/html.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import type { WriteOutput } from './output.ts';

interface Format {
  write: WriteOutput;
  /** of the file, without a dot before it */
  extension: string;
  /** whether images go along, as `data:` URLs */
  images: boolean;
}

/** The one list of forms in which a session is written out. */
export const OUTPUTS: Record<ExportFormat, Format> = {
  markdown: { write: markdown, extension: 'md', images: false },
  html: { write: html, extension: 'html', images: true },
  json: { write: json, extension: 'json', images: true },
  atif: { write: atif, extension: 'atif.json', images: true },
};
