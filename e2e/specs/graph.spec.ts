import { expect, sessionOf, test, watchErrors } from '../pages/host.ts';

test('the graph of a family shows turns and sub-agents, and leads back to what was said', async ({ app }) => {
  const errors = watchErrors(app);
  await sessionOf(app, 'Survey our HTTP retry code').click();
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  await app.keyboard.press('g');
  await app.keyboard.press('g');
  const rows = app.getByRole('listbox', { name: 'Graph' }).getByRole('option');
  await expect(rows.first()).toBeFocused();
  await expect(app.getByRole('listbox', { name: 'Graph' }).getByText('subagent,').first()).toBeVisible();
  const all = await rows.count();
  await app.getByRole('button', { name: 'Subagents' }).click();
  await expect.poll(() => rows.count()).toBeLessThan(all);
  await rows.first().click();
  await app.keyboard.press('End');
  await expect(rows.last()).toBeFocused();
  await app.keyboard.press('Home');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  expect(errors).toEqual([]);
});

test('a row of the graph says in words what its signs say', async ({ app }) => {
  await sessionOf(app, 'The thousands test fails').click();
  await app.getByRole('link', { name: 'Graph' }).click();
  await expect(app.getByRole('option', { name: /^Start/ })).toBeVisible();
  await expect(app.getByRole('option', { name: /^Turn 1/ })).toBeVisible();
});
