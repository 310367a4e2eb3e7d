import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { laySample } from '../../src/engine/sample.ts';

/** These run wherever Electron's binary is; elsewhere they are reported as skipped. */
const ROOT = join(import.meta.dirname, '..', '..');
const names: Partial<Record<NodeJS.Platform, string>> = {
  win32: 'electron.exe',
  darwin: 'Electron.app/Contents/MacOS/Electron',
};
const binary = join(
  process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(ROOT, 'node_modules', 'electron', 'dist'),
  names[process.platform] ?? 'electron',
);
const display =
  process.platform !== 'linux' || process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;

test.skip(!existsSync(binary), "Electron's binary is not here");
test.skip(!display, 'there is no display');

async function launch(home: string) {
  await laySample(home);
  const env = { ...process.env, HOME: home, SESSIONCTL_HOME: join(home, '.sessionctl') } as Record<string, string>;
  return _electron.launch({ executablePath: binary, args: [ROOT, '--sample'], env });
}

test('opens on sample data, isolated from Node, and hands a session over', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sessionctl-electron-'));
  const app = await launch(home);
  try {
    const page = await app.firstWindow();
    await expect(page.getByRole('listbox', { name: 'Sessions' }).getByRole('option').first()).toBeVisible();
    expect(await page.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe('undefined');
    expect(await page.evaluate(() => Object.keys(window.sessionctl ?? {}).sort())).toEqual([
      'artifactUrl',
      'cancel',
      'host',
      'invoke',
      'subscribe',
    ]);
    await page.getByRole('option').filter({ hasText: 'The thousands test fails' }).first().click();
    await page.keyboard.press('h');
    const sheet = page.getByRole('dialog', { name: 'Continue in Codex' });
    await sheet.getByRole('button', { name: 'Continue in Codex' }).click();
    await expect(sheet.getByRole('heading', { name: 'Continued in Codex' })).toBeVisible();
    await expect(sheet.getByRole('button', { name: 'Open in terminal' })).toBeVisible();
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
});

test('refuses other pages and new windows', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sessionctl-electron-'));
  const app = await launch(home);
  try {
    const page = await app.firstWindow();
    await page.evaluate(() => window.open('https://example.org'));
    await page.evaluate(() => {
      window.location.href = 'https://example.org';
    });
    await expect(page).toHaveURL(/^app:\/\/sessionctl\//);
    expect(app.windows()).toHaveLength(1);
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
});
