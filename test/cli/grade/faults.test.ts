import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { FastClock } from '../../support/clock.ts';
import { lectern } from '../../support/lectern.ts';
import {
  answerJson,
  type Handler,
  json,
  launchFile,
  listening,
  text,
} from '../../support/service.ts';
import {
  attemptFor,
  bench,
  file,
  members,
  readLines,
  submitFile,
  takeAll,
  takeAllBut,
} from './bulk.ts';

/** What one row in three meets, what becomes of it, how often it is posted, and the run's exit. */
test.each<[string, Handler, string, number, number]>([
  ['no answer', () => {}, 'in_doubt null', 1, 10],
  [
    'a connection reset after the request',
    (_, r) => void r.socket?.resetAndDestroy(),
    'in_doubt null',
    1,
    10,
  ],
  ['429', text(429, 'slow down', { 'retry-after': '0.1' }), 'not_sent 429', 6, 8],
  ['429 with a wait of a day', text(429, '', { 'retry-after': '86400' }), 'not_sent 429', 1, 8],
  [
    '429 with a date',
    text(429, '', { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() }),
    'not_sent 429',
    1,
    8,
  ],
  ['500', text(500, 'oops'), 'in_doubt 500', 1, 10],
  ['502 with HTML', text(502, '<html><h1>Bad Gateway</h1></html>'), 'in_doubt 502', 1, 10],
  ['503', text(503, ''), 'in_doubt 503', 1, 10],
  ['503 with a wait of a day', text(503, '', { 'retry-after': '86400' }), 'in_doubt 503', 1, 8],
  ['200 with HTML', text(200, '<html>Sign in</html>'), 'in_doubt 200', 1, 10],
  ['200 without a body', text(200, ''), 'in_doubt 200', 1, 10],
  ['200 with another document', json(200, { ok: true }), 'in_doubt 200', 1, 10],
  [
    '200 cut short',
    (_, response) => {
      response.writeHead(200, { 'content-length': '4000' });
      response.write('{"id":"a');
      response.socket?.end();
    },
    'in_doubt 200',
    1,
    10,
  ],
  ['302', text(302, '', { location: '/elsewhere' }), 'in_doubt 302', 1, 10],
  ['307', text(307, '', { location: '/elsewhere' }), 'in_doubt 307', 1, 10],
  ['401', json(401, { message: 'Invalid API key' }), 'not_sent 401', 1, 4],
  ['403', text(403, ''), 'refused 403', 1, 9],
  ['404', json(404, { message: 'no such member' }), 'refused 404', 1, 9],
  ['422', json(422, { message: 'score must be between 0 and 1' }), 'refused 422', 1, 9],
])(
  'a run continues or stops correctly after a row with %s',
  async (name, fault, outcome, posts, exit) => {
    const { run, arrived } = await bench(takeAllBut({ b: fault }));
    const from = file('member,score\na,1\nb,1\nc,1\n');
    const timeout = name === 'no answer' ? '3' : '60';
    const result = await run([...submitFile(from), '--timeout', timeout]);
    const { rows, summary } = readLines(result);
    const row = rows.find(({ member }) => member === 'b');
    expect({
      outcome: `${row?.outcome} ${row?.http}`,
      posts: arrived().filter((member) => member === 'b').length,
      exit: result.exit,
      rows: rows.length,
    }).toEqual({ outcome, posts, exit, rows: 3 });
    const { recorded, refused, in_doubt, not_sent } = summary as Record<string, number>;
    expect((recorded ?? 0) + (refused ?? 0) + (in_doubt ?? 0) + (not_sent ?? 0)).toBe(3);
    expect(row?.error).toMatch(/\w/);
    expect(JSON.parse(result.stderr).error).toMatchObject({ exit });
  },
);

/** Runs three rows against a port where no HTTP is spoken. */
async function runAt(port: number) {
  const launch = launchFile(`http://127.0.0.1:${port}`);
  const from = file('member,score\na,1\nb,1\nc,1\n');
  const args = [
    '-l',
    launch,
    'grade',
    'submit',
    '--from',
    from,
    '--yes',
    '--json',
    '--timeout',
    '60',
  ];
  return lectern(args, { clock: new FastClock() });
}

test('a run retries a refused connection for a while, and nothing takes effect', async () => {
  // No port of a server that was closed: another test may have it by then.
  const result = await runAt(9);
  const { rows, summary } = readLines(result);
  expect(result.exit).toBe(8);
  expect(summary).toMatchObject({ rows: 3, not_sent: 3, recorded: 0, in_doubt: 0 });
  expect(rows.map(({ outcome }) => outcome)).toEqual(['not_sent', 'not_sent', 'not_sent']);
  expect(result.stderr).toContain('connection refused');
});

