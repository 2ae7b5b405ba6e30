import { expect, test } from 'vitest';
import { type Handler, attemptRecord, json, launchFile, text } from '../../support/service.ts';
import { jsonOf, linesIn } from '../../support/steps.ts';
import { bench, gradeStep } from './bulk.ts';

const ATTEMPT = attemptRecord();
const good = json(200, ATTEMPT);
const HALF = 'grade submit --score 0.5';

const CLOSED = 'the column is closed';

test.each([
  { message: CLOSED },
  { error: CLOSED },
  { error: { code: 7, message: CLOSED } },
  { detail: CLOSED },
  { errors: [CLOSED] },
  { errors: [{ field: 'x', message: CLOSED }] },
])('the reason of a refusal is read from %j', async (envelope) => {
  await (await bench(json(422, envelope))).step(`${HALF} # exit 7: 422 … ${CLOSED}`);
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
  async (code) => {
    const { step } = await bench(json(403, { error: { code, message: '' } }));
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
  const { body } = jsonOf(await gradeStep(`grade submit ${flags} --dry-run --json`));
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

/** Flags, and the claims of the launch that are others. */
test.each(
  linesIn(`
  --score 1 {"grade":{"submit":null}} # exit 3
  --score 1 {"grade":{}} # exit 3
  --score 1.01 # exit 3
  --score 0,5 # exit 3
  --score 1.0000000000000000001 # exit 3
  --score 1e-400 # exit 3
  --points 0/0 # exit 3
  --points 1/1e400 # exit 3
  --score NaN # exit 3
  --score 1 --max-score 0 # exit 3
  --score 1 --activity-progress completed # exit 3
  {} # exit 2
  --score 1 -k nobody # exit 2
  --score 1 {"api":{}} # exit 4
  --score 1 {"iss":"https://service.example"} # exit 4
  --score 1 --member= # exit 3
  --score 1 {"user":{"member":".."}} # exit 3`),
)('nothing is sent by grade submit %s', async (line) => {
  const [, flags = '', claims = '{}', exit = ''] = /^(.*?) ?(\{.*\})? (# .*)$/.exec(line) ?? [];
  const { step } = await bench(good, JSON.parse(claims) as Record<string, unknown>);
  await step(`grade submit ${flags} ${exit}`, { stdout: '', sent: 0 });
});

test('--member changes only the member segment, and only under /contexts/', async () => {
  const { origin, requests, step } = await bench(good);
  const at = (path: string) => launchFile(origin, { grade: { submit: origin + path } });
  await step(`
    -l ${at('/contexts/c/locations/l/members/m-1/grades?x=%2e%2e')} ${HALF} --member 'st/u dent'
    -l ${at('/account/v1/users/u/m-1/grades')} ${HALF} --member 'st/u dent' # exit 3`);
  const target = '/contexts/c/locations/l/members/st%2Fu%20dent/grades?x=%2e%2e';
  expect(requests).toMatchObject([{ target }]);
});

test.each([
  ['/contexts/c/l/m-1/grades', 0, ['Bearer api-key-canary']],
  ['/account/v1/users/u/grades', 4, []],
  ['/elsewhere/m-1', 4, []],
])('the API key of the environment at %s: exit %i', async (path, exit, credentials) => {
  const { origin, requests, step } = await bench(good);
  const launch = launchFile(origin, { grade: { submit: origin + path } });
  await step(`LECTERN_API_KEY=api-key-canary -l ${launch} ${HALF}`, { exit });
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(credentials);
});

test('a 401 without a known message is about the API key that was sent', async () => {
  const { step } = await bench(json(401, { message: 'no' }));
  await step(`LECTERN_API_KEY=api-key-canary ${HALF} # exit 4: the key may have been rotated: `);
});

test('--dry-run shows the request and sends nothing', async () => {
  const body = { score: 0.85, max_score: 50 };
  const plan = { dry_run: true, method: 'POST', body, findings: [] };
  await gradeStep('grade submit --points 42.5/50 --dry-run --json', { json: plan, sent: 0 });
});

test('--json prints the unchanged record of the service, with its digits and unknown fields', async () => {
  const record = JSON.stringify(ATTEMPT).replace('"score":0.5', '"score":0.50,"new":1e400');
  const { step } = await bench(text(200, record));
  expect((await step(`${HALF} --json`)).stdout).toBe(`${record}\n`);
});

test('a run prints the record of the service on one line, with its digits', async () => {
  const { step } = await bench(text(200, JSON.stringify(ATTEMPT, null, 2).replace('0.5', '0.50')));
  const input = 'member,score\nm-1,0.5\n';
  const stdout = '"score": 0.50,"max_score": null,';
  await step('grade submit --from - --yes --json', { input, rows: 1, stdout });
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
