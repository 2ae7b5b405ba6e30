import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { zipOf } from '../support/zip.ts';
import { commandShown, until } from './console.ts';
import { browserTest } from './support.ts';
import { openTerminal } from './terminal.ts';

/** Presses a button; what it does takes effect later. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

browserTest('the commands shown on pages without data run', async () => {
  const { go, shown, here, folder, ask, page } = await openTerminal();
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  // Each page, with a part of the command that it shows once it has loaded.
  const beginnings = [
    ['', 'storage get'],
    ['files', 'files upload'],
    ['gradebook', 'grade submit'],
    ['traffic', 'launch check'],
    ['rows', 'show rows'],
    ['tokens', '--save student'],
    ['report', 'launch check'],
  ] as const;
  const listed: string[] = [];
  for (const [path, word] of beginnings) {
    await go(path);
    await commandShown(page, word);
    listed.push(...(await shown()));
  }
  const commands = [...new Set(listed)].filter((each) => !each.includes('--follow'));
  expect(commands.length).toBeGreaterThan(9);
  // The first command makes the launch that all others name.
  const [launch = '', ...others] = commands;
  expect(launch).toContain('--save student');
  await here(launch);
  await Promise.all(others.map((command) => here(command)));
  const { attempts, files } = await ask('summary');
  expect([attempts, files]).toEqual([1, 1]);
});

browserTest('Gradebook, Clock and Faults show a command that does what a click does', async () => {
  const { page, go, shown, here, ask, emulator } = await openTerminal();
  const last = async (word: string): Promise<string> => (await shown(word)).at(-1) ?? '';
  const lms = async (): Promise<unknown> => (await ask('world')).locations.map((each) => each.lms);
  await go('gradebook');
  await page.getByText('Refuse some scores only').click();
  await page.getByLabel('Only this member').fill('member-111');
  await page.getByLabel('Times').fill('2');
  const modes = [
    ['Refuse', () => page.getByLabel('Refuse', { exact: true }).check()],
    ['No column', () => page.getByLabel('No column').check()],
    ['--times 2', () => press(page, 'Refuse these')],
  ] as const;
  for (const [name, choose] of modes) {
    const before = await last('emulator lms');
    await choose();
    await until(async () => (await last('emulator lms')) !== before, true);
    const clicked = await lms();
    // From another state than the click began with.
    await emulator.control('lms', { scope: 'score', column: 'missing', refuse: { status: 500 } });
    await here(await last('emulator lms'));
    expect([name, await lms()]).toEqual([name, clicked]);
  }
  await go('clock');
  const offset = async (): Promise<number> => Math.round((await ask('clock')).offset_ms / 10_000);
  await press(page, '+1 day');
  await until(() => last('emulator clock'), 'lectern emulator clock advance 1d');
  const ahead = await offset();
  expect(ahead).toBeGreaterThan(0);
  await emulator.control('clock', { machine: true });
  await here(await last('emulator clock'));
  expect(await offset()).toBe(ahead);
  await press(page, 'Back to now');
  await until(() => last('emulator clock'), 'lectern emulator clock reset');
  await go('faults');
  await page.getByText('A fault of your own').click();
  /** What waits, whatever its numbers. */
  const faults = async (): Promise<string> =>
    JSON.stringify((await ask('faults')).faults, (key, value: unknown) =>
      key === 'id' ? undefined : value,
    );
  for (const name of ['503 once', 'Slow', 'Add the fault']) {
    if (name === 'Add the fault') {
      const path = page.getByLabel('Path, a regular expression');
      await path.fill('(');
      await press(page, name);
      await page.getByRole('alert').getByText('not a valid regular expression').waitFor();
      await path.fill("/it's $HOME (row|scores)");
      await until(() => page.getByRole('alert').count(), 0);
      await page.getByLabel('Method').selectOption('PUT');
      await page.getByLabel('Times').fill('3');
      await page.getByLabel('Effect').selectOption('429');
    }
    await press(page, name);
    await page.getByRole('table', { name: 'Waiting faults' }).waitFor();
    const clicked = await faults();
    await press(page, 'Remove');
    await page.getByText('None: every request').waitFor();
    await here((await shown('fault --'))[0] ?? '');
    expect([name, await faults()]).toEqual([name, clicked]);
    await emulator.control('fault/clear', {});
    await page.getByText('None: every request').waitFor();
  }
});

