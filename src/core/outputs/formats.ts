import type { ExportFormat } from '../../shared/outputs.ts';
import { atif } from './atif.ts';
import { html } from './html/html.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import type { WriteOutput } from './output.ts';

/** The one list of forms in which a session is written out. */
export const OUTPUTS: Record<ExportFormat, { write: WriteOutput; extension: string; media_type: string }> = {
  markdown: { write: markdown, extension: 'md', media_type: 'text/markdown' },
  html: { write: html, extension: 'html', media_type: 'text/html' },
  json: { write: json, extension: 'json', media_type: 'application/json' },
  atif: { write: atif, extension: 'atif.json', media_type: 'application/json' },
};
