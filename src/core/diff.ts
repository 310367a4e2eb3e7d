/** A file that came or went as a whole, as one hunk of a unified diff. Empty for an empty file. */
export function wholeFileDiff(content: string, mark: '+' | '-'): string {
  if (content === '') return '';
  const open = !content.endsWith('\n');
  const lines = (open ? content : content.slice(0, -1)).split('\n');
  const [before, after] = mark === '+' ? ['0,0', `1,${lines.length}`] : [`1,${lines.length}`, '0,0'];
  const body = lines.map((line) => `${mark}${line}\n`).join('');
  return `@@ -${before} +${after} @@\n${body}${open ? '\\ No newline at end of file\n' : ''}`;
}
