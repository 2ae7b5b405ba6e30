import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Handler, json, text } from '../../support/service.ts';
import { atTerminal, jsonOf } from '../../support/steps.ts';
import {
  attemptFor,
  bench,
  members,
  readLines,
  takeAll,
  takeAllBut,
  takeAsFailed,
} from './bulk.ts';

const GRADES = [
  'member,score,max_score,comment,activity_progress',
  'a,0.5,,"=HYPERLINK(""http://x"")",',
  `b,0.85,50,"it's ""fine"", really",Submitted`,
  `c,1,,"''=kept
and more",`,
  '-d,0,,plain,',
].join('\n');

const SUBMIT = 'grade submit --yes --json --from -';
const grades = (...lines: string[]) => ({ input: `member,score\n${lines.join('\n')}\n` });

/** Run 1 of four rows: a recorded as failed, b refused, c in doubt, -d recorded. Then all is taken. */
async function mixedRun(then: Handler = takeAll) {
  const work = await bench(
    takeAllBut({
      a: takeAsFailed('no scope'),
      b: json(404, { message: 'no\tsuch member' }),
      c: (_, response) => void response.socket?.destroy(),
    }),
  );
  await work.step(SUBMIT, { input: GRADES, exit: 10 });
  work.answer = then;
  const first = work.requests.splice(0).map(({ target, body }) => `${target} ${body}`);
  return { ...work, first };
}

describe('grade report', () => {
  test('prints a file that can be submitted unchanged, with the same grades', async () => {
    const { step, first, requests } = await mixedRun();
    const header =
      'member,score,max_score,comment,activity_progress,grading_progress,line,outcome,status,http,attempt,error,response,evidence';
    const report = await step('grade report 1', {
      stderr: '',
      stdout: [
        `${header}\n`,
        `a,0.5,,"'=HYPERLINK(""http://x"")",,,2,recorded,failed,200,attempt-of-a,no scope`,
        `"''=kept\nand more"`,
        `'-d,0,,plain,,,6,recorded,success,200,`,
      ],
    });
    const submit = 'grade submit --from - --yes';
    // One of its grades is in doubt.
    await step(submit, { input: report.stdout, exit: 3 });
    await step(`${submit} --again`, { input: report.stdout });
    const sent = requests.map(({ target, body }) => `${target} ${body}`);
    expect(sent.toSorted()).toEqual(first.toSorted());
  });

  test('--json prints the outcome and the request of each row, or of those of an outcome', async () => {
    const { step } = await mixedRun();
    const [b, error] = [{ score: 0.85, max_score: 50 }, 'no such member in this course'];
    const failed = { status: 'failed', http: 200, error: 'no scope' };
    const attempt = { id: 'attempt-of-a' };
    await step('grade report 1 --json', {
      json: [
        { line: 2, outcome: 'recorded', ...failed, attempt, grade: { score: 0.5 } },
        { line: 3, outcome: 'refused', status: null, http: 404, error, attempt: null, grade: b },
        { line: 4, outcome: 'in_doubt', status: null, http: null, error: /./, attempt: null },
        { line: 6, outcome: 'recorded', status: 'success', error: null },
      ],
    });
    for (const [flags, ...chosen] of [
      ['--failed', 'a', 'b'],
      ['--in-doubt', 'c'],
      ['--not-sent'],
      ['--failed --in-doubt', 'a', 'b', 'c'],
    ] as const) {
      await step(`grade report 1 --json ${flags}`, { json: chosen.map((member) => ({ member })) });
    }
    await step(`
      grade report 7 # exit 2: no such run: "7"
      grade log --status lost # exit 2: unknown status "lost"
      grade log --since yesterday # exit 2: is not a valid time
      grade log --run 99 # exit 2: no such run: "99"`);
  });
});

