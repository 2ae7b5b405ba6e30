import { expect, test } from 'vitest';
import { type Handler, attemptRecord, json, launchFile, text } from '../../support/service.ts';
import { jsonOf } from '../../support/steps.ts';
import { bench } from './bulk.ts';

const ATTEMPT = attemptRecord();
const good = json(200, ATTEMPT);
const HALF = 'grade submit --score 0.5';

const CLOSED = 'the column is closed';

test.each([
  ['message', { message: CLOSED }],
  ['error', { error: CLOSED }],
  ['error.message', { error: { code: 7, message: CLOSED } }],
  ['detail', { detail: CLOSED }],
  ['an array of strings', { errors: [CLOSED] }],
  ['an array of objects', { errors: [{ field: 'x', message: CLOSED }] }],
])('the reason of a refusal is read from %s', async (_, envelope) => {
  const { step } = await bench(json(422, envelope));
  const error = { message: new RegExp(CLOSED), status: 422 };
  await step(`${HALF} --json`, { exit: 7, error });
});

test('a refusal with Retry-After prints how long to wait', async () => {
  const work = await bench(text(429, 'slow down', { 'retry-after': '7200' }));
  const stderr = 'nothing took effect; the service asked to wait 2 h';
  await work.step(HALF, { exit: 8, stderr });
  work.answer = text(503, '', { 'retry-after': '120' });
  await work.step('storage get member', { exit: 8, stderr: 'asked to wait 2 min' });
});

test.each(['not_yours', 'auth.not_this_member'])(
  'a 403 with the code %s is explained',
  async (sent) => {
    const { step } = await bench(json(403, { error: { code: sent, message: '' } }));
    const hint = /students can only grade themselves; use a staff launch or the API key/;
    const error = { code: 'auth.not_this_member', message: /the service answered 403/, hint };
    await step(`${HALF} --json`, { exit: 5, error, lacks: 'not_yours' });
  },
);

test.each([
  ...['0.1', '.5', '1.', '+0.25', '1e-1', '00.5', '0.30'].map(
    (score) => [`--score ${score}`, Number(score)] as const,
  ),
  // The fraction nearest to the exact one.
  ['--points 0.1/0.3', 1 / 3],
  ['--points 8.7/10', 0.87],
  ['--points 1.1/2.2', 0.5],
  ['--points 0.07/7', 0.01],
  ['--points 1e-7/1', 1e-7],
] as const)('%s is sent as %d', async (flags, score) => {
  const { step } = await bench();
  const { body } = jsonOf(await step(`grade submit ${flags} --dry-run --json`));
  expect(body.score).toBe(score);
});

test('a single grade warns of earlier attempts in doubt for its member', async () => {
  const work = await bench(text(500, 'oops'));
  const dryRun = `${HALF} --dry-run --json`;
  await work.step(dryRun, { json: { findings: [] } });
  await work.step(HALF, { exit: 10 });
  work.answer = good;
  const message = 'an earlier attempt for member m-1 is in doubt';
  const finding = { code: 'grade.in_doubt', severity: 'warning', message };
  await work.step(dryRun, { json: { findings: [finding] } });
  await work.step(HALF, { stderr: `warning: ${message}; ` });
  // The same grade was recorded, so that nothing is in doubt any more.
  await work.step('grade submit --score 0.6', { lacks: 'in doubt', sent: 1 });
});

test('an error text is cut and escaped, and never contains the token', async () => {
  const work = await bench(text(422, `\u001b[2J\u202e${'x'.repeat(100_000)}`));
  const lacks = ['\u001b', '\u202e', 'canary'];
  const long = await work.step(HALF, { exit: 7, stderr: '\\u{1b}', lacks });
  expect(long.stderr.length).toBeLessThan(2_000);
  work.answer = text(403, 'Bearer launch-token-canary-1 may not');
  await work.step(HALF, { exit: 5, stderr: '[redacted]', lacks });
});

test.each(['', 'NaN', 'é', 'Infinity'])('--max-score=%s is rejected as a number', async (score) => {
  const { step } = await bench();
  const error = { code: 'grade.max_score_not_number' };
  for (const flags of ['--score 1', '--points 1', '--from /dev/null']) {
    await step(`grade submit ${flags} --max-score=${score} --json`, { exit: 3, error, sent: 0 });
  }
});

