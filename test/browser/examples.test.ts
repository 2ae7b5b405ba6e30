/** The tool of docs/examples/hosted-tool, and the tool and the suite of docs/tools.md, as they are. */
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect } from 'vitest';
import { binary, folderOfBinary } from '../support/binary.ts';
import { installed } from '../support/installed.ts';
import { LAUNCH_OPTIONS } from './chromium.ts';
import { browserTest, emulated, emulatedHere, openCourse, type Course } from './support.ts';

const sample = Object.fromEntries(
  ['index.html', 'tool.js', 'tool.css'].map((name) => [
    name,
    readFileSync(`docs/examples/hosted-tool/${name}`, 'utf8'),
  ]),
);

async function opened(files: Readonly<Record<string, string>>): Promise<Course> {
  const emulator = await emulatedHere();
  await emulator.upload(files);
  return openCourse(emulator);
}

/** What the report says that the tool did wrong. */
async function findingsOf({ emulator }: Course): Promise<readonly object[]> {
  const { requests, findings } = await emulator.control('report');
  expect(requests).toBeGreaterThan(0);
  return findings;
}

browserTest('the sample saves, uploads, submits a grade, and reads back its row', async () => {
  const course = await opened(sample);
  const tool = course.page.frameLocator('iframe[title="Tool"]');
  const status = tool.getByRole('status');
  await status.getByText('Nothing saved yet.').waitFor();
  await tool.getByLabel('Your notes').fill('Cells divide');
  await tool
    .getByLabel('Attach a file')
    .setInputFiles({ name: 'cell.txt', mimeType: 'text/plain', buffer: Buffer.from('cell') });
  await tool.getByRole('button', { name: 'Save' }).click();
  await status.getByText('Saved, with cell.txt.').waitFor();
  await tool.getByRole('button', { name: 'Hand in' }).click();
  await status.getByText('Handed in: 2 words, 2 %.').waitFor();
  await course.page.reload();
  await status.getByText('This is what you saved.').waitFor();
  expect(await tool.getByLabel('Your notes').inputValue()).toBe('Cells divide');
  const { files, attempts } = await course.emulator.control('state');
  expect(files).toMatchObject([{ key: 'cell.txt', size: 4 }]);
  expect(attempts).toMatchObject([{ status: 'success', score: 0.02 }]);
  expect(await findingsOf(course)).toEqual([]);
});

browserTest('the example seed opens the sample, which shows its rows unchanged', async () => {
  const emulator = await emulated(['--seed', 'example']);
  const course = await openCourse(emulator, { tool: undefined });
  const tool = course.page.frameLocator('iframe[title="Tool"]');
  const rows = tool.getByLabel('Rows of this launch');
  await rows.getByText('member_location').waitFor();
  await tool.getByLabel('Your notes').fill('Tides');
  await tool.getByRole('button', { name: 'Hand in' }).click();
  await tool.getByText('Handed in: 1 words, 1 %.').waitFor();
  expect(await rows.locator('dd').allTextContents()).toEqual([
    '{}',
    '{}',
    '{}',
    '{"notes":"Tides"}',
  ]);
  expect(await findingsOf(course)).toEqual([]);
});

for (const keeps of [true, false]) {
  browserTest(`the sample ${keeps ? 'stays' : 'goes'} when its session ends`, async () => {
    const course = await opened(sample);
    const tool = course.page.frameLocator('iframe[title="Tool"]');
    await tool.getByText('Nothing saved yet.').waitFor();
    await tool.getByLabel('Keep my text').setChecked(keeps);
    await course.emulator.control('clock', { advance_seconds: 12 * 60 * 60 });
    await tool.getByRole('button', { name: 'Save' }).click();
    await course.says(keeps ? 'handled service-session-expired' : 'ran without preventDefault()');
    const words = keeps ? 'Keep my text' : 'Your session has ended';
    await tool.getByText(words).first().waitFor();
    expect(await findingsOf(course)).toEqual([]);
  });
}

/** The first block of a language in docs/tools.md that has some words in it. */
function blockWith(language: string, words: string): string {
  const blocks = readFileSync('docs/tools.md', 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  const found = [...blocks].find(([, name, text]) => name === language && text?.includes(words));
  if (!found) throw new Error(`docs/tools.md has no block of ${language} with ${words}`);
  return found[2] as string;
}

/** Patience for a busy machine; a reader's suite needs none of it. */
const CONFIG = {
  use: { launchOptions: LAUNCH_OPTIONS },
  timeout: 180_000,
  expect: { timeout: 60_000 },
};
const PLAYWRIGHT = [process.execPath, 'node_modules/@playwright/test/cli.js', 'test'] as const;

browserTest('the Playwright suites of the docs pass under emulator exec', async () => {
  const tool = Object.entries(sample).map(([name, text]) => [`hosted-tool/${name}`, text]);
  const cwd = installed({
    'playwright.config.js': `export default ${JSON.stringify(CONFIG)};`,
    // The example of lectern/playwright, which has its own emulator.
    ...Object.fromEntries(tool),
    'notes.spec.js': readFileSync('docs/examples/playwright/notes.spec.js', 'utf8'),
    'my-tool/index.html': blockWith('html', 'Hand in'),
    'tool.spec.js': blockWith('js', '@playwright/test'),
  });
  const { exit, stdout, stderr } = await binary(['emulator', 'exec', '--', ...PLAYWRIGHT], {
    cwd,
    env: { PATH: `${folderOfBinary()}${delimiter}${process.env.PATH}` },
  });
  expect(stdout + stderr).toContain('2 passed');
  expect(exit).toBe(0);
});
