import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, firstRun, sessionOf, test, watchErrors } from '../pages/host.ts';

test('first run shows what is found before anything is opened', async ({ page, host }) => {
  await page.goto(host.url);
  await expect(page.getByRole('heading', { name: 'Which sessions should be read?' })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Read Claude Code' })).toBeChecked();
  await page.getByRole('checkbox', { name: 'Read Claude Code' }).click();
  await expect(page.getByText('Nothing ticked.')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Read Claude Code' }).click();
  await firstRun(page);
});

test('the address works once', async ({ page, host, browser }) => {
  await page.goto(host.url);
  await expect(page.getByRole('heading', { name: 'Which sessions should be read?' })).toBeVisible();
  const other = await (await browser.newContext()).newPage();
  const answer = await other.goto(host.url);
  expect(answer?.status()).toBe(401);
});

test('sample data can be used instead', async ({ page, empty }) => {
  const errors = watchErrors(page);
  await page.goto(empty.url);
  await page.getByRole('button', { name: 'Use sample data instead' }).click();
  await expect(sessionOf(page, 'The thousands test fails')).toBeVisible();
  await expect(page.getByText('Sample data')).toBeVisible();
  expect(errors).toEqual([]);
});

test('search finds by words of titles and prompts, in any language', async ({ app }) => {
  const search = app.getByRole('textbox', { name: 'Search all sessions' });
  await search.fill('thousands');
  await expect(app.getByRole('listbox', { name: 'Sessions' }).getByRole('option')).toHaveCount(1);
  await search.fill('测试名');
  await expect(sessionOf(app, '测试名')).toBeVisible();
  await search.fill('no such words anywhere');
  await app.getByRole('tab', { name: /^Titles/ }).click();
  await expect(app.getByText('No session matches')).toBeVisible();
});

test('a transcript shows prompts, tools with what matters, diffs and failures', async ({ app }) => {
  await sessionOf(app, 'The thousands test fails').click();
  const transcript = app.getByRole('feed', { name: 'Transcript' });
  await expect(transcript.getByRole('article').last()).toBeVisible();
  await app.getByRole('button', { name: 'Previous prompt' }).click();
  await expect(transcript.getByText('Please fix parse_amount', { exact: false }).first()).toBeVisible();
  await app.getByRole('toolbar', { name: 'Show and jump' }).getByRole('button', { name: 'Next error' }).click();
  await expect(transcript.getByText(/exit 1|failed/).first()).toBeVisible();
});

test('an image is shown from the store', async ({ app }) => {
  await sessionOf(app, 'What does this chart').click();
  const image = app.getByRole('feed', { name: 'Transcript' }).locator('img').first();
  await expect(image).toBeVisible();
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
});

test('a rewound branch stays visible and is marked', async ({ app }) => {
  await sessionOf(app, 'How do I monitor it?').click();
  await expect(app.getByText('On a branch that was left')).toBeVisible();
});

test('a line appended by the agent shows up by itself, without a reload', async ({ app, host }) => {
  await sessionOf(app, 'And when would I use').click();
  const transcript = app.getByRole('feed', { name: 'Transcript' });
  await expect(transcript).toBeVisible();
  const [file = ''] = host.files('.claude').filter((name) => name.includes('-work-lru/'));
  const line = {
    type: 'user',
    uuid: crypto.randomUUID(),
    parentUuid: null,
    isSidechain: false,
    sessionId: 'live',
    timestamp: '2026-11-29T14:00:00.000Z',
    message: { role: 'user', content: 'LIVE-PROMPT typed just now' },
  };
  host.append(join(host.home, '.claude', file), line);
  await expect(app.getByText('LIVE-PROMPT typed just now').first()).toBeVisible();
});

test('the arrows and Enter work from the first moment on', async ({ app }) => {
  await expect(app.getByRole('listbox', { name: 'Sessions' }).getByRole('option').first()).toBeVisible();
  await app.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await app.keyboard.press('ArrowDown');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
});

test('the focused row stays that of its session when another one rises above it', async ({ app, host }) => {
  const list = app.getByRole('listbox', { name: 'Sessions' });
  const first = list.getByRole('option').first();
  await expect(first).not.toContainText('And when would I use');
  const id = (await first.getAttribute('data-session')) ?? '';
  await first.click();
  const focused = list.locator('[data-index][tabindex="0"]');
  await expect(focused).toHaveAttribute('data-session', id);
  const [file = ''] = host.files('.claude').filter((name) => name.includes('-work-lru/'));
  host.append(join(host.home, '.claude', file), {
    type: 'user',
    uuid: crypto.randomUUID(),
    parentUuid: null,
    isSidechain: false,
    sessionId: 'live',
    timestamp: '2031-01-01T00:00:00.000Z',
    message: { role: 'user', content: 'Rises to the top' },
  });
  await expect(first).toContainText('And when would I use');
  await expect(focused).toHaveAttribute('data-session', id);
  await expect(focused).not.toHaveAttribute('data-index', '0');
  await app.keyboard.press('Control+e');
  const dialog = app.getByRole('dialog', { name: 'Export' });
  await expect(dialog).toBeVisible();
  await expect(dialog).not.toContainText('And when would I use');
});

test('reload and deep links keep the place', async ({ app }) => {
  await sessionOf(app, 'The thousands test fails').click();
  await expect(app).toHaveURL(/\/s\/sess_/);
  await app.reload();
  await expect(app.getByRole('heading', { name: /The thousands test fails/ })).toBeVisible();
  await app.goBack();
});

test('a session is exported from the reader by keys alone, and the file is where the app says', async ({ app }) => {
  const errors = watchErrors(app);
  await sessionOf(app, 'The thousands test fails').click();
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  await app.keyboard.press('Control+e');
  const dialog = app.getByRole('dialog', { name: 'Export' });
  await expect(dialog.getByRole('button', { name: 'Write a web page' })).toBeFocused();
  await expect(dialog.getByRole('radio', { name: 'Web page' })).toBeChecked();
  await dialog.getByRole('radio', { name: 'Web page' }).focus();
  await app.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('radio', { name: 'Markdown' })).toBeChecked();
  await app.keyboard.press('Control+Enter');
  await expect(dialog.getByText(/^Written, /)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Close' }).last()).toBeFocused();
  const path = await dialog.getByText(/\.md$/).textContent();
  expect(await readFile(path?.trim() ?? '', 'utf8')).toContain('The thousands test fails');
  await app.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect(errors).toEqual([]);
});

test('what was said is found in any session, and leads to the place where it was said', async ({ app }) => {
  const errors = watchErrors(app);
  await app.keyboard.press('/');
  await app.keyboard.type('thousands');
  await app.getByRole('tab', { name: /All that was said/ }).click();
  const found = app.getByRole('listbox', { name: 'Found' });
  const hit = found
    .getByRole('option')
    .filter({ has: app.locator('mark') })
    .first();
  await expect(hit).toBeVisible();
  await expect(hit.locator('mark').first()).toHaveText(/thousands/i);
  await app.getByRole('textbox', { name: 'Search all sessions' }).press('ArrowDown');
  await app.keyboard.press('ArrowDown');
  await app.keyboard.press('Enter');
  await expect(app).toHaveURL(/\/s\/sess_[^/]+\/e\/\d+/);
  await expect(app.getByRole('feed', { name: 'Transcript' })).toContainText(/thousands/i);
  expect(errors).toEqual([]);
});

test('words that no title has show where they were said by themselves; none at all says so', async ({ app }) => {
  await app.keyboard.press('/');
  await app.keyboard.type('zzz-never-said');
  await expect(app.getByText('Nowhere said')).toBeVisible();
  await expect(app.getByRole('tab', { name: /All that was said/ })).toHaveAttribute('aria-selected', 'true');
});

test('a word is found in all of a session, folds included, by keys alone', async ({ app }) => {
  const errors = watchErrors(app);
  await sessionOf(app, 'The thousands test fails').click();
  const transcript = app.getByRole('feed', { name: 'Transcript' });
  await expect(transcript).toBeVisible();
  await app.keyboard.press('Control+f');
  const field = app.getByRole('textbox', { name: 'Find in this session' });
  await expect(field).toBeFocused();
  await app.keyboard.type('thousands');
  const bar = app.getByRole('toolbar', { name: 'Find in this session' });
  await expect(bar.getByRole('status')).toHaveText(/^\d+ hits?/);
  await app.keyboard.press('Enter');
  await expect(bar.getByRole('status')).toHaveText(/^\d+ of \d+/);
  await expect.poll(() => app.evaluate(() => CSS.highlights.get('found')?.size ?? 0)).toBeGreaterThan(0);
  await app.keyboard.press('Enter');
  await app.keyboard.press('Shift+Enter');
  await app.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  expect(await app.evaluate(() => CSS.highlights.has('found'))).toBe(false);
  expect(errors).toEqual([]);
});