browserTest('Launch, Rows, Files, Tokens and Tools show commands that do the same', async () => {
  const { page, go, shown, here, ask, folder, emulator, launch } = await openTerminal();
  await go('launch');
  await page.getByLabel('Course').selectOption('History 202');
  await page.getByLabel('Person').fill('greta');
  await page.getByRole('option', { name: 'Greta' }).click();
  await commandShown(page, '--member member-212');
  const [launchCommand = ''] = await shown('emulator launch');
  expect(JSON.parse(await here(launchCommand))).toMatchObject({
    context: 'history-202',
    user: { member: 'member-212' },
  });
  writeFileSync(join(folder, 'row.json'), '{"rate":1.10}');
  await go('rows/member/essay/member-111');
  await page.getByRole('region', { name: 'History' }).waitFor();
  for (const command of await shown('show row')) await here(command);
  await until(() => page.getByLabel('Row as JSON').inputValue(), '{"rate":1.10}');
  for (const row of ['context/essay/biology-102', 'location/essay/essay-102']) {
    await go(`rows/${row}`);
    await page.getByText('unprovisioned: every call').waitFor();
    await commandShown(page, 'provision-request --location essay-102');
    await here((await shown('provision-request'))[0] ?? '');
    await until(() => page.getByText('unprovisioned: every call').count(), 0);
  }
  for (const row of ['member/essay/member-111', 'context/essay/biology-101']) {
    writeFileSync(join(folder, 'FILE'), row);
    await go(`files/${row}`);
    await page.getByLabel('Key (default').fill('essay.txt');
    await commandShown(page, '--save files');
    await commandShown(page, '--key essay.txt');
    for (const command of (await shown()).slice(0, 2)) await here(command);
    await press(page, 'Download essay.txt');
    await until(async () => (await shown('files download')).length, 1);
    expect(await here((await shown('files download'))[0] ?? '')).toBe(row);
    await press(page, 'Delete essay.txt');
    await page.getByText('No files yet.').waitFor();
    await until(async () => (await shown('files rm')).length, 1);
    await here((await shown('files rm'))[0] ?? '');
  }
  await launch();
  const { token } = await launch({ role: 'instructor' });
  await go('tokens');
  await page.getByRole('button', { name: 'End' }).first().waitFor();
  await here((await shown('token end'))[0] ?? '');
  const { tokens: all } = await ask('state');
  const live = all.filter(({ ended }) => ended === '');
  await until(async () => page.getByRole('button', { name: 'End' }).count(), live.length);
  expect(token).toMatch(/^lt_/);
  await go('tools');
  const status = async (): Promise<string | undefined> => (await ask('world')).tools[0]?.status;
  for (const [name, verb, then] of [
    ['Suspend', 'suspend', 'suspended'],
    ['Activate', 'activate', 'active'],
    ['Replace code', 'replace-code', 'active'],
  ] as const) {
    await press(page, name);
    await commandShown(page, `tool ${verb} essay`);
    const [command = ''] = await shown(`tool ${verb} essay`);
    // The page begins with the command that suspends.
    await until(status, then);
    await emulator.control('tool', {
      tool: 'essay',
      action: verb === 'activate' ? 'suspend' : 'activate',
    });
    await here(command);
    expect([name, await status()]).toEqual([name, then]);
  }
  await press(page, 'Reveal API key of essay');
  const key = await page.getByText(/^key_/).innerText();
  expect(await here((await shown('emulator key'))[0] ?? '')).toContain(key);
  writeFileSync(join(folder, "it's.zip"), zipOf([{ name: 'index.html', content: 'hello' }]));
  await page.getByLabel('Upload code').setInputFiles(join(folder, "it's.zip"));
  await commandShown(page, 'tool upload');
  await here((await shown('tool upload'))[0] ?? '');
  expect((await ask('world')).tools.map(({ codes }) => codes.length)).toContain(2);
});

browserTest('Traffic shows and copies commands that send a request again', async () => {
  const { page, go, shown, here, ask, launch } = await openTerminal();
  await go('traffic');
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  const student = await launch({ role: 'student' });
  await student.get(student.row('member'));
  await go('traffic/1');
  const copied: string[] = [];
  for (const program of ['curl', 'lectern']) {
    await page.bringToFront();
    await press(page, `Copy as ${program}`);
    await page.getByText(`${program} command copied`).waitFor();
    copied.push(await page.evaluate<string>('navigator.clipboard.readText()'));
  }
  expect(copied).toEqual([
    expect.stringMatching(/^curl .*Bearer \$TOKEN/),
    expect.stringMatching(/^lectern storage get /),
  ]);
  await here((await shown('--replay'))[0] ?? '');
  expect((await ask('requests')).requests).toHaveLength(2);
});
