import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';
import { answerJson, type Handler, launchFor, startService } from '../../support/service.ts';
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

const GRADES = [
  'member,score,max_score,comment,activity_progress',
  'a,0.5,,"=HYPERLINK(""http://x"")",',
  `b,0.85,50,"it's ""fine"", really",Submitted`,
  `c,1,,"''=kept
and more",`,
  '-d,0,,plain,',
].join('\n');

/** A run of four rows: a recorded as failed, b refused, c in doubt, -d recorded. */
async function mixedRun(then: Handler = takeAll) {
  const faults = {
    a: (request: never, response: never) =>
      answerJson(response, 200, {
        ...attemptFor(request),
        status: 'failed',
        data: { error: 'no scope', response: null },
      }),
    b: (_: never, response: never) => answerJson(response, 404, { message: 'no\tsuch member' }),
    c: (_: never, response: { socket: { destroy: () => void } }) => response.socket.destroy(),
  };
  let failing = true;
  const faulty = takeAllBut(faults as never);
  const work = await bench((request, response) => (failing ? faulty : then)(request, response));
  const result = await work.run(submitFile(file(GRADES)));
  expect(result.exit).toBe(10);
  const heal = (): void => {
    failing = false;
    work.requests.length = 0;
  };
  return { ...work, heal, id: String(readLines(result).summary.run) };
}

describe('grade report', () => {
  test('prints a file that can be submitted unchanged, with the same grades', async () => {
    const { run, id, requests, heal } = await mixedRun();
    const first = requests.map(({ target, body }) => `${target} ${body}`).sort();
    heal();
    const report = await run(['grade', 'report', id]);
    expect([report.exit, report.stderr]).toEqual([0, '']);
    expect(report.stdout.split('\n')[0]).toBe(
      'member,score,max_score,comment,activity_progress,grading_progress,line,outcome,status,http,attempt,error,response,evidence',
    );
    expect(report.stdout).toContain(
      `a,0.5,,"'=HYPERLINK(""http://x"")",,,2,recorded,failed,200,attempt-of-a,no scope`,
    );
    expect(report.stdout).toContain(`"''=kept\nand more"`);
    expect(report.stdout).toContain(`'-d,0,,plain,,,6,recorded,success,200,`);
    const submit = ['grade', 'submit', '--from', '-', '--yes'];
    // One of its grades is in doubt.
    expect((await run(submit, { input: report.stdout })).exit).toBe(3);
    const again = await run([...submit, '--again'], { input: report.stdout });
    expect(again.exit).toBe(0);
    expect(requests.map(({ target, body }) => `${target} ${body}`).sort()).toEqual(first);
  });

  test.each<[string[], string]>([
    [['--failed'], 'a b'],
    [['--in-doubt'], 'c'],
    [['--not-sent'], ''],
    [['--failed', '--in-doubt'], 'a b c'],
    [[], 'a b c -d'],
  ])('with %j prints only the matching rows', async (flags, expected) => {
    const { run, id } = await mixedRun();
    const { stdout } = await run(['grade', 'report', id, '--json', ...flags]);
    const rows = JSON.parse(stdout) as { member: string }[];
    expect(rows.map(({ member }) => member).join(' ')).toBe(expected);
  });

  test('--json prints the outcome and the request of each row', async () => {
    const { run, id } = await mixedRun();
    const rows = JSON.parse((await run(['grade', 'report', id, '--json'])).stdout);
    expect(rows).toMatchObject([
      {
        line: 2,
        outcome: 'recorded',
        status: 'failed',
        http: 200,
        attempt: { id: 'attempt-of-a' },
        error: 'no scope',
        grade: { score: 0.5 },
      },
      {
        line: 3,
        outcome: 'refused',
        status: null,
        http: 404,
        attempt: null,
        error: 'no such member in this course',
        grade: { score: 0.85, max_score: 50 },
      },
      {
        line: 4,
        outcome: 'in_doubt',
        status: null,
        http: null,
        attempt: null,
        error: expect.any(String),
      },
      { line: 6, outcome: 'recorded', status: 'success', error: null },
    ]);
  });

  test('of an unknown run is a usage error', async () => {
    const { run } = await bench();
    const { exit, stderr } = await run(['grade', 'report', '7']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('no such run: "7"')]);
  });
});

