import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { clockAfter } from '../../support/clock.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import {
  attemptRecord,
  type Handler,
  json,
  launchFile,
  startService,
  text,
} from '../../support/service.ts';

const ATTEMPT = attemptRecord();

async function submit(handler: Handler, args: readonly string[] = ['--score', '0.5'], more = {}) {
  const service = await startService(handler);
  const file = launchFile(service.origin, more);
  const result = await lectern(['grade', 'submit', '-l', file, ...args]);
  return { ...result, requests: service.requests };
}

test.each<[string, Handler, number]>([
  ['200 success', json(200, ATTEMPT), 0],
  ['200 failed', json(200, { ...ATTEMPT, status: 'failed' }), 9],
  ['200 with HTML', text(200, '<html><title>Sign in</title></html>'), 10],
  ['200 empty', text(200, ''), 10],
  ['200 with another document', json(200, { ok: true }), 10],
  ['200 with an array', json(200, [ATTEMPT]), 10],
  ['401', json(401, { message: 'Invalid API key' }), 4],
  ['422', json(422, { detail: 'score must be between 0 and 1' }), 7],
  ['429', text(429, 'slow down', { 'retry-after': '30' }), 8],
  ['502 with HTML', text(502, '<html><h1>Bad Gateway</h1></html>'), 10],
])(
  'a grade POST with the response %s gives its exit code and is sent once',
  async (_, handler, exit) => {
    const result = await submit(handler);
    expect(result.exit, result.stderr).toBe(exit);
    expect(result.requests).toHaveLength(1);
    expect(result.requests[0]?.headers.authorization).toBe('Bearer launch-token-canary-1');
    expect(result.stderr).not.toContain('canary');
  },
);

test('an unreachable service means that nothing took effect: 8', async () => {
  const file = launchFile('http://127.0.0.1:9');
  const result = await lectern(['grade', 'submit', '-l', file, '--score', '1', '--json']);
  expect(result.exit).toBe(8);
  expect(JSON.parse(result.stderr)).toMatchObject({ error: { exit: 8, status: null } });
});

test.each([
  ['message', { message: 'the column is closed' }],
  ['error', { error: 'the column is closed' }],
  ['error.message', { error: { code: 7, message: 'the column is closed' } }],
  ['detail', { detail: 'the column is closed' }],
  ['an array of strings', { errors: ['the column is closed'] }],
  ['an array of objects', { errors: [{ field: 'x', message: 'the column is closed' }] }],
])('the reason of a refusal is read from %s', async (_, envelope) => {
  const result = await submit(json(422, envelope), ['--score', '0.5', '--json']);
  expect(result.exit).toBe(7);
  const { error } = JSON.parse(result.stderr) as { error: { message: string; status: number } };
  expect(error.status).toBe(422);
  expect(error.message).toContain('the column is closed');
});

test('a refusal with Retry-After prints how long to wait', async () => {
  const slow = await submit(text(429, 'slow down', { 'retry-after': '7200' }));
  expect([slow.exit, slow.stderr]).toEqual([
    8,
    expect.stringContaining('nothing took effect; the service asked to wait 2 h'),
  ]);
  const service = await startService(text(503, '', { 'retry-after': '120' }));
  const file = launchFile(service.origin);
  const down = await lectern(['storage', 'get', 'member', '-l', file]);
  expect([down.exit, down.stderr]).toEqual([8, expect.stringContaining('asked to wait 2 min')]);
});

test('a 403 without a message is recognized, whatever code its body has', async () => {
  const envelope = { error: { code: 'not_yours', message: '' } };
  const { exit, stderr } = await submit(json(403, envelope), ['--score', '1', '--json']);
  expect(exit).toBe(5);
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
  expect(error.code).toBe('auth.not_this_member');
  expect(error.message).not.toContain('not_yours');
});

test('a student who grades another student gets a hint, also from the emulator', async () => {
  const envelope = { error: { code: 'auth.not_this_member' } };
  const { exit, stderr } = await submit(json(403, envelope));
  expect(exit).toBe(5);
  expect(stderr).toContain('the service answered 403 (');
  expect(stderr).toContain('students can only grade themselves; use a staff launch or the API key');
});

test.each(['0.1', '.5', '1.', '+0.25', '1e-1', '00.5', '0.30'])(
  '--score %s is accepted',
  async (score) => {
    const result = await submit(json(200, ATTEMPT), ['--score', score, '--dry-run', '--json']);
    expect(result.exit, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ body: { score: Number(score) } });
  },
);

