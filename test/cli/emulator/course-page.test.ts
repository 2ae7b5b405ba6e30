import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { State } from '../../emulator/documents.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated } from './running.ts';
import { startService, text } from '../../support/service.ts';

const PAGE = /^http:\/\/127\.0\.0\.1:\d+\/_emulator\/course\/[0-9a-f]{18}$/m;

/** The environment of a command whose browser is a script; what it wrote to `shown`. */
function browser(script: string) {
  const folder = temporaryFolder();
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(`${folder}/${opener}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const shown = (): string =>
    existsSync(`${folder}/shown`) ? readFileSync(`${folder}/shown`, 'utf8').trim() : '';
  return { env: { PATH: `${folder}:${process.env.PATH}`, FOLDER: folder }, shown };
}

const SHOWN = 'echo "$@" > $FOLDER/part; mv $FOLDER/part $FOLDER/shown';

test('emulator launch --print-url prints only the address of the course page, and also saves the launch', async () => {
  const { step, json } = await emulated();
  const stdout = [PAGE, /^\S+\n$/];
  await step('emulator launch --location sketch-1 --print-url --save amina', { stdout });
  await step('storage get member -l amina');
  const course_page = expect.stringMatching(PAGE);
  expect(await json('emulator launch --print-url')).toEqual({ course_page });
  await step('emulator launch --third-party', { stdout: /\?third-party\n$/ });
});

test("emulator launch --open opens the page in the system's browser, and prints the claims", async () => {
  const { step, run } = await emulated();
  const { env, shown } = browser(SHOWN);
  const { stdout } = await run('emulator launch --open', { env });
  await expect.poll(shown).toMatch(PAGE);
  expect(shown()).toContain((JSON.parse(stdout) as { launch_id: string }).launch_id);
  const failed = [/^course page: http/m, /exit code 3; open this page yourself: http/];
  await step('emulator launch --open', { env: browser('exit 3').env, stderr: failed });
  const none = { PATH: temporaryFolder() };
  await step('emulator launch --open # open this page yourself: http', { env: none });
});

test('emulator launch --sign has no effect for a hosted tool, and prints a note', async () => {
  const { step } = await emulated();
  await step('emulator launch --location sketch-1 --sign HS256 # --sign changes nothing');
  await step('emulator launch --sign HS256', { stderr: '' });
});

test('emulator open --print prints an address whose code works once', async () => {
  const { step, started } = await emulated();
  const { stdout } = await step('emulator open Rows --print');
  const { pathname, hash, origin } = new URL(stdout.trim());
  expect([origin, pathname]).toEqual([started.ready.base_url, '/_emulator/console/rows']);
  const trade = () =>
    fetch(`${origin}/_emulator/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: hash.replace('#code=', '') }),
    });
  expect([(await trade()).status, (await trade()).status]).toEqual([200, 401]);
  await step('emulator open trafic # exit 2: traffic');
});

test('emulator open passes the browser a file that only the user can read, and no code', async () => {
  const { step } = await emulated();
  const { env, shown } = browser(SHOWN);
  await step('emulator open traffic # works once, for 60 seconds', { env });
  await expect.poll(shown).toMatch(/^\S+open-console\.html$/);
  expect(statSync(shown()).mode & 0o777).toBe(0o600);
  const page = /url=http:\S+\/_emulator\/console\/traffic#code=/;
  expect(readFileSync(shown(), 'utf8')).toMatch(page);
});

test('emulator launch --dev-url prints the course page, and sends the server no credential', async () => {
  const { step, json } = await emulated();
  const { origin, requests } = await startService(text(200, '<p>'));
  const stdout = /^http:\/\/127\.0\.0\.1:\d+\/_emulator\/course\/\S+\n$/;
  await step(`emulator launch --dev-url ${origin}/app`, { stdout });
  const seen = requests.map(({ target, headers }) => [target, headers.authorization]);
  expect(seen).toEqual([['/app', undefined]]);
  const { tokens } = await json<State>('emulator state');
  await step(`emulator launch --dev-url ${origin} --location essay-1 # exit 2: essay is external`);
  expect((await json<State>('emulator state')).tokens).toEqual(tokens);
});

const POLICY = "default-src *; frame-ancestors 'none'";

const REFUSED: readonly [status: number, headers: Record<string, string>, stderr: string][] = [
  [302, { location: '/app/' }, 'redirects (302) to /app/'],
  [404, {}, 'answered 404'],
  [200, { 'x-frame-options': 'DENY' }, 'X-Frame-Options: DENY'],
  [200, { 'content-security-policy': POLICY }, "frame-ancestors 'none'"],
  [200, { 'content-security-policy': 'frame-ancestors http://127.0.0.1:1' }, '127.0.0.1:1'],
  [200, { 'content-security-policy': "frame-ancestors *, frame-ancestors 'self'" }, "'self'"],
];

test('emulator launch --dev-url accepts a server whose policy lets the course page frame it', async () => {
  const { step, started } = await emulated();
  const { origin: page } = new URL(started.ready.base_url);
  for (const ancestors of ['*', 'HTTP:', `'self' ${page}`, '127.0.0.1:*', `https://a.b ${page}`]) {
    const headers = {
      'content-security-policy': `frame-ancestors ${ancestors}`,
      'x-frame-options': 'DENY',
    };
    const { origin } = await startService(text(200, '<p>', headers));
    await step(`emulator launch --dev-url ${origin}`);
  }
});

test('emulator launch --dev-url refuses a server that shows nothing in a frame', async () => {
  const { step } = await emulated();
  for (const [status, headers, stderr] of REFUSED) {
    const { origin } = await startService(text(status, '<p>', headers));
    await step(`emulator launch --dev-url ${origin}`, { exit: 2, stdout: '', stderr });
  }
});

test('emulator launch --dev-url refuses an address of another machine, or without a server', async () => {
  const { step } = await emulated();
  await step(`
    emulator launch --dev-url http://192.0.2.1:5173 # exit 2: on loopback
    emulator launch --dev-url http://127.0.0.1.example:5173 # exit 2: on loopback
    emulator launch --dev-url http://a:b@127.0.0.1:5173 # exit 2: on loopback
    emulator launch --dev-url 127.0.0.1:5173 # exit 2: on loopback
    emulator launch --dev-url file:///etc/passwd # exit 2: on loopback
    emulator launch --dev-url http://127.0.0.1:9 # exit 2: start the development server`);
});
