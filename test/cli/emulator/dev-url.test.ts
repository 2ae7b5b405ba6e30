import { expect, test } from 'vitest';
import { type Handler, startService, text } from '../../support/service.ts';
import { emulated } from './running.ts';

const answerWith =
  (status: number, headers: Record<string, string>): Handler =>
  (_, response) =>
    void response.writeHead(status, headers).end('<p>');

test('emulator launch --dev-url prints the course page, and sends the server no credential', async () => {
  const { run } = await emulated();
  const { origin, requests } = await startService(text(200, '<p>'));
  const { exit, stdout } = await run(['emulator', 'launch', '--dev-url', `${origin}/app`]);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_emulator\/course\/\S+\n$/);
  expect(requests.map(({ target, headers }) => [target, headers.authorization])).toEqual([
    ['/app', undefined],
  ]);
});

test.each<[string, Handler, string]>([
  ['redirects', answerWith(302, { location: '/app/' }), 'redirects (302) to /app/'],
  ['answers 404', answerWith(404, {}), 'answered 404'],
  [
    'sends X-Frame-Options',
    answerWith(200, { 'x-frame-options': 'DENY' }),
    'X-Frame-Options: DENY',
  ],
  [
    'sends frame-ancestors',
    answerWith(200, { 'content-security-policy': "default-src *; frame-ancestors 'none'" }),
    "frame-ancestors 'none'",
  ],
])('emulator launch --dev-url refuses a server that %s', async (_, handler, message) => {
  const { run } = await emulated();
  const { origin } = await startService(handler);
  const { exit, stdout, stderr } = await run(['emulator', 'launch', '--dev-url', origin]);
  expect(stderr).toContain(message);
  expect([exit, stdout]).toEqual([2, '']);
});

test.each([
  ['on another host', 'http://192.0.2.1:5173', 'on loopback'],
  ['of a name', 'http://127.0.0.1.example:5173', 'on loopback'],
  ['with a user', 'http://a:b@127.0.0.1:5173', 'on loopback'],
  ['without a scheme', '127.0.0.1:5173', 'on loopback'],
  ['of a file', 'file:///etc/passwd', 'on loopback'],
  ['that nothing listens at', 'http://127.0.0.1:9', 'start the development server'],
])('emulator launch --dev-url refuses an address %s', async (_, url, message) => {
  const { run } = await emulated();
  const { exit, stderr } = await run(['emulator', 'launch', '--dev-url', url]);
  expect(stderr).toContain(message);
  expect(exit).toBe(2);
});
