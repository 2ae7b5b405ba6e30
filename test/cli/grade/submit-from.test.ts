import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/ports.ts';
import { answerJson, startService } from '../../support/service.ts';
import { lectern } from '../../support/lectern.ts';
import {
  attemptFor,
  bench,
  file,
  memberOf,
  members,
  readLines,
  submitFile,
  takeAllBut,
} from './bulk.ts';

const GRADES = 'member,score,comment\na,0.5,\nb,0.75,"good, b"\nc,1,\n';

describe('grade submit --from', () => {
  test('sends each row once to its own address, and prints the outcome', async () => {
    const { run, requests, origin } = await bench();
    const result = await run(submitFile(file(GRADES)));
    expect([result.exit, result.stderr]).toEqual([0, '']);
    expect(
      requests.map(({ method, target, body }) => `${method} ${target} ${body}`).sort(),
    ).toEqual([
      'POST /contexts/c-1/locations/l-1/members/a/grades?x=%2e {"score":0.5}',
      'POST /contexts/c-1/locations/l-1/members/b/grades?x=%2e {"score":0.75,"comment":"good, b"}',
      'POST /contexts/c-1/locations/l-1/members/c/grades?x=%2e {"score":1}',
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        authorization: 'Bearer launch-token-canary-1',
        'content-type': 'application/json',
      });
    }
    const { rows, summary } = readLines(result);
    expect(rows.sort((one, other) => one.line - other.line)).toMatchObject(
      ['a', 'b', 'c'].map((member, index) => ({
        run: expect.any(Number),
        line: index + 2,
        member,
        outcome: 'recorded',
        status: 'success',
        http: 200,
        attempt: { id: `attempt-of-${member}`, annotations: { member } },
        error: null,
      })),
    );
    expect(summary).toEqual({
      run: rows[0]?.run,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: 3,
      recorded: 3,
      success: 3,
      failed: 0,
      refused: 0,
      in_doubt: 0,
      not_sent: 0,
    });
    expect(result.stdout).not.toContain('canary');
    expect(origin).toContain('127.0.0.1');
  });

  test('ends with a correct summary and the next command', async () => {
    const { run } = await bench(
      takeAllBut({
        b: (request, response) =>
          answerJson(response, 200, {
            ...attemptFor(request),
            status: 'failed',
            data: { error: 'the LMS said no', response: { status: 409, body: {} } },
          }),
        c: (_, response) => answerJson(response, 404, { message: 'no such member' }),
      }),
    );
    const { exit, stdout, stderr } = await run([
      'grade',
      'submit',
      '--from',
      file(GRADES),
      '--yes',
    ]);
    expect(exit).toBe(9);
    expect(stdout).toBe(
      'recorded: success\t1\nrecorded: failed\t1\nrefused\t1\nin_doubt\t0\nnot_sent\t0\nall\t3\n',
    );
    expect(stderr).toMatch(/^3 records in \d+ m?s, [\d.,]+\/s$/m);
    expect(stderr).toMatch(/^1 failed: the LMS said no; the LMS answered 409: \{\}$/m);
    expect(stderr).toMatch(/^1 refused: no such member in this course$/m);
    expect(stderr).toMatch(
      /1 recorded as failed, 1 refused; list them with: lectern grade report \d+ --failed/,
    );
  });

  test('prints a record that is not JSON on one line, with unchanged numbers', async () => {
    const record =
      '{\r\n  "id": "x",\n  "status": "success",\n  "big": 12345678901234567890, "f": 1.10\n}';
    const { run } = await bench((_, response) => void response.end(record));
    const result = await run(submitFile(file('member,score\na,1\n')));
    expect(result.stdout).toContain(
      '"attempt":{"id": "x","status": "success","big": 12345678901234567890, "f": 1.10},"error":null}\n',
    );
  });

  test('prints progress and rate from the first line on without a terminal', async () => {
    let arrived = 0;
    const answers: (() => void)[] = [];
    let most = (): void => {};
    const first = new Promise<void>((resolve) => {
      most = resolve;
    });
    const { run } = await bench((request, response) => {
      arrived += 1;
      const answer = (): void => answerJson(response, 200, attemptFor(request));
      if (arrived <= 40) answer();
      else answers.push(answer);
      if (arrived === 44) most();
    });
    let lines = 0;
    const clock: Clock = {
      ...systemClock,
      sleep: async (ms, signal) => {
        if (ms !== 10_000) return systemClock.sleep(ms, signal);
        lines += 1;
        if (lines === 1) return first;
        for (const answer of answers.splice(0)) answer();
        return systemClock.sleep(ms, signal);
      },
    };
    const args = ['grade', 'submit', '--from', file(members(44)), '--yes'];
    const { exit, stderr } = await run(args, { clock });
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/^(3\d|40)\/44, [1-9][\d,]*\/s/m)]);
  });

  test('ends at once if there is no row to send', async () => {
    const { run, requests } = await bench();
    const result = await run(['grade', 'submit', '--from', file('member,score\n'), '--json']);
    expect([result.exit, requests.length]).toEqual([0, 0]);
    expect(readLines(result).summary).toMatchObject({ rows: 0, not_sent: 0 });
  });

  test('reads standard input', async () => {
    const { run, arrived } = await bench();
    const { exit } = await run(['grade', 'submit', '--from', '-', '--yes'], { input: GRADES });
    expect([exit, arrived().sort()]).toEqual([0, ['a', 'b', 'c']]);
  });

  test('uses --url with the placeholder of the member, and the key of the environment', async () => {
    const { origin, home, requests } = await bench();
    const url = `${origin}/contexts/c-9/members/{member}/grades`;
    const { exit } = await lectern(['grade', 'submit', '--from', '-', '--yes', '--url', url], {
      home,
      env: { LECTERN_API_KEY: 'key-canary' },
      input: 'member,score\na b,1\n',
    });
    expect(exit).toBe(0);
    expect(requests[0]?.target).toBe('/contexts/c-9/members/a%20b/grades');
    expect(requests[0]?.headers.authorization).toBe('Bearer key-canary');
  });

  test('sends no more requests at once than allowed, but as many', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    // No answer before seven wait: fewer at once would never end.
    const { run } = await bench((request, response) => {
      waiting.push(() => answerJson(response, 200, attemptFor(request)));
      most = Math.max(most, waiting.length);
      if (waiting.length === 7) setImmediate(() => waiting.splice(0).forEach((answer) => answer()));
    });
    const rows = Array.from({ length: 9 * 7 }, (_, index) => `m${index},1\n`).join('');
    const from = file(`member,score\n${rows}`);
    await run(['grade', 'submit', '--from', from, '--yes', '--concurrency', '7']);
    expect(most).toBe(7);
  });
});

