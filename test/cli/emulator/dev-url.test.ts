import { expect, test } from 'vitest';
import { startService, text } from '../../support/service.ts';
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

const REFUSED: readonly [status: number, headers: Record<string, string>, stderr: string][] = [
  [302, { location: '/app/' }, 'redirects (302) to /app/'],
  [404, {}, 'answered 404'],
  [200, { 'x-frame-options': 'DENY' }, 'X-Frame-Options: DENY'],
  [200, { 'content-security-policy': POLICY }, "frame-ancestors 'none'"],
];

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
