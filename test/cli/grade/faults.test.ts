import { expect, test } from 'vitest';
import { FastClock } from '../../support/clock.ts';
import { type Handler, json, launchFile, text } from '../../support/service.ts';
import { bench, first, gradeStep, members, readLines, takeAll, takeAllBut } from './bulk.ts';

const SUBMIT = 'grade submit --yes --json --from -';
const THREE = { input: 'member,score\na,1\nb,1\nc,1\n' };

const IN_A_DAY = {
  date: 'Mon, 05 Oct 2026 00:00:00 GMT',
  'retry-after': 'Tue, 06 Oct 2026 00:00:00 GMT',
};

/** What one row in three meets, what becomes of it, how often it is posted, and the run's exit. */
test.each<[string, Handler, string, number, number]>([
  ['no answer', () => {}, 'in_doubt null', 1, 10],
  ['a connection reset', (_, r) => void r.socket?.resetAndDestroy(), 'in_doubt null', 1, 10],
  ['429', text(429, 'slow down', { 'retry-after': '0.1' }), 'not_sent 429', 6, 8],
  ['429 with a wait of a day', text(429, '', { 'retry-after': '86400' }), 'not_sent 429', 1, 8],
  ['429 with a date by its own clock', text(429, '', IN_A_DAY), 'not_sent 429', 1, 8],
  ['503', text(503, ''), 'in_doubt 503', 1, 10],
  ['503 with a wait of a day', text(503, '', { 'retry-after': '86400' }), 'in_doubt 503', 1, 8],
  ['200 with HTML', text(200, '<html>Sign in</html>'), 'in_doubt 200', 1, 10],
  ['200 without a body', text(200, ''), 'in_doubt 200', 1, 10],
  ['302', text(302, '', { location: '/elsewhere' }), 'in_doubt 302', 1, 10],
  ['401', json(401, { message: 'Invalid API key' }), 'not_sent 401', 1, 4],
  ['403', text(403, ''), 'refused 403', 1, 9],
  ['404', json(404, { message: 'no such member' }), 'refused 404', 1, 9],
  ['422', json(422, { message: 'score must be between 0 and 1' }), 'refused 422', 1, 9],
])('a run continues or stops correctly after a row with %s', async (...row) => {
  const [name, fault, outcome, posts, exit] = row;
  const { step, arrived } = await bench(takeAllBut({ b: fault }));
  const timeout = name === 'no answer' ? 3 : 60;
  const result = await step(`${SUBMIT} --timeout ${timeout}`, { ...THREE, exit, error: { exit } });
  const { rows, summary } = readLines(result);
  const b = rows.find(({ member }) => member === 'b');
  expect(`${b?.outcome} ${b?.http}`).toBe(outcome);
  expect(b?.error).toMatch(/\w/);
  expect(arrived().filter((member) => member === 'b')).toHaveLength(posts);
  const counts = ['recorded', 'refused', 'in_doubt', 'not_sent'].map((kind) => summary[kind]);
  expect([rows.length, counts.reduce((sum, count) => Number(sum) + Number(count), 0)]).toEqual([
    3, 3,
  ]);
});

test('a run retries a refused connection for a while, and nothing takes effect', async () => {
  // No port of a server that was closed: another test may have it by then.
  const submit = `-l ${launchFile('http://127.0.0.1:9')} ${SUBMIT} --timeout 60`;
  const summary = { rows: 3, not_sent: 3, recorded: 0, in_doubt: 0 };
  const expected = { exit: 8, summary, stderr: 'connection refused' };
  await gradeStep(submit, { ...THREE, clock: new FastClock(), ...expected });
});

test('a run stops at once at a 401, and the rest can be resumed', async () => {
  const ended = json(401, { message: 'Invalid API key' });
  const { step, requests } = await bench(first(99, takeAll, ended));
  await step(`${SUBMIT} --concurrency 8`, {
    input: members(200),
    exit: 4,
    rows: 200,
    summary: { recorded: 99, success: 99, refused: 0, in_doubt: 0, not_sent: 101 },
    error: { message: /grade resume \d+/ },
  });
  expect(requests.length).toBeGreaterThanOrEqual(100);
  expect(requests.length).toBeLessThanOrEqual(100 + 8);
});

const page = (id: number) => text(403, `Access denied. Reference #${id}`);
const otherTool = json(403, { message: 'API key is for tool a, not tool b' });
const slower = text(429, '', { 'retry-after': '0' });
const noService = text(404, 'default backend - 404');
const ofEach = (answers: readonly Handler[], last: Handler): Handler => {
  let count = 0;
  return (request, response) => void (answers[count++] ?? last)(request, response);
};

test.each([
  {
    name: '403 for the same reason three times in a row',
    answer: ofEach([takeAll, page(1), page(2), page(3)], takeAll),
    ends: { exit: 5, summary: { recorded: 1, refused: 3 }, sent: 4 },
  },
  {
    name: 'in doubt ten times, with 429 in between',
    answer: ofEach(
      Array.from({ length: 19 }, (_, at) => (at % 2 ? slower : text(500, ''))),
      takeAll,
    ),
    ends: { exit: 10, summary: { recorded: 0, in_doubt: 10 } },
  },
  {
    name: '404 with the same text, as all before them',
    answer: ofEach([], noService),
    ends: {
      exit: 9,
      summary: { recorded: 0, refused: 50 },
      stderr: /stopped after 50 consecutive 404 responses .*; 10 of 60 grades not sent; resume/,
    },
  },
])('a run stops at records that are $name', async ({ answer, ends }) => {
  const { step } = await bench(answer);
  await step(`${SUBMIT} --concurrency 1`, { input: members(60), ...ends });
});

test.each([
  { name: 'another 403', answers: [page(1), page(2), otherTool, page(3)] },
  {
    name: '404 of each member',
    answers: Array.from({ length: 60 }, (_, at) => text(404, `no member ${at}`)),
  },
  { name: 'a grade before', answers: [takeAll, ...Array(59).fill(noService)] },
])('a run does not stop at refusals with $name in between', async ({ answers }) => {
  const { step } = await bench(ofEach(answers, takeAll));
  await step(`${SUBMIT} --concurrency 1`, { input: members(60), exit: 9, sent: 60 });
});

test('a run at a service without usable responses stops with as few rows in doubt as possible', async () => {
  const { step } = await bench(first(100, takeAll, text(500, 'oops')));
  const result = await step(SUBMIT, {
    input: members(1000),
    exit: 10,
    stderr: '10 consecutive requests without a usable response',
  });
  const { success, in_doubt, not_sent } = readLines(result).summary as Record<string, number>;
  expect(success).toBe(100);
  expect(in_doubt).toBeGreaterThanOrEqual(10);
  expect(in_doubt).toBeLessThanOrEqual(10 + 4);
  expect(not_sent).toBe(900 - (in_doubt as number));
});