test.each<[string, string, object, number]>([
  ['grade.submit is null', '--score 1', { grade: { submit: null } }, 3],
  ['grade.submit is missing', '--score 1', { grade: {} }, 3],
  ['the score is above 1', '--score 1.01', {}, 3],
  ['the score has a decimal comma', '--score 0,5', {}, 3],
  ['the score loses digits', '--score 1.0000000000000000001', {}, 3],
  ['the score loses all its digits', '--score 1e-400', {}, 3],
  ['the points have a maximum of 0', '--points 0/0', {}, 3],
  ['the maximum of the points is too large', '--points 1/1e400', {}, 3],
  ['the score is NaN', '--score NaN', {}, 3],
  ['max_score is 0', '--score 1 --max-score 0', {}, 3],
  ['activity_progress has the wrong case', '--score 1 --activity-progress completed', {}, 3],
  ['there is no score', '', {}, 2],
  ['the saved key is unknown', '--score 1 -k nobody', {}, 2],
  ['there is no token', '--score 1', { api: {} }, 4],
  ['the address has another origin than iss', '--score 1', { iss: 'https://service.example' }, 4],
  ['the member is empty', '--score 1 --member=', {}, 3],
  [
    'the member of the launch is not valid in an address',
    '--score 1',
    { user: { member: '..' } },
    3,
  ],
])('nothing is sent if %s', async (_, flags, claims, exit) => {
  const { step } = await bench(good, { ...claims });
  await step(`grade submit ${flags}`, { exit, stdout: '', sent: 0 });
});

const GRADES = 'members/st%2Fu%20dent/grades?x=%2e%2e';

test.each<[string, string, string | undefined]>([
  [
    'under /contexts/',
    '/contexts/c/locations/l/members/m-1/grades?x=%2e%2e',
    `/contexts/c/locations/l/${GRADES}`,
  ],
  ['under /account/v1/users/', '/account/v1/users/u/m-1/grades', undefined],
])('--member changes only the member segment: %s', async (_, path, expected) => {
  const { origin, requests, step } = await bench(good);
  const launch = launchFile(origin, { grade: { submit: origin + path } });
  await step(`-l ${launch} ${HALF} --member 'st/u dent'`, { exit: expected ? 0 : 3 });
  expect(requests.map(({ target }) => target)).toEqual(expected ? [expected] : []);
});

test.each([
  ['/contexts/c/l/m-1/grades', 0, ['Bearer api-key-canary']],
  ['/account/v1/users/u/grades', 4, []],
  ['/elsewhere/m-1', 4, []],
])('the API key of the environment at %s: exit %i', async (path, exit, credentials) => {
  const { origin, requests, step } = await bench(good);
  const launch = launchFile(origin, { grade: { submit: origin + path } });
  await step(`-l ${launch} ${HALF}`, { exit, env: { LECTERN_API_KEY: 'api-key-canary' } });
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(credentials);
});

test('a 401 without a known message is about the API key that was sent', async () => {
  const { step } = await bench(json(401, { message: 'no' }));
  const stderr = /\n {2}the key may have been rotated: .*\n$/;
  await step(HALF, { exit: 4, env: { LECTERN_API_KEY: 'api-key-canary' }, stderr });
});

test('--dry-run shows the request and sends nothing', async () => {
  const { step } = await bench();
  const body = { score: 0.85, max_score: 50 };
  const plan = { dry_run: true, method: 'POST', body, findings: [] };
  await step('grade submit --points 42.5/50 --dry-run --json', { json: plan, sent: 0 });
});

test('--json prints the unchanged record of the service, with its digits and unknown fields', async () => {
  const record = JSON.stringify(ATTEMPT).replace('"score":0.5', '"score":0.50,"new":1e400');
  const { step } = await bench(text(200, record));
  expect((await step(`${HALF} --json`)).stdout).toBe(`${record}\n`);
});

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
  const { step } = await bench(handler);
  await step(HALF, { exit: 10 });
  await step('grade log --json', { stdout: 'attempt-1' });
});