describe('grade resume', () => {
  test('--dry-run shows what it would send, and sends nothing', async () => {
    const { step, requests } = await mixedRun();
    const dryRun = 'grade resume 1 --dry-run --retry-failed';
    const warning = '1 grade not sent again: no such member in this course';
    // b: a 404 is not offered again.
    const retried = [{ line: 2, member: 'a', state: 'failed' }];
    const target = { course: 'c-1', location: 'l-1' };
    const sent = { method: 'POST', url: /\/members\/\{member\}\/grades(\?.*)?$/, target };
    const plan = { dry_run: true, run: 1, ...sent, rows: retried, superseded: [], warning };
    const { rows } = jsonOf(await step(`${dryRun} --json`, { json: plan }));
    await step(`${dryRun} --limit 1`, {
      stdout: /^2\ta\tfailed\t\{"score":.*\}\n$/,
      stderr: new RegExp(`^warning: ${warning}\nrun\t`),
    });
    await step('grade resume 1 --dry-run --json', { json: { rows: [] } });
    expect(requests).toEqual([]);
    const bodies = rows.map(({ body }: { body: object }) => body);
    await step('grade resume 1 --retry-failed --yes', { exit: 10, sent: ['a'], bodies });
  });

  test.each([
    ['the credential is rejected', json(401, {}), 4],
    ['the request is rejected', json(422, { message: 'no' }), 10],
    ['the service requests a long wait', text(429, '', { 'retry-after': '86400' }), 8],
  ])('leaves a row in its state if %s', async (_, then, exit) => {
    const { step } = await mixedRun(then);
    const before = jsonOf(await step('grade report 1 --json'));
    await step('grade resume 1 --retry-in-doubt --json --yes', {
      exit,
      rows: [{ member: 'c', outcome: 'in_doubt', error: /; retried: / }],
      summary: { success: 1, failed: 1, refused: 1, in_doubt: 1, not_sent: 0 },
      warning: /retried without success, line 4: /,
      sent: ['c'],
    });
    expect(jsonOf(await step('grade report 1 --json'))).toEqual(before);
    await step('grade resume 1 --yes', { exit: 10, sent: [] });
    const summary = { failed: 1, refused: 1, not_sent: 0 };
    const error = { message: exit === 10 ? /--retry-in-doubt/ : /grade resume 1 .*--retry-failed/ };
    await step('grade resume 1 --retry-failed --json --yes', { exit, summary, error });
  });

  test('warns of a changed file, and continues with the rows of the run', async () => {
    const { step, requests } = await mixedRun();
    const files = {
      'same.csv': `\ufeff${GRADES}\n`,
      'other.csv': GRADES.replace('0.85', '0.86'),
    };
    const same = await step('grade resume 1 --from same.csv --yes', { files, exit: 10 });
    expect(same.stderr).not.toContain('warning');
    const warning = 'is not the file that run 1 was created from';
    const retry = 'grade resume 1 --from other.csv --retry-failed --yes';
    await step(retry, { exit: 10, stderr: warning });
    expect(requests.map(({ body }) => String(body)).join()).not.toContain('0.86');
    const other = 'grade resume 1 --from other.csv --json --yes';
    await step(other, { exit: 10, warning: new RegExp(warning) });
  });

  test('of a run with an API key does not use a token instead', async () => {
    const { origin, launch, requests, step } = await bench(json(401, {}));
    const env = { LECTERN_LAUNCH: undefined };
    const url = `${origin}/contexts/c/members/{member}/grades`;
    await step(`LECTERN_API_KEY=k ${SUBMIT} --url ${url}`, { env, ...grades('a,1'), exit: 4 });
    requests.length = 0;
    const lines = `
      LECTERN_TOKEN=token-canary grade resume 1 --yes # exit 4: API key
      grade resume 1 --launch ${launch} --yes # exit 4
      LECTERN_API_KEY=key-canary grade resume 1 --yes # exit 4`;
    await step(lines, { env });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer launch-token-canary-1',
      'Bearer key-canary',
    ]);
  });
});

describe('grade log', () => {
  test('lists every attempt, also single and repeated ones, and can be filtered', async () => {
    const { step } = await mixedRun();
    await step('grade submit --score 0.25 --member a');
    await step('grade resume 1 --retry-failed --include-superseded --yes', { exit: 10 });
    const ofRun = { run: 1, line: 2, outcome: 'recorded' };
    const single = { run: null, line: null, grade: { score: 0.25 }, credential: 'launch_token' };
    await step('grade log --json --member a', {
      json: [
        { ...ofRun, status: 'success', grade: { score: 0.5 } },
        { ...single, attempt: { score: 0.25 } },
        { ...ofRun, status: 'failed', error: 'no scope' },
      ],
    });
    for (const [flags, expected] of [
      ['', [6, 5, 4, 3, 2, 1]],
      ['--member a', [6, 5, 1]],
      ['--status failed', [1]],
      ['--status refused,in-doubt', [3, 2]],
      ['--status recorded', [6, 5, 4, 1]],
      ['--run 1', [6, 4, 3, 2, 1]],
      ['--since 1h', [6, 5, 4, 3, 2, 1]],
      ['--since 15m', [6, 5, 4, 3, 2, 1]],
      ['--since 2999-01-01', []],
      ['--limit 2', [6, 5]],
    ] as const) {
      const ids = [jsonOf(await step(`grade log --json ${flags}`))].flat().map(({ id }) => id);
      expect(ids, flags).toEqual(expected);
    }
  });

  test('and grade report write a complete file with --output, or none', async () => {
    const { step, folder } = await mixedRun();
    for (const line of ['log', 'log --json', 'report 1', 'report 1 --json', 'report 1 --csv']) {
      await step(`grade ${line} --output out`, { stdout: '' });
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe((await step(`grade ${line}`)).stdout);
    }
    await step('grade log --run 99 --output none', { exit: 2 });
    expect(readdirSync(folder)).toEqual(['out']);
  });
});

