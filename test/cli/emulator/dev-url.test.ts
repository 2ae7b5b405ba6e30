import { expect, test } from 'vitest';
import { startService, text } from '../../support/service.ts';
import { linesIn } from '../../support/steps.ts';
import { emulated } from './running.ts';

test('emulator launch --dev-url prints the course page, and sends the server no credential', async () => {
  const { step } = await emulated();
  const { origin, requests } = await startService(text(200, '<p>'));
  const stdout = /^http:\/\/127\.0\.0\.1:\d+\/_emulator\/course\/\S+\n$/;
  await step(`emulator launch --dev-url ${origin}/app`, { stdout });
  const seen = requests.map(({ target, headers }) => [target, headers.authorization]);
  expect(seen).toEqual([['/app', undefined]]);
});

const POLICY = "default-src *; frame-ancestors 'none'";

test.each<[name: string, status: number, headers: Record<string, string>, stderr: string]>([
  ['redirects', 302, { location: '/app/' }, 'redirects (302) to /app/'],
  ['answers 404', 404, {}, 'answered 404'],
  ['sends X-Frame-Options', 200, { 'x-frame-options': 'DENY' }, 'X-Frame-Options: DENY'],
  ['sends frame-ancestors', 200, { 'content-security-policy': POLICY }, "frame-ancestors 'none'"],
])('emulator launch --dev-url refuses a server that %s', async (_, status, headers, stderr) => {
  const { step } = await emulated();
  const { origin } = await startService(text(status, '<p>', headers));
  await step(`emulator launch --dev-url ${origin}`, { exit: 2, stdout: '', stderr });
});

test.each(
  linesIn(`
  http://192.0.2.1:5173 # exit 2: on loopback
  http://127.0.0.1.example:5173 # exit 2: on loopback
  http://a:b@127.0.0.1:5173 # exit 2: on loopback
  127.0.0.1:5173 # exit 2: on loopback
  file:///etc/passwd # exit 2: on loopback
  http://127.0.0.1:9 # exit 2: start the development server`),
)('emulator launch --dev-url refuses the address %s', async (url) => {
  const { step } = await emulated();
  await step(`emulator launch --dev-url ${url}`);
});
