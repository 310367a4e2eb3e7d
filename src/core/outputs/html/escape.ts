import { safeText } from '../../safe-text.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * The only door by which text of a session gets into the page, as content or as the value of an attribute in quotes. What a
 * terminal or a reader would obey (controls, marks of direction) is shown instead.
 */
export function escapeHtml(text: string): string {
  return safeText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
