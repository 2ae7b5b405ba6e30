import { describe, expect, test } from 'vitest';
import { answerJson, json } from '../../support/service.ts';
import { errorsOf, jsonOf, linesIn } from '../../support/steps.ts';
import { attemptFor, bench, first, members, takeAll, takeAllBut, takeAsFailed } from './bulk.ts';

const GRADES = 'member,score,comment\na,0.5,\nb,0.75,"good, b"\nc,1,\n';
const SUBMIT = 'grade submit --from - --yes';
const INPUT = { input: GRADES };
const DIGEST = /^[0-9a-f]{64}$/;

describe('grade submit --from', () => {
  test('sends each row once to its own address, and prints the outcome', async () => {
    const { step, requests } = await bench();
    const sent = { run: 1, outcome: 'recorded', status: 'success', http: 200, error: null };
    const rows = ['a', 'b', 'c'].map((member, index) =>
      Object.assign({ line: index + 2, member, attempt: { annotations: { member } } }, sent),
    );
    const counts = { rows: 3, recorded: 3, success: 3, failed: 0, refused: 0 };
    const summary = { run: 1, digest: DIGEST, ...counts, in_doubt: 0, not_sent: 0 };
    const expected = { stderr: '', lacks: 'canary', rows, summary };
    await step(`${SUBMIT} --json`, { ...INPUT, ...expected });
    const posted = requests.map(({ method, target, body }) => `${method} ${target} ${body}`);
    expect(posted.toSorted()).toEqual([
      'POST /contexts/c-1/locations/l-1/members/a/grades?x=%2e {"score":0.5}',
      'POST /contexts/c-1/locations/l-1/members/b/grades?x=%2e {"score":0.75,"comment":"good, b"}',
      'POST /contexts/c-1/locations/l-1/members/c/grades?x=%2e {"score":1}',
    ]);
    for (const { headers } of requests) {
      expect(headers.authorization).toBe('Bearer launch-token-canary-1');
      expect(headers['content-type']).toBe('application/json');
    }
  });

  test('ends with a correct summary and the next command', async () => {
    const { step } = await bench(
      takeAllBut({
        b: takeAsFailed('the LMS said no', { status: 409, body: {} }),
        c: json(404, { message: 'no such member' }),
      }),
    );
    const { stdout } = await step(SUBMIT, {
      ...INPUT,
      exit: 9,
      stderr: [
        /^3 records in \d+ m?s, [\d.,]+\/s$/m,
        /^1 failed: the LMS said no; the LMS answered 409: \{\}$/m,
        /^1 refused: no such member in this course$/m,
        /1 recorded as failed, 1 refused; list them with: lectern grade report \d+ --failed/,
      ],
    });
    expect(stdout).toBe(
      'recorded: success\t1\nrecorded: failed\t1\nrefused\t1\nin_doubt\t0\nnot_sent\t0\nall\t3\n',
    );
  });

  test('sends no more requests at once than allowed, but as many', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    // No answer before seven wait: fewer at once would never end.
    const { step } = await bench((request, response) => {
      waiting.push(() => answerJson(response, 200, attemptFor(request)));
      most = Math.max(most, waiting.length);
      if (waiting.length === 7) setImmediate(() => waiting.splice(0).forEach((answer) => answer()));
    });
    await step(`${SUBMIT} --concurrency 7`, { input: members(9 * 7) });
    expect(most).toBe(7);
  });
});

