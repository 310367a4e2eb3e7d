import { placesOf } from './words.ts';

const NAME = 'found';
/** Places that are marked at most; the rest of an endless output is left as it is. */
const MOST = 2000;

/**
 * Marks words in what an element shows, now and whenever it changes, until the returned function is called. The browser draws
 * the marks itself (CSS highlights), so that no row is drawn again and nothing in it is moved.
 */
export function markWords(element: HTMLElement, words: readonly string[]): () => void {
  if (words.length === 0 || !('highlights' in CSS)) return () => undefined;
  const highlight = new Highlight();
  CSS.highlights.set(NAME, highlight);
  let frame = 0;
  const draw = () => {
    frame = 0;
    highlight.clear();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null && highlight.size < MOST; node = texts.nextNode())
      for (const [from, to] of placesOf(node.nodeValue ?? '', words)) highlight.add(rangeOf(node, from, to));
  };
  const later = () => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const observer = new MutationObserver(later);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  draw();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    if (CSS.highlights.get(NAME) === highlight) CSS.highlights.delete(NAME);
  };
}

function rangeOf(node: Node, from: number, to: number): StaticRange {
  return new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to });
}
