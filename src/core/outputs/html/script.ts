/**
 * The page's own program: search over all rows, and opening or folding what is folded. Without it the page reads the same. It
 * has no text of the session in it and asks nothing of the network; the page's policy allows this program and no other.
 */
export const SCRIPT = `
(() => {
  const rows = [...document.querySelectorAll('.row')];
  const field = document.getElementById('q');
  const told = document.getElementById('found');
  const [before, after] = ['before', 'after'].map((id) => document.getElementById(id));
  let hits = [];
  let at = -1;
  let words = [];
  const wordsIn = (text) => text.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = (row) => { const text = row.textContent.toLowerCase(); return words.every((word) => text.includes(word)); };
  const tell = () => {
    told.textContent = words.length === 0 ? '' : hits.length === 0 ? 'Not found' : (at + 1) + ' of ' + hits.length;
    before.disabled = after.disabled = hits.length === 0;
  };
  const mark = (row) => {
    if (!('highlights' in CSS)) return;
    const ranges = [];
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 500) {
      const text = walker.currentNode.data.toLowerCase();
      if (text.length !== walker.currentNode.data.length) continue;
      for (const word of words) {
        for (let from = text.indexOf(word); from >= 0 && ranges.length < 500; from = text.indexOf(word, from + word.length)) {
          const range = new Range();
          range.setStart(walker.currentNode, from);
          range.setEnd(walker.currentNode, from + word.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };
  const leave = () => {
    document.querySelector('.row.now')?.classList.remove('now');
    if ('highlights' in CSS) CSS.highlights.delete('found');
  };
  const go = (to) => {
    if (hits.length === 0) return;
    leave();
    at = (to + hits.length) % hits.length;
    const row = hits[at];
    row.classList.add('now');
    for (const part of row.querySelectorAll('details')) {
      const text = part.textContent.toLowerCase();
      if (words.some((word) => text.includes(word))) part.open = true;
    }
    row.scrollIntoView({ block: 'start' });
    mark(row);
    tell();
  };
  let timer = 0;
  const search = () => {
    leave();
    words = wordsIn(field.value);
    hits = words.length === 0 ? [] : rows.filter(has);
    at = -1;
    if (hits.length > 0) go(Math.max(0, hits.findIndex((row) => row.getBoundingClientRect().bottom > 64)));
    tell();
  };
  field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') { event.preventDefault(); go(at + (event.shiftKey ? -1 : 1)); }
    if (event.key === 'Escape') { field.value = ''; search(); }
  });
  before.addEventListener('click', () => go(at - 1));
  after.addEventListener('click', () => go(at + 1));
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== field && !event.ctrlKey && !event.metaKey) { event.preventDefault(); field.focus(); }
  });
  const fold = document.getElementById('fold');
  fold.addEventListener('click', () => {
    const open = fold.dataset.open !== 'true';
    for (const part of document.querySelectorAll('main details')) part.open = open;
    fold.dataset.open = String(open);
    fold.textContent = open ? 'Fold all' : 'Open all';
  });
  const openTarget = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id === '' ? null : document.getElementById(id);
    if (target?.tagName === 'DETAILS') target.open = true;
    target?.scrollIntoView({ block: 'start' });
  };
  addEventListener('hashchange', openTarget);
  document.querySelector('.bar').hidden = false;
  openTarget();
  tell();
})();
`;
