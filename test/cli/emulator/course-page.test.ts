import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated } from './running.ts';

const PAGE = /^http:\/\/127\.0\.0\.1:\d+\/_emulator\/course\/[0-9a-f]{18}$/;

test('emulator launch --print-url prints only the address of the course page, and also saves the launch', async () => {
  const { run, json } = await emulated();
  const { stdout } = await run('emulator launch --location sketch-1 --print-url --save amina');
  expect(stdout.trim()).toMatch(PAGE);
  expect((await run('storage get member -l amina')).exit).toBe(0);
  const printed = await json<{ course_page: string }>('emulator launch --print-url');
  expect(Object.keys(printed)).toEqual(['course_page']);
  expect(printed.course_page).toMatch(PAGE);
  const third = await run('emulator launch --third-party');
  expect(third.stdout.trim()).toMatch(/\?third-party$/);
});

test("emulator launch --open opens the page in the system's browser, and prints the claims", async () => {
  const { run } = await emulated();
  const folder = temporaryFolder();
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(
    `${folder}/${opener}`,
    `#!/bin/sh\necho "$1" > ${folder}/part\nmv ${folder}/part ${folder}/shown\n`,
  );
  chmodSync(`${folder}/${opener}`, 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const { exit, stdout } = await run('emulator launch --open', { env });
  expect(exit).toBe(0);
  const { launch_id } = JSON.parse(stdout) as { launch_id: string };
  let shown = '';
  while (shown === '') {
    await new Promise((resolve) => void setTimeout(resolve, 10));
    try {
      shown = readFileSync(`${folder}/shown`, 'utf8').trim();
    } catch {
      // It has not been started yet.
    }
  }
  expect(shown).toMatch(PAGE);
  expect(shown).toContain(launch_id);
});

test('emulator launch --open prints the address and the error if the browser fails', async () => {
  const { run } = await emulated();
  const folder = temporaryFolder();
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(`${folder}/${opener}`, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const { exit, stderr } = await run('emulator launch --open', { env });
  expect(exit).toBe(0);
  expect(stderr).toMatch(/^course page: http/m);
  expect(stderr).toMatch(/ended with exit code 3; open this page yourself: http/);
});

test('emulator launch --sign has no effect for a hosted tool, and prints a note', async () => {
  const { run } = await emulated();
  const hosted = await run('emulator launch --location sketch-1 --sign HS256');
  expect([hosted.exit, hosted.stderr]).toEqual([
    0,
    expect.stringContaining('--sign changes nothing'),
  ]);
  expect((await run('emulator launch --sign HS256')).stderr).not.toContain('--sign');
});

test('emulator launch --open prints the address if no browser can be started', async () => {
  const { run } = await emulated();
  const { exit, stderr } = await run('emulator launch --open', {
    env: { PATH: temporaryFolder() },
  });
  expect(exit).toBe(0);
  expect(stderr).toMatch(/open this page yourself: http/);
});