describe('grade resume', () => {
  test('--dry-run shows what it would send, and sends nothing', async () => {
    const { run, id, heal, arrived, requests } = await mixedRun();
    heal();
    const dry = await run(['grade', 'resume', id, '--dry-run', '--retry-failed', '--json']);
    const { rows, url, ...head } = JSON.parse(dry.stdout);
    expect([dry.exit, head]).toEqual([
      0,
      {
        dry_run: true,
        run: Number(id),
        digest: expect.any(String),
        method: 'POST',
        ledger: null,
        target: { course: 'c-1', location: 'l-1', origin: expect.any(String) },
        superseded: [],
        recorded_since: 0,
        doubted_since: 0,
        // b: a 404 is not offered again.
        warning: '1 grade not sent again: no such member in this course',
      },
    ]);
    expect(url).toMatch(/\/members\/\{member\}\/grades(\?.*)?$/);
    expect(rows).toMatchObject([{ line: 2, member: 'a', state: 'failed' }]);
    const text = await run(['grade', 'resume', id, '--dry-run', '--retry-failed', '--limit', '1']);
    expect([text.stdout, text.stderr]).toEqual([
      expect.stringMatching(/^2\ta\tfailed\t\{"score":.*\}\n$/),
      expect.stringMatching(
        /^warning: 1 grade not sent again: no such member in this course\nrun\t/,
      ),
    ]);
    const none = await run(['grade', 'resume', id, '--dry-run', '--json']);
    expect(JSON.parse(none.stdout).rows).toEqual([]);
    expect(arrived()).toEqual([]);
    await run(['grade', 'resume', id, '--retry-failed', '--concurrency', '1', '--yes']);
    expect(arrived()).toEqual(['a']);
    const sent = requests.map(({ body }) => JSON.parse(body.toString()));
    expect(sent).toEqual(rows.map(({ body }: { body: unknown }) => body));
  });

  test('sends only the requested rows', async () => {
    const { run, id, heal, arrived } = await mixedRun();
    heal();
    const nothing = await run(['grade', 'resume', id, '--yes']);
    expect([nothing.exit, arrived()]).toEqual([10, []]);
    const failed = await run(['grade', 'resume', id, '--retry-failed', '--json', '--yes']);
    expect([failed.exit, arrived().sort()]).toEqual([10, ['a']]);
    expect(readLines(failed).rows.length).toBe(1);
    const doubted = await run(['grade', 'resume', id, '--retry-in-doubt', '--json', '--yes']);
    expect([doubted.exit, arrived().sort()]).toEqual([9, ['a', 'c']]);
    expect(readLines(doubted).summary).toMatchObject({
      rows: 4,
      success: 3,
      refused: 1,
      digest: expect.any(String),
    });
  });

  test.each<[string, Handler, number, string[]]>([
    ['the credential is rejected', (_, response) => answerJson(response, 401, {}), 4, ['c']],
    [
      'the request is rejected',
      (_, response) => answerJson(response, 422, { message: 'no' }),
      10,
      ['c'],
    ],
    [
      'the service requests a long wait',
      (_, response) => void response.writeHead(429, { 'retry-after': '86400' }).end(),
      8,
      ['c'],
    ],
  ])('leaves a row in its state if %s', async (_, then, exit, sent) => {
    const { run, id, heal, arrived } = await mixedRun(then);
    heal();
    const before = JSON.parse((await run(['grade', 'report', id, '--json'])).stdout);
    const tried = await run(['grade', 'resume', id, '--retry-in-doubt', '--json', '--yes']);
    expect([tried.exit, arrived()]).toEqual([exit, sent]);
    const { rows, summary, warning } = readLines(tried);
    expect(warning).toContain('retried without success, line 4: ');
    expect(rows).toMatchObject([
      { member: 'c', outcome: 'in_doubt', error: expect.stringContaining('; retried: ') },
    ]);
    expect(summary).toMatchObject({
      success: 1,
      failed: 1,
      refused: 1,
      in_doubt: 1,
      not_sent: 0,
    });
    expect(JSON.parse((await run(['grade', 'report', id, '--json'])).stdout)).toEqual(before);
    await run(['grade', 'resume', id, '--yes']);
    expect(arrived()).toEqual(sent);
    const failed = await run(['grade', 'resume', id, '--retry-failed', '--json', '--yes']);
    expect(readLines(failed).summary).toMatchObject({ failed: 1, refused: 1, not_sent: 0 });
  });

  test('--limit sends no more rows, and the next resume sends the rest', async () => {
    let ended = true;
    const { run, arrived } = await bench((request, response) => {
      if (ended) answerJson(response, 401, {});
      else takeAll(request, response);
    });
    const from = file('member,score\na,1\nb,1\nc,1\nd,1\n');
    const stopped = await run([...submitFile(from), '--concurrency', '1']);
    expect(stopped.exit).toBe(4);
    const { run: id } = readLines(stopped).summary;
    ended = false;
    const part = await run(['grade', 'resume', String(id), '--limit', '2', '--json', '--yes']);
    expect([part.exit, readLines(part).rows.length]).toEqual([0, 2]);
    expect(readLines(part).summary).toMatchObject({ rows: 4, success: 2, not_sent: 2 });
    const more = await run(['grade', 'resume', String(id), '--limit', '1', '--yes']);
    const left = `1 of 4 grades not sent; resume with: lectern grade resume ${id}`;
    expect([more.exit, more.stderr]).toEqual([0, expect.stringContaining(left)]);
    const rest = await run(['grade', 'resume', String(id), '--yes']);
    expect([rest.exit, arrived()]).toEqual([0, ['a', 'a', 'b', 'c', 'd']]);
  });

  test('warns of a changed file, and continues with the rows of the run', async () => {
    const { run, id, heal, requests } = await mixedRun();
    heal();
    const same = await run(['grade', 'resume', id, '--from', file(`\ufeff${GRADES}\n`), '--yes']);
    expect(same.stderr).not.toContain('warning');
    const other = file(GRADES.replace('0.85', '0.86'));
    const resumed = await run(['grade', 'resume', id, '--from', other, '--retry-failed', '--yes']);
    expect(resumed.stderr).toContain(`is not the file that run ${id} was created from`);
    expect(requests.map(({ body }) => String(body)).join()).not.toContain('0.86');
    const json = await run(['grade', 'resume', id, '--from', other, '--json', '--yes']);
    expect(readLines(json).warning).toContain('is not the file');
  });

  test('continues with a new credential when the launch and the file are deleted', async () => {
    let token = 'launch-token-canary-1';
    const { origin, requests } = await startService((request, response) => {
      if (request.headers.authorization === `Bearer ${token}`) takeAll(request, response);
      else answerJson(response, 401, { message: 'launch token has ended' });
    });
    const home = temporaryFolder();
    const launch = JSON.stringify(launchFor(origin));
    await lectern(['launch', 'save', 'old'], { home, input: launch });
    token = 'new-canary';
    const submit = ['-l', 'old', 'grade', 'submit', '--from', '-', '--yes', '--json'];
    const first = await lectern(submit, { home, input: 'member,score\na,1\nb,1\n' });
    expect(first.exit).toBe(4);
    const id = String(readLines(first).summary.run);
    expect((await lectern(['grade', 'resume', id, '--yes'], { home })).exit).toBe(4);
    await lectern(['launch', 'rm', 'old', '--yes'], { home });

    const gone = await lectern(['grade', 'resume', id, '--yes'], { home });
    expect([gone.exit, gone.stderr]).toEqual([2, expect.stringContaining('no saved launch')]);
    const renewed = launch.replace('launch-token-canary-1', token);
    await lectern(['launch', 'save', 'new'], { home, input: renewed });
    const again = await lectern(['grade', 'resume', id, '--launch', 'new', '--json', '--yes'], {
      home,
    });
    expect([again.exit, readLines(again).summary.success]).toEqual([0, 2]);
    expect(requests.at(-1)?.target).toContain('/contexts/c-1/');
    for (const text of [first.stdout, first.stderr, again.stdout, gone.stderr]) {
      expect(text).not.toContain('canary');
    }
  });

  test('of a run with an API key does not use a token instead', async () => {
    const { origin, home, launch, requests } = await bench((_, response) =>
      answerJson(response, 401, {}),
    );
    const url = `${origin}/contexts/c/members/{member}/grades`;
    const key = { LECTERN_API_KEY: 'key-canary' };
    const args = ['grade', 'submit', '--from', '-', '--yes', '--json', '--url', url];
    const first = await lectern(args, { home, env: key, input: 'member,score\na,1\n' });
    const id = String(readLines(first).summary.run);
    requests.length = 0;
    const without = await lectern(['grade', 'resume', id, '--yes'], {
      home,
      env: { LECTERN_TOKEN: 'token-canary' },
    });
    expect([without.exit, requests.length]).toEqual([4, 0]);
    expect(without.stderr).toContain('API key');
    await lectern(['grade', 'resume', id, '--launch', launch, '--yes'], { home });
    await lectern(['grade', 'resume', id, '--yes'], { home, env: key });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer launch-token-canary-1',
      'Bearer key-canary',
    ]);
  });
});