test.each([
  ['0.1/0.3', 1 / 3],
  ['8.7/10', 0.87],
  ['1.1/2.2', 0.5],
  ['0.07/7', 0.01],
  ['1e-7/1', 1e-7],
])('--points %s is sent as the fraction nearest to the exact one', async (points, score) => {
  const single = await submit(json(200, ATTEMPT), ['--points', points, '--dry-run', '--json']);
  expect(JSON.parse(single.stdout).body.score).toBe(score);
});

test('a single grade warns of earlier attempts in doubt for its member', async () => {
  let isDown = true;
  const { origin, requests } = await startService((request, response) =>
    (isDown ? text(500, 'oops') : json(200, ATTEMPT))(request, response),
  );
  const file = launchFile(origin);
  const home = temporaryFolder();
  const run = (...args: string[]) => lectern(['grade', 'submit', '-l', file, ...args], { home });
  const dryRun = ['--score', '0.5', '--dry-run', '--json'];
  expect(JSON.parse((await run(...dryRun)).stdout).findings).toEqual([]);
  expect((await run('--score', '0.5')).exit).toBe(10);
  isDown = false;
  expect(JSON.parse((await run(...dryRun)).stdout).findings).toMatchObject([
    {
      code: 'grade.in_doubt',
      severity: 'warning',
      message: 'an earlier attempt for member m-1 is in doubt',
    },
  ]);
  const again = await run('--score', '0.5');
  expect(again).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('warning: an earlier attempt for member m-1 is in doubt; '),
  });
  // The same grade was recorded, so that nothing is in doubt any more.
  expect((await run('--score', '0.6')).stderr).not.toContain('in doubt');
  expect(requests).toHaveLength(3);
});

test('an error text is cut and escaped, and never contains the token', async () => {
  const hostile = `\u001b[2J\u202e${'x'.repeat(100_000)}`;
  const long = await submit(text(422, hostile));
  expect(long.stderr.length).toBeLessThan(2_000);
  expect(long.stderr).not.toContain('\u001b');
  expect(long.stderr).not.toContain('\u202e');
  expect(long.stderr).toContain('\\u{1b}');
  const echo = await submit(text(403, 'Bearer launch-token-canary-1 may not'));
  expect(echo.stderr).toContain('[redacted]');
  expect(echo.stderr).not.toContain('canary');
});

test.each(['', 'NaN', 'é', 'Infinity'])(
  '--max-score %j is rejected as a number',
  async (maxScore) => {
    for (const given of [
      ['--score', '1'],
      ['--points', '1'],
      ['--from', '/dev/null'],
    ]) {
      const args = ['grade', 'submit', ...given, '--max-score', maxScore, '--json'];
      const { exit, stderr } = await lectern(args);
      expect([exit, JSON.parse(stderr)]).toEqual([
        3,
        { error: expect.objectContaining({ code: 'grade.max_score_not_number' }) },
      ]);
    }
  },
);

test.each<[string, string[], object, number]>([
  ['grade.submit is null', ['--score', '1'], { grade: { submit: null } }, 3],
  ['grade.submit is missing', ['--score', '1'], { grade: {} }, 3],
  ['the score is above 1', ['--score', '1.01'], {}, 3],
  ['the score has a decimal comma', ['--score', '0,5'], {}, 3],
  ['the score loses digits', ['--score', '1.0000000000000000001'], {}, 3],
  ['the score loses all its digits', ['--score', '1e-400'], {}, 3],
  ['the points have a maximum of 0', ['--points', '0/0'], {}, 3],
  ['the maximum of the points is too large', ['--points', '1/1e400'], {}, 3],
  ['the score is NaN', ['--score', 'NaN'], {}, 3],
  ['max_score is 0', ['--score', '1', '--max-score', '0'], {}, 3],
  [
    'an activity_progress has the wrong case',
    ['--score', '1', '--activity-progress', 'completed'],
    {},
    3,
  ],
  ['there is no score', [], {}, 2],
  ['the saved key is unknown', ['--score', '1', '-k', 'nobody'], {}, 2],
  ['there is no token', ['--score', '1'], { api: {} }, 4],
  [
    'the address has another origin than iss',
    ['--score', '1'],
    { iss: 'https://service.example' },
    4,
  ],
  ['the member is empty', ['--score', '1', '--member', ''], {}, 3],
])('nothing is sent if %s', async (_, args, claims, exit) => {
  const result = await submit(json(200, ATTEMPT), args, claims);
  expect(result.exit, result.stderr).toBe(exit);
  expect(result.requests).toHaveLength(0);
  expect(result.stdout).toBe('');
});

