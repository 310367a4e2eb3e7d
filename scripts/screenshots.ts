// npm run screenshots: takes the pictures of docs/screenshots again, on sample sessions, in light and dark.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, expect, type Page } from '@playwright/test';
import { firstRun, Host, sessionOf } from '../e2e/pages/host.ts';
import { findChromium } from './chromium.mjs';

const folder = join(import.meta.dirname, '..', 'docs', 'screenshots');
const executablePath = findChromium();
if (executablePath === null) throw new Error('No Chromium was found; set SESSIONCTL_CHROMIUM to its path.');
mkdirSync(folder, { recursive: true });

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const browser = await chromium.launch({
  executablePath,
  args: [...args, '--disable-component-update', '--disable-sync'],
});
const host = new Host();
await host.start({ sessions: true });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

/** One view in both themes. */
async function shoot(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}

async function openSheet(view: Page) {
  await view.keyboard.press('h');
  const sheet = view.getByRole('dialog', { name: 'Continue in Codex' });
  await expect(sheet.getByText('What will be lost')).toBeVisible();
  return sheet;
}

try {
  await page.goto(host.url);
  await expect(page.getByRole('checkbox', { name: 'Read Claude Code' })).toBeChecked();
  await shoot('first-run');
  await firstRun(page);
  await shoot('list');
  await sessionOf(page, 'Survey our HTTP retry code').click();
  await expect(page.getByRole('feed', { name: 'Transcript' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('g');
  await expect(page.getByRole('option', { name: /subagent/i }).first()).toBeVisible();
  await shoot('graph');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await sessionOf(page, 'The thousands test fails').click();
  await expect(page.getByRole('feed', { name: 'Transcript' }).getByRole('article').last()).toBeVisible();
  await page.getByRole('button', { name: 'Previous error' }).click();
  await shoot('transcript');
  const sheet = await openSheet(page);
  await shoot('handoff');
  await sheet.getByRole('button', { name: 'Continue in Codex' }).click();
  await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
  await shoot('handoff-done');
  await sheet.getByRole('button', { name: 'See receipt' }).click();
  await page
    .getByRole('button', { name: /^Verify/ })
    .first()
    .click();
  await expect(page.getByRole('status').filter({ hasText: 'Verified' })).toBeVisible();
  await shoot('receipt');
} finally {
  await browser.close();
  await host.stop();
}