describe('grade log', () => {
  test('lists every attempt, also single and repeated ones, and can be filtered', async () => {
    const { run, id, heal } = await mixedRun();
    heal();
    await run(['grade', 'submit', '--score', '0.25', '--member', 'a']);
    await run(['grade', 'resume', id, '--retry-failed', '--include-superseded', '--yes']);
    const log = async (...args: string[]) =>
      (await run(['grade', 'log', '--json', ...args])).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    const all = await log();
    expect(all.map(({ id: number }) => number)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(all.filter(({ member }) => member === 'a')).toMatchObject([
      { run: Number(id), line: 2, outcome: 'recorded', status: 'success', grade: { score: 0.5 } },
      {
        run: null,
        line: null,
        grade: { score: 0.25 },
        credential: 'launch_token',
        attempt: { score: 0.25 },
      },
      { run: Number(id), line: 2, outcome: 'recorded', status: 'failed', error: 'no scope' },
    ]);
    expect((await log('--member', 'a')).length).toBe(3);
    expect((await log('--status', 'failed')).length).toBe(1);
    expect((await log('--status', 'refused,in-doubt')).map(({ member }) => member)).toEqual([
      'c',
      'b',
    ]);
    expect((await log('--status', 'recorded')).length).toBe(4);
    expect((await log('--run', id)).length).toBe(5);
    expect((await log('--since', '1h')).length).toBe(6);
    expect((await log('--since', '15m')).length).toBe(6);
    expect(await log('--since', '2999-01-01')).toEqual([]);
    expect((await log('--limit', '2')).map(({ id: number }) => number)).toEqual([6, 5]);
  });

  test('and grade report write a complete file with --output, or none', async () => {
    const { run, id } = await mixedRun();
    const folder = temporaryFolder();
    for (const args of [
      ['log'],
      ['log', '--json'],
      ['report', id],
      ['report', id, '--json'],
      ['report', id, '--csv'],
    ]) {
      const path = join(folder, 'out');
      const written = await run(['grade', ...args, '--output', path]);
      expect(written).toMatchObject({ exit: 0, stdout: '' });
      expect(readFileSync(path, 'utf8')).toBe((await run(['grade', ...args])).stdout);
    }
    const bad = await run(['grade', 'log', '--run', '99', '--output', join(folder, 'none')]);
    expect(bad.exit).toBe(2);
    expect(readdirSync(folder)).toEqual(['out']);
  });

  test('as a table has one escaped line for each attempt', async () => {
    const { run } = await mixedRun();
    const { stdout } = await run(['grade', 'log', '--status', 'refused']);
    expect(stdout).toMatch(
      /^2\t\d{4}-\d\d-\d\dT[\d:]+Z\tb\t0\.85\trefused\t404\t\d+\t3\tno such member in this course\t\n$/,
    );
  });

  test.each<[string[], string]>([
    [['--status', 'lost'], 'unknown status "lost"'],
    [['--since', 'yesterday'], 'is not a valid time'],
    [['--since', '2026-02-30'], 'is not a valid time'],
    [['--run', '99'], 'no such run: "99"'],
  ])('rejects %j', async (args, words) => {
    const { run } = await bench();
    const { exit, stderr } = await run(['grade', 'log', ...args]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

test('grade runs lists the newest run first', async () => {
  const { run, origin } = await bench();
  const none = await run(['grade', 'runs']);
  expect([none.stdout, none.stderr]).toEqual(['', expect.stringContaining('no runs')]);
  await run(['grade', 'submit', '--from', file('member,score\na,1\n', 'one.csv'), '--yes']);
  await run(['grade', 'submit', '--from', file('member,score\na,1\nb,1\n', 'two.csv'), '--yes']);
  expect(JSON.parse((await run(['grade', 'runs', '--json'])).stdout)).toMatchObject([
    {
      run: 2,
      rows: 2,
      success: 2,
      source: expect.stringContaining('two.csv'),
      credential: 'launch_token',
      target: { origin, course: 'c-1', location: 'l-1' },
    },
    { run: 1, rows: 1, success: 1 },
  ]);
  expect((await run(['grade', 'runs'])).stdout).toMatch(
    /^2\t.*\t2\t2\t0\t0\t0\t0\t.*two\.csv\tc-1\tl-1\n1\t/,
  );
});

test('a run with --url has the course and location of its answers', async () => {
  const { origin, home } = await bench();
  const env = { LECTERN_API_KEY: 'key-canary' };
  const run = async (line: string) => lectern(line.split(' '), { home, env });
  const target = async () => JSON.parse((await run('grade runs --json')).stdout)[0].target;
  const url = `${origin}/contexts/opaque/members/{member}/grades`;
  await run(`grade submit --from ${file(members(2))} --url ${url} --yes --no-send`);
  expect(await target()).toEqual({ origin, course: 'opaque', location: null });
  await run('grade resume 1 --yes --limit 1');
  expect(await target()).toEqual({ origin, course: 'c-1', location: 'l-1' });
  const dry = await run('grade resume 1 --dry-run --json');
  expect(JSON.parse(dry.stdout)).toMatchObject({ target: { course: 'c-1', location: 'l-1' } });
  const shown = await run('grade resume 1 --dry-run');
  expect(shown.stderr).toContain('course\tc-1\nlocation\tl-1\n');
});

describe('a grade at an address without a known member', () => {
  test('is found by the member in the record', async () => {
    const { run, origin } = await bench();
    const url = `${origin}/contexts/c-1/members/q/grades?s=1`;
    const { exit, stderr } = await run(['grade', 'submit', '--score', '0.9', '--url', url]);
    expect([exit, stderr]).toEqual([0, '']);
    const log = await run(['grade', 'log', '--member', 'q', '--json']);
    expect(JSON.parse(log.stdout)).toMatchObject({ member: 'q' });
    const marked = url.replace('/q/', '/{member}/');
    const bulk = ['grade', 'submit', '--from', '-', '--url', marked, '--yes', '--json'];
    const input = 'member,score\nq,0.4\nr,0.4\n';
    const lower = await run([...bulk, '--only-if-higher'], { input });
    expect(readLines(lower).rows).toMatchObject([{ member: 'r' }]);
  });

  test('is separate from one whose address has another query', async () => {
    const { run, origin, requests } = await bench();
    const at = (location: string): string[] => [
      'grade',
      'submit',
      '--from',
      '-',
      '--url',
      `${origin}/contexts/c-1/members/{member}/grades?location=${location}`,
    ];
    const input = 'member,score\nq,0.4\n';
    const plan = await run([...at('L2'), '--dry-run', '--json'], { input });
    const { digest } = JSON.parse(plan.stdout);
    const other = [...at('L3'), '--yes', '--skip-unchanged', '--json'];
    expect((await run([...at('L2'), '--yes'], { input })).exit).toBe(0);
    const wrong = await run([...other, '--expect-digest', digest], { input });
    expect([wrong.exit, requests.length]).toEqual([3, 1]);
    const right = await run(other, { input });
    expect([right.exit, requests.length]).toEqual([0, 2]);
  });
});

test('--skip-unchanged compares with the record instead of the request', async () => {
  const { run, requests } = await bench((request, response) =>
    answerJson(response, 200, { ...attemptFor(request), score: 0.1 }),
  );
  const from = file('member,score\na,0.9\n');
  await run(submitFile(from));
  const again = await run([...submitFile(from), '--skip-unchanged']);
  const higher = await run([...submitFile(file('member,score\na,0.5\n')), '--only-if-higher']);
  expect([again.exit, higher.exit, requests.length]).toEqual([0, 0, 3]);
});

test('grade log lists sent attempts only', async () => {
  const { run, requests } = await bench((request, response) => {
    if (requests.length < 3) takeAll(request, response);
    else answerJson(response, 401, {});
  });
  const from = file('member,score\na,1\nb,1\nc,1\nd,1\ne,1\nf,1\n');
  const stopped = await run([...submitFile(from), '--concurrency', '1']);
  expect([stopped.exit, requests.length]).toEqual([4, 3]);
  const log = (await run(['grade', 'log', '--json'])).stdout.trimEnd().split('\n');
  expect(log.length).toBe(3);
  expect(readLines(stopped).summary).toMatchObject({ success: 2, not_sent: 4 });
});

test('grade resume reports a row that was rejected again, with the next command', async () => {
  let status = 422;
  const { run } = await bench((_, response) => answerJson(response, status, {}));
  const refused = await run([...submitFile(file('member,score\na,1\n')), '--concurrency', '1']);
  expect(refused.exit).toBe(9);
  status = 401;
  const again = await run(['grade', 'resume', '1', '--retry-failed', '--json', '--yes']);
  expect([again.exit, readLines(again).rows]).toMatchObject([
    4,
    [{ member: 'a', outcome: 'refused', error: expect.stringContaining('; retried: ') }],
  ]);
  expect(JSON.parse(again.stderr).error.message).toContain('lectern grade resume 1 --retry-failed');
});

test('grade submit warns once of all records with another member or score than was sent', async () => {
  const { run } = await bench((request, response) =>
    answerJson(response, 200, { ...attemptFor(request), score: 0.1 }),
  );
  const submit = ['grade', 'submit', '--from', file('member,score\na,0.5\nb,0.6\n'), '--yes'];
  const text = await run([...submit, '--concurrency', '1']);
  const words = 'line 2: the record has the score 0.1, not 0.5, and 1 more';
  expect([text.exit, text.stderr]).toEqual([0, expect.stringContaining(`warning: ${words}`)]);
  const json = await run([...submit, '--concurrency', '1', '--json']);
  expect(readLines(json).warning).toContain(words);
});

test('grade report prints a table on a terminal, and CSV with --csv', async () => {
  const { run, home, launch, id } = await mixedRun();
  const report = async (...flags: string[]) => {
    const screen = terminal(['-l', launch, 'grade', 'report', id, ...flags], {
      home,
      columns: 120,
    });
    expect(await screen.exit).toBe(0);
    return screen.screen();
  };
  const [header = '', ...rows] = (await report()).split('\n');
  const columns = 'line member score max score outcome http attempt error response evidence';
  expect(header.trim().replace(/ +/g, ' ')).toBe(columns);
  expect(rows[0]).toMatch(/^ +2 +a +0\.5 +failed +200 +attempt-of-a +no scope$/);
  expect(rows[1]).toMatch(/^ +3 +b +0\.85 +50 +refused +404 +no such member in this course$/);
  expect(rows[2]).toMatch(/^ +4 +c +1 +in doubt /);
  const csv = await report('--csv', '--failed');
  expect(csv.replaceAll('\n', '')).toContain(',attempt-of-a,no scope');
  expect(csv).toMatch(/^member,score,max_score,/);
  expect(await report('--not-sent')).toBe('no matching grades');
  const both = await run(['grade', 'report', id, '--csv', '--json']);
  expect([both.exit, both.stdout]).toEqual([2, '']);
});

test('grade report escapes texts of the gradebook on a terminal', async () => {
  const { run, home, launch } = await bench((request, response) => {
    const data = { error: '\u001b[2J\u202e\u0007', response: null };
    answerJson(response, 200, { ...attemptFor(request), status: 'failed', data });
  });
  await run(['grade', 'submit', '--from', file('member,score\na,0.5\n'), '--yes']);
  for (const flags of [[], ['--csv']]) {
    const screen = terminal(['-l', launch, 'grade', 'report', '1', ...flags], { home });
    expect(await screen.exit).toBe(0);
    for (const raw of ['\u001b[2J', '\u202e', '\u0007']) expect(screen.bytes()).not.toContain(raw);
    expect(screen.screen()).toContain('[2J');
  }
});