describe('before a grade file is sent', () => {
  const BAD = 'member,score\na,0.5\n,1\nb,1.5\nc,"0,7"\n';

  test('every error is listed with its line', async () => {
    const { run, requests } = await bench();
    const { exit, stdout, stderr } = await run(['grade', 'submit', '--from', file(BAD), '--yes']);
    expect([exit, stdout, requests.length]).toEqual([3, '', 0]);
    expect(stderr).toMatch(/has 3 errors; nothing was sent\n/);
    expect(stderr).toMatch(/line 3 \(\/member\): the member is empty/);
    expect(stderr).toMatch(/line 4 \(\/score\): score must be between 0 and 1/);
    expect(stderr).toMatch(/line 5 \(\/score\): .*"0,7".*use a decimal point: 0\.7/);
  });

  test('equal errors are listed once with their lines, and all with --json', async () => {
    const { run } = await bench();
    const bad = file(members(60).replaceAll('0.5', '200'));
    const { stderr } = await run(['grade', 'submit', '--from', bad, '--yes']);
    expect(stderr).toContain('has 60 errors; nothing was sent\n');
    expect(stderr.match(/error: /g)).toHaveLength(1);
    expect(stderr).toContain('error: 60 records (2-61): score must be between 0 and 1');
    const json = await run(submitFile(bad));
    expect([json.exit, json.stdout]).toEqual([3, '']);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      exit: 3,
      findings: expect.toSatisfy((found: unknown[]) => found.length === 60),
    });
  });

  test('errors with the same code are one block with their lines and three examples', async () => {
    const { run } = await bench();
    const lines = Array.from({ length: 60 }, (_, index) => `m-${index},x${index}\n`);
    const bad = file(`member,score\n${lines.join('')}`);
    const { stderr } = await run(['grade', 'submit', '--from', bad, '--yes']);
    expect(stderr).toContain(
      'error: 60 records (2-61): score must be a number, not "x0"; score must be a number, not "x1"; score must be a number, not "x2"; …',
    );
    expect(stderr.match(/error: /g)).toHaveLength(1);
    expect(stderr).toContain('has 60 errors; nothing was sent\n');
  });

  test('the plan is shown, and --yes is needed without a terminal', async () => {
    const { run, requests } = await bench();
    const { exit, stdout, stderr } = await run(['grade', 'submit', '--from', file(GRADES)]);
    expect([exit, stdout, requests.length]).toEqual([2, '', 0]);
    expect(stderr).toMatch(/^attempts\t3\nrecords\t3\n/);
    expect(stderr).toMatch(
      /course\tc-1\nlocation\tl-1\ncredential\tlaunch token\ndigest\t[0-9a-f]{64}\n/,
    );
    expect(stderr).toContain('pass --yes');
    expect(stderr).not.toContain('members');
  });

  test('--dry-run shows the plan and sends nothing, whatever the other flags', async () => {
    const { run, requests } = await bench();
    const dry = await run([
      'grade',
      'submit',
      '--from',
      file(GRADES),
      '--dry-run',
      '--json',
      '--yes',
    ]);
    expect([dry.exit, dry.stderr, requests.length]).toEqual([0, '', 0]);
    expect(JSON.parse(dry.stdout)).toEqual({
      dry_run: true,
      source: expect.stringContaining('grades.csv'),
      ledger: null,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: 3,
      attempts: 3,
      lowered: 0,
      raised: 0,
      changed: 0,
      new: 3,
      unchanged: 0,
      in_doubt: 0,
      not_higher: 0,
      not_higher_in_doubt: 0,
      replaced: 0,
      beyond_limit: 0,
      ignored_columns: [],
      max_scores: [],
      points_possible: null,
      records: expect.any(Array),
      target: { origin: expect.stringMatching(/^http:/), course: 'c-1', location: 'l-1' },
      credential: 'launch_token',
      findings: [],
    });
    expect((await run(['grade', 'runs', '--json'])).stdout).toBe('[]\n');
  });

  test.each([
    ['', 0, ['1 grades.empty']],
    ['member,scroe\na,1\n', 0, ['1 grades.column_unknown', '1 grades.column_missing']],
    ['member,score,scor\na,2,\nb,1,\n', 2, ['1 grades.column_unknown', '2 grade.score_range']],
  ])('--dry-run of %j counts its rows without the header', async (text, rows, findings) => {
    const { run } = await bench();
    const args = ['grade', 'submit', '--from', file(text), '--dry-run', '--json'];
    const { exit, stdout } = await run(args);
    const plan = JSON.parse(stdout);
    expect([exit, plan.rows, plan.attempts]).toEqual([3, rows, 0]);
    const shown = plan.findings.map((each: { line: number; code: string }) => [
      each.line,
      each.code,
    ]);
    expect(shown.map((each: unknown[]) => each.join(' '))).toEqual(findings);
  });

  test.each([
    ['x,y\n1,2\n', '2 columns: column member is missing; column score is missing; a grade file'],
    [
      'member,score\na,"0,5"\nb,"0.5 "\nc,NaN\n',
      '"NaN"; use a decimal point: 0.5; use a number such as 0.85 [grades.not_number]',
    ],
  ])('findings with one code of %j get each remedy', async (text, shown) => {
    const { run } = await bench();
    const { exit, stderr } = await run(['grade', 'submit', '--from', file(text), '--yes']);
    expect([exit, stderr]).toEqual([3, expect.stringContaining(shown)]);
  });

  test('--dry-run of an invalid file prints its findings', async () => {
    const { run } = await bench();
    const { exit, stdout } = await run([
      'grade',
      'submit',
      '--from',
      file(BAD),
      '--dry-run',
      '--json',
    ]);
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      digest: null,
      findings: [
        { code: 'grades.member_missing', line: 3, severity: 'error' },
        { code: 'grade.score_range', line: 4 },
        { code: 'grades.not_number', line: 5 },
      ],
    });
  });

  test('a plan that differs from the confirmed one is rejected', async () => {
    const { run, requests } = await bench();
    const digest = async (...args: string[]): Promise<string> =>
      JSON.parse((await run(['grade', 'submit', '--dry-run', '--json', ...args])).stdout).digest;
    const looked = await digest('--from', file(GRADES));
    expect(await digest('--from', file(GRADES.replace('\na', '\r\n"a"')))).toBe(looked);
    expect(await digest('--from', file(GRADES), '--concurrency', '9')).toBe(looked);
    const others = [
      await digest('--from', file(GRADES.replace('0.75', '0.76'))),
      await digest('--from', file(GRADES.replace('b,', 'd,'))),
      await digest('--from', file(GRADES), '--limit', '2'),
      await digest('--from', file('member,score,comment\nb,0.75,"good, b"\na,0.5,\nc,1,\n')),
    ];
    expect(new Set([looked, ...others]).size).toBe(5);

    const submit = ['grade', 'submit', '--from', file(GRADES), '--yes', '--expect-digest'];
    const refused = await run([...submit, others[0] as string]);
    expect([refused.exit, requests.length]).toEqual([3, 0]);
    expect(refused.stderr).toContain('the plan has a different digest');
    expect((await run([...submit, looked])).exit).toBe(0);
    expect(requests.length).toBe(3);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['is null', { grade: { submit: null } }, 'no gradebook column'],
    [
      'is not under /contexts/',
      { grade: { submit: 'ORIGIN/account/v1/users/u-1/grades' } },
      'not under /contexts/',
    ],
    ['does not contain the member', { user: { member: 'm-7', groups: [] } }, 'no segment "m-7"'],
  ])('an address that %s is rejected', async (_, more, words) => {
    const { origin, requests } = await startService(() => {});
    const claims = JSON.parse(JSON.stringify(more).replace('ORIGIN', origin));
    const { run } = await bench(undefined, claims.grade ? { iss: origin, ...claims } : claims);
    const { exit, stderr } = await run(['grade', 'submit', '--from', file(GRADES), '--yes']);
    expect([exit, requests.length]).toEqual([3, 0]);
    expect(stderr).toContain(words);
  });

  test.each<[string, string[], string]>([
    ['a score', ['--score', '1'], '--score cannot be used with --from'],
    ['a member', ['--member', 'a'], '--member cannot be used with --from'],
    ['a bad --map', ['--map', 'id=membre'], 'did you mean member?'],
    ['a bad --concurrency', ['--concurrency', '0'], 'from 1 to 1024'],
    ['a bad --rate', ['--rate', 'fast'], '20/s'],
    ['a bad --limit', ['--limit', '-1'], 'a whole number'],
  ])('%s is a usage error', async (_, args, words) => {
    const { run, requests } = await bench();
    const { exit, stderr } = await run([
      'grade',
      'submit',
      '--from',
      file(GRADES),
      '--yes',
      ...args,
    ]);
    expect([exit, requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(words);
  });

  test('flags of a file without a file, and a missing file, are usage errors', async () => {
    const { run } = await bench();
    const lonely = await run(['grade', 'submit', '--score', '1', '--skip-unchanged']);
    expect([lonely.exit, lonely.stderr]).toEqual([
      2,
      expect.stringContaining('--skip-unchanged requires --from'),
    ]);
    const absent = await run(['grade', 'submit', '--from', '/nowhere/x.csv', '--yes']);
    expect([absent.exit, absent.stderr]).toEqual([2, expect.stringContaining('no such file')]);
  });
});