test('a run whose connections are reset at once leaves every row in doubt', async () => {
  let bytes = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.resetAndDestroy();
  });
  const port = await listening(server);
  const result = await runAt(port);
  const { summary } = readLines(result);
  expect(bytes).toBe(0);
  expect(result.exit).toBe(10);
  expect(summary).toMatchObject({ rows: 3, in_doubt: 3 });
});

test('a run stops at once at a 401, and the rest can be resumed', async () => {
  let count = 0;
  let ended = true;
  const { run, requests, arrived } = await bench((request, response) => {
    count += 1;
    if (ended && count >= 500) answerJson(response, 401, { message: 'Invalid API key' });
    else takeAll(request, response);
  });
  const from = file(members(1000));
  const result = await run([...submitFile(from), '--concurrency', '8']);
  expect(result.exit).toBe(4);
  expect(requests.length).toBeGreaterThanOrEqual(500);
  expect(requests.length).toBeLessThanOrEqual(500 + 8);
  const { rows, summary } = readLines(result);
  expect(rows.length).toBe(1000);
  expect(summary).toMatchObject({
    recorded: 499,
    success: 499,
    refused: 0,
    in_doubt: 0,
    not_sent: 501,
  });
  expect(JSON.parse(result.stderr).error.message).toMatch(/grade resume \d+/);

  ended = false;
  const again = await run(['grade', 'resume', String(summary.run), '--json', '--yes']);
  expect(again.exit).toBe(0);
  expect(readLines(again).summary).toMatchObject({ recorded: 1000, success: 1000 });
  expect(readLines(again).rows.length).toBe(501);
  const refusedOnce = arrived().length - new Set(arrived()).size;
  expect(refusedOnce).toBeLessThanOrEqual(9);
});

test('a run stops at the same 403 three times in a row, but not if another is in between', async () => {
  const forbidden = (why: string): Handler => json(403, { message: why });
  const other = {
    'm-4': forbidden('A'),
    'm-5': forbidden('A'),
    'm-6': forbidden('B'),
    'm-7': forbidden('A'),
  };
  const mixed = await bench(takeAllBut(other));
  const one = [...submitFile(file(members(20))), '--concurrency', '1'];
  const passed = await mixed.run(one);
  expect([passed.exit, mixed.requests.length]).toEqual([9, 20]);

  const same = await bench(takeAllBut({ ...other, 'm-6': forbidden('A') }));
  const stopped = await same.run(one);
  expect([stopped.exit, same.requests.length]).toEqual([5, 5]);
  expect(readLines(stopped).summary).toMatchObject({ recorded: 2, refused: 3, not_sent: 15 });
});

test('a run at a service without usable responses stops with as few rows in doubt as possible', async () => {
  const { run, requests } = await bench((request, response) =>
    (requests.length <= 100 ? takeAll : text(500, 'oops'))(request, response),
  );
  const from = file(members(1000));
  const result = await run(submitFile(from));
  expect(result.exit).toBe(10);
  const { success, in_doubt, not_sent } = readLines(result).summary as Record<string, number>;
  expect(success).toBe(100);
  expect(in_doubt).toBeGreaterThanOrEqual(10);
  expect(in_doubt).toBeLessThanOrEqual(10 + 4);
  expect(not_sent).toBe(900 - (in_doubt as number));
  expect(result.stderr).toContain('10 consecutive requests without a usable response');
});

test('a run pauses only the row whose response requests a pause', async () => {
  const seen = new Map<string, number[]>();
  const { run } = await bench((request, response) => {
    const member = request.target;
    const times = [...(seen.get(member) ?? []), performance.now()];
    seen.set(member, times);
    if (member.includes('m-5/') && times.length === 1) {
      response.writeHead(429, { 'retry-after': '2' });
      response.end();
    } else answerJson(response, 200, attemptFor(request));
  });
  const from = file(members(30));
  const result = await run(submitFile(from));
  expect(result.exit).toBe(0);
  const [first = 0, second = 0] = [...seen].find(([target]) => target.includes('m-5/'))?.[1] ?? [];
  expect(second - first).toBeGreaterThanOrEqual(2000);
  const others = [...seen]
    .filter(([target]) => !target.includes('m-5/'))
    .flatMap(([, times]) => times);
  expect(Math.max(...others)).toBeLessThan(second);
});
