import { describe, expect, test } from 'vitest';
import { FastClock } from '../support/clock.ts';
import { lectern } from '../support/lectern.ts';
import { type Handler, launchFile, startService, text } from '../support/service.ts';

/** Each write that is answered with an empty 204, but for storage put: see test/hostile/answers.test.ts. */
const WRITES: Record<string, readonly string[]> = {
  PATCH: ['storage', 'patch', 'member', '--add', '/a=1'],
  DELETE: ['files', 'rm', 'member', 'k', '--yes'],
  'PUT provision': ['provision', 'context'],
};

/** Reads go well; the write is answered by `handler`. */
async function write(name: string, handler: Handler) {
  const service = await startService((request, response) => {
    if (request.method !== 'GET') return handler(request, response);
    response.end(request.target.includes('f%69les') ? '[]' : '{}');
  });
  const provision = { context: `${service.origin}/p/context?k=%2f` };
  const file = launchFile(service.origin, { provision });
  const options = { clock: new FastClock() };
  const result = await lectern([...(WRITES[name] ?? []), '-l', file], options);
  return { ...result, writes: service.requests.filter(({ method }) => method !== 'GET') };
}

describe.each(Object.keys(WRITES))('a write by %s', (name) => {
  test.each<[string, Handler, number]>([
    ['204', text(204), 0],
    ['200 without a body', text(200), 0],
    ['200 with a sign-in page', text(200, '<html><title>Sign in</title></html>'), 10],
    ['200 with JSON', text(200, '{}'), 10],
    ['301', text(301, '', { location: '/' }), 10],
    ['307', text(307, '', { location: '/' }), 10],
    ['401', text(401), 4],
    ['403', text(403), 5],
    ['404', text(404), 6],
    ['422', text(422, 'no'), 7],
    ['413', text(413), 7],
    ['500', text(500), 10],
  ])('with the response %s gives its exit code and is sent once', async (_, handler, exit) => {
    const result = await write(name, handler);
    expect(result.exit, result.stderr).toBe(exit);
    expect(result.writes).toHaveLength(1);
    expect(result.stderr).not.toContain('canary');
  });
});

test.each(Object.keys(WRITES))(
  'a write by %s with the response 429 took no effect: exit 8',
  async (name) => {
    const result = await write(name, text(429));
    expect(result.exit, result.stderr).toBe(8);
  },
);

test('a write does not follow a redirect, and sends the credential nowhere else', async () => {
  const elsewhere = await startService(text(204));
  const result = await write('PATCH', text(307, '', { location: `${elsewhere.origin}/row` }));
  expect(result.exit).toBe(10);
  expect(elsewhere.requests).toHaveLength(0);
});