describe('a file with a header only', () => {
  test.each<[string, string[]]>([
    ['a run', ['--yes']],
    ['a dry run', ['--dry-run']],
  ])('is reported by %s, which exits with 0', async (_, flags) => {
    const { run, requests } = await bench();
    const empty = file('member,score\n');
    const result = await run(['grade', 'submit', '--from', empty, ...flags]);
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain(`warning: ${empty} has no records`);
    expect(requests).toEqual([]);
  });
});

describe('grade submit --from sends', () => {
  async function sentBy(...args: string[]) {
    const service = await bench();
    const before = await service.run([
      'grade',
      'submit',
      '--from',
      file('member,score,comment\na,0.5,x\nb,0.5,\nc,0.5,\n'),
      '--yes',
    ]);
    expect(before.exit).toBe(0);
    service.requests.length = 0;
    const from = file('member,score,comment\na,0.5,x\nb,0.6,\nc,0.4,\nd,0,\n');
    const result = await service.run([...submitFile(from), ...args]);
    const plan = await service.run([
      'grade',
      'submit',
      '--from',
      from,
      '--dry-run',
      '--json',
      ...args,
    ]);
    return {
      arrived: service.arrived().sort().join(' '),
      rows: readLines(result).summary.rows,
      plan: JSON.parse(plan.stdout) as Record<string, number>,
    };
  }

  test('all rows', async () => {
    expect(await sentBy()).toMatchObject({ arrived: 'a b c d', rows: 4 });
  });

  test('no rows that would change nothing', async () => {
    expect(await sentBy('--skip-unchanged')).toMatchObject({
      arrived: 'b c d',
      rows: 3,
      plan: { rows: 4, attempts: 0, unchanged: 4 },
    });
  });

  test('only rows with a higher score', async () => {
    expect(await sentBy('--only-if-higher')).toMatchObject({
      arrived: 'b d',
      rows: 2,
      plan: { attempts: 0, not_higher: 4 },
    });
  });

  test('no more rows than --limit', async () => {
    expect(await sentBy('--limit', '2', '--skip-unchanged')).toMatchObject({
      arrived: 'b c',
      rows: 2,
      plan: { unchanged: 3, attempts: 1, beyond_limit: 0 },
    });
  });

  test('the last row of each member', async () => {
    const { run, requests } = await bench();
    const from = file('member,score\na,0.1\nb,0.2\na,0.3\nc,0.4\nb,0.5\n');
    const refused = await run(['grade', 'submit', '--from', from, '--yes']);
    expect([refused.exit, requests.length]).toEqual([3, 0]);
    expect(refused.stderr).toContain('"a", first on line 2');
    const result = await run([...submitFile(from), '--last-wins', '--limit', '2']);
    expect(
      readLines(result)
        .rows.map(({ line, member }) => `${line} ${member}`)
        .sort(),
    ).toEqual(['4 a', '5 c']);
    expect(requests.map((each) => `${memberOf(each)} ${each.body}`).sort()).toEqual([
      'a {"score":0.3}',
      'c {"score":0.4}',
    ]);
  });

  test('a row again if a later attempt is in doubt', async () => {
    let lost = false;
    const service = await bench((request, response) => {
      if (lost) response.socket?.destroy();
      else answerJson(response, 200, attemptFor(request));
    });
    const submit = ['grade', 'submit', '--from', file('member,score\na,0.5\n'), '--yes'];
    expect((await service.run(submit)).exit).toBe(0);
    lost = true;
    expect((await service.run(submit)).exit).toBe(10);
    lost = false;
    expect((await service.run([...submit, '--skip-unchanged', '--again'])).exit).toBe(0);
    expect(service.requests.length).toBe(3);
  });
});

test.each([
  ['http://user:pass@127.0.0.1:1/contexts/c/members/{member}/scores', 'a user name or password'],
  ['ftp://x', 'not an http or https URL'],
  ['127.0.0.1/x', 'not an http or https URL'],
])(
  'grade submit --url %s is refused with its own fault, also with a launch: 3',
  async (url, why) => {
    const { run } = await bench();
    const { exit, stderr } = await run(['grade', 'submit', '--score', '1', '--url', url]);
    expect([exit, stderr]).toEqual([3, expect.stringMatching(`cannot be called: it .*${why}`)]);
  },
);

test('the hint for a score above 1 in a file names flags that a file takes', async () => {
  const { run } = await bench();
  const from = file('member,score\na,85\nb,0\nc,1\n');
  const { exit, stderr } = await run(['grade', 'submit', '--from', from, '--dry-run']);
  const way =
    'read points with --map score=points --max-score POINTS (POINTS: the points possible of';
  expect([exit, stderr]).toEqual([3, expect.stringContaining(way)]);
  expect(stderr).not.toContain('--points');
});