test('grade runs lists the newest run first', async () => {
  const { step, origin } = await bench();
  await step('grade runs', { stdout: '', stderr: 'no runs' });
  const files = { 'one.csv': 'member,score\na,1\n', 'two.csv': 'member,score\na,1\nb,1\n' };
  await step('grade submit --from one.csv --yes', { files });
  await step('grade submit --from two.csv --yes');
  const target = { origin, course: 'c-1', location: 'l-1' };
  await step('grade runs --json', {
    json: [
      { run: 2, rows: 2, success: 2, source: /two\.csv/, credential: 'launch_token', target },
      { run: 1, rows: 1, success: 1 },
    ],
  });
  const lines = /^2\t.*\t2\t2\t0\t0\t0\t0\t.*two\.csv\tc-1\tl-1\n1\t/;
  await step('grade runs', { stdout: lines });
});

test('a run with --url has the course and location of its answers', async () => {
  const { origin, step } = await bench();
  const env = { LECTERN_API_KEY: 'key-canary', LECTERN_LAUNCH: undefined };
  const url = `${origin}/contexts/opaque/members/{member}/grades`;
  await step(`grade submit --from - --url ${url} --yes --no-send`, { env, input: members(2) });
  const planned = { origin, course: 'opaque', location: null };
  await step('grade runs --json', { json: [{ target: planned }] });
  await step('grade resume 1 --yes --limit 1', { env });
  const target = { origin, course: 'c-1', location: 'l-1' };
  await step('grade runs --json', { json: [{ target }] });
  await step('grade resume 1 --dry-run --json', { env, json: { target } });
  await step('grade resume 1 --dry-run', { env, stderr: 'course\tc-1\nlocation\tl-1\n' });
});

test('a grade at an address without a known member is found by the member in the record', async () => {
  const { step, origin } = await bench();
  const url = `${origin}/contexts/c-1/members/q/grades?s=1`;
  await step(`grade submit --score 0.9 --url ${url}`, { stderr: '' });
  await step('grade log --member q --json', { json: { member: 'q' } });
  const bulk = `${SUBMIT} --url ${url.replace('/q/', '/{member}/')} --only-if-higher`;
  await step(bulk, { ...grades('q,0.4', 'r,0.4'), rows: [{ member: 'r' }] });
});

const takeAsTenth: Handler = (request, response) =>
  json(200, { ...attemptFor(request), score: 0.1 })(request, response);

test('--skip-unchanged compares with the record instead of the request', async () => {
  const { step } = await bench(takeAsTenth);
  await step(SUBMIT, { ...grades('a,0.9'), sent: 1 });
  await step(`${SUBMIT} --skip-unchanged`, { ...grades('a,0.9'), sent: 1 });
  await step(`${SUBMIT} --only-if-higher`, { ...grades('a,0.5'), sent: 1 });
});

test('grade submit warns once of all records with another member or score than was sent', async () => {
  const { step } = await bench(takeAsTenth);
  const words = 'line 2: the record has the score 0.1, not 0.5, and 1 more';
  const submit = 'grade submit --from - --yes --concurrency 1';
  await step(submit, { ...grades('a,0.5', 'b,0.6'), stderr: `warning: ${words}` });
  const again = await step(`${submit} --json`, grades('a,0.5', 'b,0.6'));
  expect(readLines(again).warning).toContain(words);
});

test('grade report prints a table on a terminal, and CSV with --csv', async () => {
  const { step, home } = await mixedRun();
  const report = async (flags = '') =>
    (await atTerminal(`grade report 1 ${flags}`, { home, columns: 120 })).screen;
  const [header = '', ...rows] = (await report()).split('\n');
  const columns = 'line member score max score outcome http attempt error response evidence';
  expect(header.trim().replace(/ +/g, ' ')).toBe(columns);
  expect(rows[0]).toMatch(/^ +2 +a +0\.5 +failed +200 +attempt-of-a +no scope$/);
  expect(rows[1]).toMatch(/^ +3 +b +0\.85 +50 +refused +404 +no such member in this course$/);
  expect(rows[2]).toMatch(/^ +4 +c +1 +in doubt /);
  const csv = await report('--csv --failed');
  expect(csv.replaceAll('\n', '')).toContain(',attempt-of-a,no scope');
  expect(csv).toMatch(/^member,score,max_score,/);
  expect(await report('--not-sent')).toBe('no matching grades');
  await step('grade report 1 --csv --json # exit 2', { stdout: '' });
});
