import { existsSync } from 'node:fs';

const SHELL = '/usr/bin/chromium-headless-shell';

/** Debian's, unless a machine has one elsewhere. */
export const CHROMIUM = process.env.LECTERN_CHROMIUM ?? '/usr/bin/chromium';

/** Chromium without windows, in which tests take half of the time; where it is missing, the whole. */
export const HEADLESS =
  process.env.LECTERN_CHROMIUM === undefined && existsSync(SHELL) ? SHELL : CHROMIUM;

/** How Chromium is started here, by Playwright or its test runner. */
export const LAUNCH_OPTIONS = {
  executablePath: HEADLESS,
  // The first start after it was installed reads all of it from the disk.
  timeout: 180_000,
  // The sandbox of Chromium itself does not run as root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
};