test.each<[string, string, string | undefined]>([
  [
    'under /contexts/',
    '/contexts/c/locations/l/members/m-1/grades?x=%2e%2e',
    '/contexts/c/locations/l/members/st%2Fu%20dent/grades?x=%2e%2e',
  ],
  ['below a path prefix', '/base/contexts/c/m-1/g', '/base/contexts/c/st%2Fu%20dent/g'],
  [
    'if another segment begins with it',
    '/contexts/m-11/x/m-1/m-1x',
    '/contexts/m-11/x/st%2Fu%20dent/m-1x',
  ],
  ['if it occurs twice', '/contexts/c/m-1/x/m-1', undefined],
  ['if it does not occur', '/contexts/c/x/y', undefined],
  ['under /account/v1/users/', '/account/v1/users/u/m-1/grades', undefined],
  ['elsewhere', '/grades/m-1', undefined],
])('--member changes only the member segment: %s', async (_, path, expected) => {
  const service = await startService(json(200, ATTEMPT));
  const file = launchFile(service.origin, { grade: { submit: service.origin + path } });
  const args = ['grade', 'submit', '-l', file, '--score', '0.5', '--member', 'st/u dent'];
  const result = await lectern(args);
  expect(service.requests.map((request) => request.target)).toEqual(expected ? [expected] : []);
  expect(result.exit).toBe(expected ? 0 : 3);
});

test.each([
  ['/contexts/c/l/m-1/grades', 0, 1],
  ['/account/v1/users/u/grades', 4, 0],
  ['/elsewhere/m-1', 4, 0],
])('the API key of the environment at %s: exit %i', async (path, exit, sent) => {
  const service = await startService(json(200, ATTEMPT));
  const file = launchFile(service.origin, { grade: { submit: service.origin + path } });
  const result = await lectern(['grade', 'submit', '-l', file, '--score', '0.5'], {
    env: { LECTERN_API_KEY: 'api-key-canary' },
  });
  expect(result.exit, result.stderr).toBe(exit);
  expect(service.requests).toHaveLength(sent);
  for (const request of service.requests) {
    expect(request.headers.authorization).toBe('Bearer api-key-canary');
  }
});

test('--dry-run shows the request and sends nothing', async () => {
  const result = await submit(json(200, ATTEMPT), ['--points', '42.5/50', '--dry-run', '--json']);
  expect(result.exit).toBe(0);
  expect(result.requests).toHaveLength(0);
  expect(JSON.parse(result.stdout)).toMatchObject({
    dry_run: true,
    method: 'POST',
    body: { score: 0.85, max_score: 50 },
    findings: [],
  });
});

test('--json prints the unchanged record of the service, with its digits and unknown fields', async () => {
  const record = JSON.stringify(ATTEMPT).replace('"score":0.5', '"score":0.50,"new":1e400');
  const result = await submit(text(200, record), ['--score', '0.5', '--json']);
  expect(result.exit).toBe(0);
  expect(result.stdout).toBe(`${record}\n`);
});

test('a POST that times out is in doubt after one call', async () => {
  const service = await startService(() => {});
  const args = ['-l', launchFile(service.origin), '--score', '0.5', '--timeout', '0.2'];
  const clock = clockAfter(service.requests, () => true);
  const result = await lectern(['grade', 'submit', ...args], { clock });
  expect(result.exit).toBe(10);
  expect(service.requests).toHaveLength(1);
  expect(result.stderr).toContain('in doubt');
});

test.each(['gzip', 'deflate', 'br'] as const)(
  'a record in a compressed response (%s) is read',
  async (encoding) => {
    const pack = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
    const result = await submit(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(pack(JSON.stringify(ATTEMPT)));
      },
      ['--score', '0.5', '--json'],
    );
    expect(result.exit, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual(ATTEMPT);
    expect(result.requests[0]?.headers['accept-encoding']).toBe('identity');
  },
);

test.each<[string, Handler]>([
  ['an unusual status', json(200, { ...ATTEMPT, status: 'weird' })],
  ['a 500', json(500, ATTEMPT)],
  [
    'a truncated body',
    (_, response) => {
      response.writeHead(200, { 'content-length': '4000' });
      response.write('{"id":"attempt-1","status":"success"', () => response.socket?.destroy());
    },
  ],
])('a response is stored even with %s, since there is no other record', async (_, handler) => {
  const service = await startService(handler);
  const home = temporaryFolder();
  const file = launchFile(service.origin);
  const sent = await lectern(['grade', 'submit', '-l', file, '--score', '0.5'], { home });
  expect(sent.exit).toBe(10);
  const log = await lectern(['grade', 'log', '--json'], { home });
  expect(log.stdout).toContain('attempt-1');
});
