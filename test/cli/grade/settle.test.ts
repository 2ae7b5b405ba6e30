import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { errorsOf } from './errors.ts';
import { bench, file, holding, readLines, submitFile, takeAll, takeAllBut } from './bulk.ts';

const lost = (_: unknown, response: Parameters<typeof answerJson>[0]): void =>
  answerJson(response, 502, {});

/** A run of five grades, of which those of b, c, d and e are in doubt. */
async function doubted() {
  const work = await bench(takeAllBut({ b: lost, c: lost, d: lost, e: lost }));
  await work.run(submitFile(file('member,score\na,0.5\nb,0.25\nc,1\nd,0.75\ne,0.3\n')));
  return work;
}

const exported = (text: string): string => file(text, 'export.csv');
const EXPORT = 'member,score\na,0.5\nb,0.25\nc,0.9\ne,-\n';

test('grade settle records the doubts whose score the export shows, and lists the others', async () => {
  const { run, requests } = await doubted();
  const sent = requests.length;
  const from = exported(EXPORT);
  const digest = createHash('sha256').update(EXPORT).digest('hex');
  const counted = {
    run: 1,
    source: expect.stringContaining('export.csv') as string,
    digest,
    settled: [{ member: 'b', score: 0.25, line: 3 }],
    differs: [{ member: 'c', score: 1, export: 0.9, line: 4 }],
    missing: [
      { member: 'd', score: 0.75, line: null, difference: 'missing' },
      { member: 'e', score: 0.3, line: 5, difference: 'no_grade' },
    ],
    same: [],
    left_in_doubt: 3,
  };
  const planned = await run(['grade', 'settle', from, '--dry-run', '--json']);
  expect([planned.exit, JSON.parse(planned.stdout)]).toEqual([1, { ...counted, dry_run: true }]);

  const asked = await run(['grade', 'settle', from]);
  expect([asked.exit, asked.stderr]).toEqual([
    2,
    expect.stringContaining('Settle 1 grade of run 1'),
  ]);

  const done = await run(['grade', 'settle', '1', from, '--yes', '--json']);
  expect([done.exit, JSON.parse(done.stdout)]).toEqual([1, counted]);
  expect(errorsOf(done)).toMatchObject({
    code: 'run.in_doubt',
    hint: expect.stringContaining('lectern grade resume 1 --retry-in-doubt'),
  });
  expect(requests).toHaveLength(sent);

  const evidence = {
    source: counted.source,
    digest,
    line: 3,
    at: expect.any(String) as string,
    by: expect.stringMatching(/.@./) as string,
    because: null,
  };
  const recorded = { outcome: 'recorded', status: 'success', attempt: null, error: null, evidence };
  const report = await run(['grade', 'report', '--json']);
  expect(JSON.parse(report.stdout)).toMatchObject([{ member: 'a' }, recorded, {}, {}, {}]);
  const log = await run(['grade', 'log', '--member', 'b', '--json']);
  expect(JSON.parse(log.stdout)).toMatchObject(recorded);
  const csv = await run(['grade', 'report']);
  expect(csv.stdout).toMatch(/^b,0.25,.*export\.csv, line 3 \(.+@.+\)"$/m);
  const runs = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
  expect(runs).toMatchObject([{ recorded: 2, success: 2, in_doubt: 3 }]);
});

test('grade settle with the same export again finds nothing in doubt', async () => {
  const { run } = await doubted();
  const from = exported('member,score\na,0.5\nb,0.25\nc,1\nd,0.75\ne,0.30\n');
  const first = await run(['grade', 'settle', from, '--yes']);
  expect([first.exit, first.stderr]).toEqual([0, expect.stringContaining('settled 4 grades')]);
  const second = await run(['grade', 'settle', from]);
  expect([second.exit, second.stdout]).toEqual([0, '']);
  expect(second.stderr).toContain('run 1 has nothing in doubt');
});

test('grade settle asks at a terminal', async () => {
  const { launch, home, run } = await doubted();
  const from = exported('member,score\nb,0.25\n');
  const screen = terminal(['-l', launch, 'grade', 'settle', from], { home });
  await screen.shows('Settle 1 grade of run 1 as recorded?');
  screen.type(`n${KEYS.enter}`);
  expect(await screen.exit).toBe(130);
  const report = await run(['grade', 'report', '--in-doubt', '--json']);
  expect(JSON.parse(report.stdout)).toHaveLength(4);
});

test.each([
  ['another course', 'member,score\nz,0.5\n', [], /no member of these 4/],
  ['another scale', 'member,points\nb,25\nc,100\nd,75\ne,30\n', ['--max-score', '1000'], /scale/],
])('grade settle names an export of %s, and settles nothing', async (_, text, flags, hint) => {
  const { run } = await doubted();
  const result = await run(['grade', 'settle', exported(text), '--yes', ...flags, '--json']);
  expect([result.exit, JSON.parse(result.stdout)]).toMatchObject([
    1,
    { settled: [], left_in_doubt: 4 },
  ]);
  expect(errorsOf(result).hint).toMatch(hint);
});

test('grade settle --accept-same settles a score that was recorded before', async () => {
  const answers = { b: takeAll };
  const work = await bench((request, response) => takeAllBut(answers)(request, response));
  const grades = file('member,score\nb,0.33302\n');
  await work.run(submitFile(grades));
  answers.b = lost;
  await work.run([...submitFile(file('member,score\nb,0.33298\n')), '--again']);
  const settle = ['grade', 'settle', exported('member,score\nb,0.333\n'), '--yes', '--json'];
  const listed = await work.run(settle);
  expect([listed.exit, JSON.parse(listed.stdout)]).toMatchObject([
    1,
    { settled: [], same: [{ member: 'b', score: 0.33298, line: 2 }], left_in_doubt: 1 },
  ]);
  expect(errorsOf(listed).hint).toContain('--accept-same');
  const accepted = await work.run([...settle, '--accept-same']);
  expect([accepted.exit, JSON.parse(accepted.stdout)]).toMatchObject([
    0,
    { settled: [{ member: 'b' }], same: [] },
  ]);
});

test('grade settle --member settles by hand, and again; a resume sends what is not recorded', async () => {
  const { run, arrived } = await doubted();
  const byHand = (...flags: string[]) => run(['grade', 'settle', '1', ...flags, '--yes', '--json']);
  const wrong = await byHand('--member', 'b', '--member', 'c', '--recorded', '--because', 'seen');
  expect([wrong.exit, JSON.parse(wrong.stdout)]).toMatchObject([
    1,
    { source: null, settled: [{ member: 'b', line: null }, { member: 'c' }], left_in_doubt: 2 },
  ]);
  await byHand('--member', 'c', '--not-recorded', '--because', 'looked again');
  const report = await run(['grade', 'report', '--json']);
  expect(JSON.parse(report.stdout)).toMatchObject([
    { member: 'a' },
    { outcome: 'recorded', evidence: { source: null, because: 'seen' } },
    { outcome: 'not_sent', evidence: { because: 'looked again' } },
    { outcome: 'in_doubt' },
    { outcome: 'in_doubt' },
  ]);
  const before = arrived().length;
  const resumed = await run(['grade', 'resume', '--yes', '--json']);
  expect(arrived().slice(before)).toEqual(['c']);
  expect(readLines(resumed).rows).toMatchObject([{ member: 'c', outcome: 'in_doubt' }]);
  expect(readLines(resumed).rows[0]).not.toHaveProperty('evidence');
});

test('a grade in doubt that belongs to no run is settled with the command of its error', async () => {
  const { run, arrived } = await bench(takeAllBut({ b: lost }));
  const submit = ['grade', 'submit', '--member', 'b', '--score', '0.5'];
  const command = 'grade settle --member b --recorded --because TEXT';
  const doubt = await run(submit);
  expect([doubt.exit, doubt.stderr]).toEqual([10, expect.stringContaining(`lectern ${command}`)]);
  expect((await run(['doctor'])).stdout).toContain('lectern grade settle --member ID --recorded');
  expect((await run([...submit, '--dry-run'])).stderr).toContain(`lectern ${command}`);
  const settled = await run([...command.split(' '), '--yes', '--json']);
  expect([settled.exit, JSON.parse(settled.stdout)]).toMatchObject([
    0,
    { run: null, settled: [{ member: 'b', score: 0.5 }], left_in_doubt: 0 },
  ]);
  const again = ['grade', 'settle', '--member', 'b', '--not-recorded', '--because', 'no', '--yes'];
  expect((await run(again)).stderr).toContain('settled 1 grade of no run');
  const { stdout } = await run(['grade', 'log', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'not_sent', evidence: { because: 'no' } });
  expect(arrived()).toEqual(['b']);
});

test('without RUN, grade settle --member prefers a doubt of the newest run', async () => {
  const { run } = await doubted();
  await run(['grade', 'submit', '--member', 'b', '--score', '0.5']);
  const settle = (member: string) =>
    run(['grade', 'settle', '--member', member, ...HAND.slice(2), '--yes', '--json']);
  const runs = [await settle('b'), await settle('b'), await settle('b')];
  expect(runs.map(({ stdout }) => JSON.parse(stdout).run)).toEqual([1, null, 1]);
  expect((await settle('a')).stderr).toContain('is not in doubt');
});

const HAND = ['--member', 'b', '--recorded', '--because', 'seen'];

test.each([
  [['--member', 'a', '--recorded', '--because', 'seen'], 3, 'is not in doubt'],
  [['--member', 'z', '--recorded', '--because', 'seen'], 2, 'no record of the member "z"'],
  [['--member', 'b', '--because', 'seen'], 2, 'either --recorded or --not-recorded'],
  [[...HAND, '--not-recorded'], 2, 'either --recorded or --not-recorded'],
  [['--member', 'b', '--recorded', '--because', ' '], 2, '--because TEXT'],
  [['export.csv', ...HAND], 2, 'without an export'],
  [['export.csv', '--recorded'], 2, 'require --member'],
  [['x.csv', 'y.csv'], 2, '[RUN] EXPORT'],
])('grade settle %j exits with %i', async (flags, exit, message) => {
  const { run } = await doubted();
  const result = await run(['grade', 'settle', '1', ...flags, '--yes']);
  expect([result.exit, result.stderr]).toEqual([exit, expect.stringContaining(message)]);
});

test('grade settle is refused while the run is being sent', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const sending = work.run(submitFile(file('member,score\na,0.5\n')));
  await service.waiting(1);
  for (const flags of [
    [exported('member,score\na,0.5\n'), '--dry-run'],
    ['--member', 'a', ...HAND.slice(2)],
  ]) {
    const result = await work.run(['grade', 'settle', ...flags, '--yes', '--json']);
    expect([result.exit, errorsOf(result).code]).toEqual([3, 'run.claimed']);
  }
  service.release();
  expect((await sending).exit).toBe(0);
});

test('the end of a run with doubts, grade runs and doctor name the command that settles them', async () => {
  const { run } = await doubted();
  const command = 'lectern grade settle 1 EXPORT';
  const resumed = await run(['grade', 'resume', '--yes']);
  expect([resumed.exit, resumed.stderr]).toEqual([10, expect.stringContaining(command)]);
  expect((await run(['grade', 'runs'])).stderr).toContain(command);
  expect((await run(['doctor'])).stdout).toContain(command);
});
