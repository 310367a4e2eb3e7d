import { defineConfig } from '@playwright/test';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  testDir: 'e2e',
  testMatch: ['specs/**/*.spec.ts', 'electron/**/*.spec.ts'],
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  forbidOnly: true,
  expect: { timeout: 20_000 },
  use: {
    browserName: 'chromium',
    launchOptions: {
      ...(process.env.SESSIONCTL_CHROMIUM ? { executablePath: process.env.SESSIONCTL_CHROMIUM } : {}),
      args: flags,
    },
    viewport: { width: 1280, height: 800 },
    trace: 'retain-on-failure',
  },
});
