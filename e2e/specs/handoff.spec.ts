import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, sessionOf, test } from '../pages/host.ts';

const TITLE = 'The thousands test fails';

test('hands a session over by mouse: drag onto Codex, read the sheet, continue, verify the receipt', async ({
  app,
  host,
}) => {
  const before = host.files('.claude');
  await sessionOf(app, TITLE).click();
  await expect(app.getByRole('heading', { name: new RegExp(TITLE) })).toBeVisible();

  const row = await sessionOf(app, TITLE).boundingBox();
  if (row === null) throw new Error('the row has no place');
  await app.mouse.move(row.x + 60, row.y + 10);
  await app.mouse.down();
  await app.mouse.move(row.x + 120, row.y + 40, { steps: 5 });
  const target = app.getByLabel('Agent dock').getByRole('button', { name: /^Codex Native/ });
  await expect(target).toBeVisible();
  expect(host.files('.codex')).toEqual([]);
  const box = await target.boundingBox();
  if (box === null) throw new Error('the target has no place');
  await app.mouse.move(box.x + 10, box.y + 5, { steps: 8 });
  await app.mouse.up();

  const sheet = app.getByRole('dialog', { name: 'Continue in Codex' });
  await expect(sheet.getByText('What will be lost')).toBeVisible();
  await expect(sheet.getByText(/codex resume/)).toBeVisible();
  expect(host.files('.codex')).toEqual([]);
  await sheet.getByRole('button', { name: 'Continue in Codex' }).click();

  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  const written = host.files('.codex');
  expect(written).toHaveLength(1);
  const rollout = readFileSync(join(host.home, '.codex', written[0] ?? ''), 'utf8');
  expect(rollout).toContain('parse_amount');
  expect(rollout.match(/"type":"function_call"/g)?.length).toBe(19);
  expect(host.files('.claude')).toEqual(before);

  await sheet.getByRole('button', { name: 'See receipt' }).click();
  // a receipt is checked when it is opened
  await expect(app.getByRole('status').filter({ hasText: 'Verified' })).toBeVisible();
  await app.getByRole('button', { name: 'Verify again' }).click();
  await expect(app.getByRole('status').filter({ hasText: 'Verified' })).toBeVisible();
});

test('hands a session over by keys alone', async ({ app, host }) => {
  await app.keyboard.press('/');
  await app.keyboard.type('thousands');
  await expect(sessionOf(app, TITLE)).toBeVisible();
  // it stood in the whole list too: the keys below are about what was found
  await expect(app.getByRole('listbox', { name: 'Sessions' }).getByRole('option')).toHaveCount(1);
  await app.keyboard.press('Escape');
  await app.keyboard.press('j');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('heading', { name: new RegExp(TITLE) })).toBeVisible();
  await app.keyboard.press('h');
  const sheet = app.getByRole('dialog', { name: 'Continue in Codex' });
  await expect(sheet.getByText('What will be lost')).toBeVisible();
  await app.keyboard.press('Control+Enter');
  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  expect(host.files('.codex')).toHaveLength(1);
  await app.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await app.keyboard.press('g');
  await app.keyboard.press('v');
  await expect(app.getByRole('listbox', { name: 'Receipts' }).getByRole('option')).toHaveCount(1);
});

test('a cancelled sheet writes nothing', async ({ app, host }) => {
  await sessionOf(app, TITLE).click();
  await app.keyboard.press('h');
  await expect(app.getByRole('dialog', { name: 'Continue in Codex' }).getByText('What will be lost')).toBeVisible();
  await app.keyboard.press('Escape');
  expect(host.files('.codex')).toEqual([]);
});

test('undo removes the written session', async ({ app, host }) => {
  await sessionOf(app, TITLE).click();
  await app.keyboard.press('h');
  const sheet = app.getByRole('dialog', { name: 'Continue in Codex' });
  await sheet.getByRole('button', { name: 'Continue in Codex' }).click();
  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  await sheet.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => host.files('.codex').length).toBe(0);
});

test('another folder can be named in the sheet, and a handoff of any day taken back from its receipt', async ({
  app,
  host,
}) => {
  await sessionOf(app, TITLE).click();
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  await app.keyboard.press('h');
  const sheet = app.getByRole('dialog', { name: 'Continue in Codex' });
  const folder = sheet.getByRole('textbox', { name: 'Folder' });
  await folder.fill(host.home);
  await folder.press('Enter');
  await expect(sheet.getByText(`cd ${host.home} && codex resume`, { exact: false })).toBeVisible();
  await sheet.getByRole('button', { name: 'Continue in Codex' }).click();
  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  expect(host.files('.codex')).toHaveLength(1);

  await sheet.getByRole('button', { name: /receipt/i }).click();
  await app.getByRole('button', { name: 'Take the handoff back' }).click();
  await expect.poll(() => host.files('.codex')).toHaveLength(0);
});