describe('before a grade file is sent', () => {
  const BAD = { input: 'member,score\na,0.5\n,1\nb,1.5\nc,"0,7"\n' };

  test('every error is listed with its line', async () => {
    const { step } = await bench();
    await step(SUBMIT, {
      ...BAD,
      exit: 3,
      stdout: '',
      stderr: [
        /has 3 errors; nothing was sent\n/,
        /line 3 \(\/member\): the member is empty/,
        /line 4 \(\/score\): score must be between 0 and 1/,
        /line 5 \(\/score\): .*"0,7".*use a decimal point: 0\.7/,
      ],
      sent: 0,
    });
  });

  test('errors with one code are one block with lines and three examples, and all with --json', async () => {
    const { step } = await bench();
    const lines = Array.from({ length: 60 }, (_, index) => `m-${index},x${index}\n`);
    const input = `member,score\n${lines.join('')}`;
    const words =
      'error: 60 records (2-61): score must be a number, not "x0"; score must be a number, not "x1"; score must be a number, not "x2"; …';
    const stderr = ['has 60 errors; nothing was sent\n', words];
    const shown = await step(SUBMIT, { input, exit: 3, stderr });
    expect(shown.stderr.match(/error: /g)).toHaveLength(1);
    const all = await step(`${SUBMIT} --json`, {
      input,
      exit: 3,
      stdout: '',
      error: { exit: 3 },
    });
    expect(errorsOf(all).findings).toHaveLength(60);
  });

  test('the plan is shown, and --yes is needed without a terminal', async () => {
    const { step } = await bench();
    const target =
      'course\\tc-1\\nlocation\\tl-1\\ncredential\\tlaunch token\\ndigest\\t[0-9a-f]{64}';
    const stderr = new RegExp(`^attempts\\t3\\nrecords\\t3\\n[^]*${target}\\n[^]*pass --yes`);
    await step('grade submit --from - # exit 2', { ...INPUT, stderr, lacks: 'members', sent: 0 });
  });

  test('--dry-run shows the plan and sends nothing, whatever the other flags', async () => {
    const { step } = await bench();
    const counts = { rows: 3, attempts: 3, new: 3, unchanged: 0, in_doubt: 0, beyond_limit: 0 };
    const target = { origin: /^http:/, course: 'c-1', location: 'l-1' };
    const plan = { credential: 'launch_token', digest: DIGEST, findings: [], target };
    const shown = { dry_run: true, source: 'standard input', ...counts, ...plan };
    await step(`${SUBMIT} --dry-run --json`, { ...INPUT, json: shown, stderr: '', sent: 0 });
    await step('grade runs --json', { json: [] });
  });

  test.each([
    ['', 0, ['1 grades.empty']],
    ['member,scroe\na,1\n', 0, ['1 grades.column_unknown', '1 grades.column_missing']],
    ['member,score,scor\na,2,\nb,1,\n', 2, ['1 grades.column_unknown', '2 grade.score_range']],
    [BAD.input, 4, ['3 grades.member_missing', '4 grade.score_range', '5 grades.not_number']],
  ])('--dry-run of %j counts its rows, and prints its findings', async (input, rows, findings) => {
    const { step } = await bench();
    const plan = { rows, attempts: 0, digest: null, records: [] };
    const dry = await step(`${SUBMIT} --dry-run --json`, { input, exit: 3, json: plan });
    const found = jsonOf(dry).findings as { line: number; code: string }[];
    expect(found.map(({ line, code }) => `${line} ${code}`)).toEqual(findings);
  });

  test('a plan that differs from the confirmed one is rejected', async () => {
    const { step } = await bench();
    const digestOf = async (input: string, flags = ''): Promise<string> =>
      jsonOf(await step(`grade submit --from - --dry-run --json ${flags}`, { input })).digest;
    const looked = await digestOf(GRADES);
    expect(await digestOf(GRADES.replace('\na', '\r\n"a"'))).toBe(looked);
    expect(await digestOf(GRADES, '--concurrency 9')).toBe(looked);
    const others = [
      await digestOf(GRADES.replace('0.75', '0.76')),
      await digestOf(GRADES.replace('b,', 'd,')),
      await digestOf(GRADES, '--limit 2'),
      await digestOf('member,score,comment\nb,0.75,"good, b"\na,0.5,\nc,1,\n'),
    ];
    expect(new Set([looked, ...others]).size).toBe(5);
    const stderr = 'the plan has a different digest';
    await step(`${SUBMIT} --expect-digest ${others[0]}`, { ...INPUT, exit: 3, stderr, sent: 0 });
    await step(`${SUBMIT} --expect-digest ${looked}`, { ...INPUT, sent: 3 });
  });

  test('an address that is not under /contexts/, or does not contain the member, is rejected', async () => {
    const iss = 'http://127.0.0.1:9';
    for (const [claims, words] of [
      [{ iss, grade: { submit: `${iss}/account/v1/users/u-1/g` } }, 'not under /contexts/'],
      [{ user: { member: 'm-7', groups: [] } }, 'no segment "m-7"'],
    ] as const) {
      const { step } = await bench(takeAll, { ...claims });
      await step(`${SUBMIT} # exit 3: ${words}`, { ...INPUT, sent: 0 });
    }
  });

  test.each(
    linesIn(`
    ${SUBMIT} --score 1 # exit 2: --score cannot be used with --from
    ${SUBMIT} --member a # exit 2: --member cannot be used with --from
    ${SUBMIT} --map id=membre # exit 2: did you mean member?
    ${SUBMIT} --concurrency 0 # exit 2: from 1 to 1024
    ${SUBMIT} --rate fast # exit 2: 20/s
    ${SUBMIT} --limit -1 # exit 2: a whole number
    grade submit --from /nowhere/x.csv --yes # exit 2: no such file
    ${SUBMIT} --from x.csv # exit 2: it is given twice
    grade submit --score 1 --skip-unchanged # exit 2: --skip-unchanged requires --from`),
  )('%s', async (line) => {
    const { step } = await bench();
    await step(line, { ...INPUT, sent: 0 });
  });
});

test.each(['--yes', '--dry-run'])('a file with a header only is reported with %s', async (flag) => {
  const { step } = await bench();
  const files = { 'empty.csv': 'member,score\n' };
  const stderr = /^warning: .*empty.csv has no records/;
  await step(`grade submit --from empty.csv ${flag}`, { files, stderr, sent: 0 });
});

describe('grade submit --from sends', () => {
  test.each([
    { flags: '--concurrency 1', sent: ['a', 'b', 'c', 'd'], plan: {} },
    { flags: '--skip-unchanged', sent: ['b', 'c', 'd'], plan: { attempts: 0, unchanged: 4 } },
    { flags: '--only-if-higher', sent: ['b', 'd'], plan: { attempts: 0, not_higher: 4 } },
    { flags: '--limit 2 --skip-unchanged', sent: ['b', 'c'], plan: { unchanged: 3, attempts: 1 } },
  ])('the records that $flags selects', async ({ flags, sent, plan }) => {
    const { step } = await bench();
    await step(SUBMIT, { input: 'member,score,comment\na,0.5,x\nb,0.5,\nc,0.5,\n' });
    const input = 'member,score,comment\na,0.5,x\nb,0.6,\nc,0.4,\nd,0,\n';
    await step(`${SUBMIT} --json ${flags}`, { input, summary: { rows: sent.length }, sent });
    await step(`${SUBMIT} --dry-run --json ${flags}`, { input, json: plan });
  });

  test('a row again if a later attempt is in doubt', async () => {
    const work = await bench();
    const input = 'member,score\na,0.5\n';
    await work.step(SUBMIT, { input, sent: 1 });
    work.answer = first(1, (_, response) => void response.socket?.destroy());
    await work.step(SUBMIT, { input, exit: 10, sent: 1 });
    await work.step(`${SUBMIT} --skip-unchanged --again`, { input, sent: 1 });
  });
});
