import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, sessionOf, test } from '../pages/host.ts';

/** No serious or critical fault, in light and in dark. */
async function clean(page: Page, view: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
      .analyze();
    const serious = violations.filter((violation) => violation.impact === 'serious' || violation.impact === 'critical');
    expect(
      serious.map((violation) => `${view}, ${scheme}: ${violation.id} at ${violation.nodes[0]?.html.slice(0, 200)}`),
    ).toEqual([]);
  }
}

test('first run', async ({ page, host }) => {
  await page.goto(host.url);
  await expect(page.getByRole('heading', { name: 'Which sessions should be read?' })).toBeVisible();
  await clean(page, 'first run');
});

test('list, transcript and palette', async ({ app }) => {
  test.slow();
  await clean(app, 'list');
  await sessionOf(app, 'The thousands test fails').click();
  await expect(app.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  await clean(app, 'transcript');
  await app.keyboard.press('Control+e');
  await expect(app.getByRole('dialog', { name: 'Export' })).toBeVisible();
  await clean(app, 'export');
  await app.keyboard.press('Escape');
  await expect(app.getByRole('dialog', { name: 'Export' })).toBeHidden();
  await app.keyboard.press('Control+k');
  await expect(app.getByRole('combobox', { name: 'Command palette' })).toBeVisible();
  await clean(app, 'palette');
});

test('handoff sheet, result and receipts', async ({ app }) => {
  test.slow();
  await sessionOf(app, 'The thousands test fails').click();
  await app.keyboard.press('h');
  const sheet = app.getByRole('dialog', { name: 'Continue in Codex' });
  await expect(sheet.getByText('What will be lost')).toBeVisible();
  await clean(app, 'handoff sheet');
  await sheet.getByRole('button', { name: 'Continue in Codex' }).click();
  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  await clean(app, 'handoff result');
  await sheet.getByRole('button', { name: 'See receipt' }).click();
  await expect(app.getByRole('listbox', { name: 'Receipts' })).toBeVisible();
  await clean(app, 'receipts');
});

test('nothing overflows sideways at any width', async ({ app }) => {
  for (const width of [900, 1100, 1280, 1920]) {
    await app.setViewportSize({ width, height: 800 });
    const over = await app.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(over, `at ${width}`).toBeLessThanOrEqual(0);
  }
});
