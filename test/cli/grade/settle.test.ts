import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../../support/service.ts';
import { atTerminal, jsonOf } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { bench, file, takeAllBut } from './bulk.ts';

const lost = json(502, {});
const SUBMIT = 'grade submit --yes --json --from -';

/** A run of five grades, of which those of b, c, d and e are in doubt. */
async function doubted() {
  const work = await bench(takeAllBut({ b: lost, c: lost, d: lost, e: lost }));
  const input = 'member,score\na,0.5\nb,0.25\nc,1\nd,0.75\ne,0.3\n';
  await work.step(SUBMIT, { input, exit: 10 });
  return work;
}

const exported = (text: string) => ({ files: { 'export.csv': text } });
const EXPORT = 'member,score\na,0.5\nb,0.25\nc,0.9\ne,-\n';

test('grade settle records the doubts whose score the export shows, and lists the others', async () => {
  const { step } = await doubted();
  const digest = createHash('sha256').update(EXPORT).digest('hex');
  const source = /export.csv/;
  const facts = {
    run: 1,
    digest,
    left_in_doubt: 3,
    settled: [{ member: 'b', score: 0.25, line: 3 }],
    differs: [{ member: 'c', score: 1, export: 0.9, line: 4 }],
    missing: [
      { member: 'd', score: 0.75, line: null, difference: 'missing' },
      { member: 'e', score: 0.3, line: 5, difference: 'no_grade' },
    ],
  };
  const settle = 'grade settle export.csv';
  const dry = { exit: 1, json: { ...facts, source, dry_run: true } };
  await step(`${settle} --dry-run --json`, { ...exported(EXPORT), ...dry });
  await step(settle, { exit: 2, stderr: 'Settle 1 grade of run 1' });
  const error = { code: 'run.in_doubt', hint: /lectern grade resume 1 --retry-in-doubt/ };
  await step('grade settle 1 export.csv --yes --json', { exit: 1, json: facts, error, sent: 0 });

  const evidence = { source, digest, line: 3, by: /.@./, because: null };
  const recorded = { outcome: 'recorded', status: 'success', attempt: null, error: null, evidence };
  await step('grade report --json', { json: [{ member: 'a' }, recorded, {}, {}, {}] });
  await step('grade log --member b --json', { json: recorded });
  await step('grade report', { stdout: /^b,0.25,.*export\.csv, line 3 \(.+@.+\)"$/m });
  await step('grade runs --json', { json: [{ recorded: 2, success: 2, in_doubt: 3 }] });
});

test('grade settle with the same export again finds nothing in doubt', async () => {
  const { step } = await doubted();
  const files = exported('member,score\na,0.5\nb,0.25\nc,1\nd,0.75\ne,0.30\n');
  const planned = ['would settle 4 grades', 'run 1 would have nothing in doubt'];
  await step('grade settle export.csv --dry-run', { ...files, stderr: planned });
  await step('grade settle export.csv --yes', { stderr: 'settled 4 grades' });
  await step('grade settle export.csv', { stdout: '', stderr: 'run 1 has nothing in doubt' });
});

test('grade settle asks at a terminal', async () => {
  const { home, step } = await doubted();
  const keys = { 'Settle 1 grade of run 1 as recorded?': `n${KEYS.enter}` };
  const from = file('member,score\nb,0.25\n', 'export.csv');
  await atTerminal(`grade settle ${from}`, { home, keys, exit: 130 });
  await step('grade report --in-doubt --json', { json: [{}, {}, {}, {}] });
});

test.each([
  ['another course', 'member,score\nz,0.5\n', '', /no member of these 4/],
  ['another scale', 'member,points\nb,25\nc,100\nd,75\ne,30\n', '--max-score 1000', /scale/],
])('grade settle names an export of %s, and settles nothing', async (_, text, flags, hint) => {
  const { step } = await doubted();
  await step(`grade settle export.csv --yes --json ${flags}`, {
    ...exported(text),
    exit: 1,
    json: { settled: [], left_in_doubt: 4 },
    error: { hint },
  });
});

test('grade settle --accept-same settles a score that was recorded before', async () => {
  const work = await bench();
  await work.step(SUBMIT, { input: 'member,score\nb,0.33302\n' });
  work.answer = lost;
  await work.step(`${SUBMIT} --again`, { input: 'member,score\nb,0.33298\n', exit: 10 });
  const settle = 'grade settle export.csv --yes --json';
  await work.step(settle, {
    ...exported('member,score\nb,0.333\n'),
    exit: 1,
    json: { settled: [], same: [{ member: 'b', score: 0.33298, line: 2 }], left_in_doubt: 1 },
    error: { hint: /--accept-same/ },
  });
  await work.step(`${settle} --accept-same`, { json: { settled: [{ member: 'b' }], same: [] } });
});

test('grade settle --member settles by hand, and again; a resume sends what is not recorded', async () => {
  const { step } = await doubted();
  const settle = 'grade settle 1 --yes --json';
  const settled = [{ member: 'b', line: null }, { member: 'c' }];
  const byHand = { source: null, settled, left_in_doubt: 2 };
  await step(`${settle} --member b --member c --recorded --because seen`, {
    exit: 1,
    json: byHand,
  });
  await step(`${settle} --member c --not-recorded --because 'looked again'`, { exit: 1 });
  await step('grade report --json', {
    json: [
      { member: 'a' },
      { outcome: 'recorded', evidence: { source: null, because: 'seen' } },
      { outcome: 'not_sent', evidence: { because: 'looked again' } },
      { outcome: 'in_doubt' },
      { outcome: 'in_doubt' },
    ],
  });
  const rows = [{ member: 'c', outcome: 'in_doubt' }];
  const resumed = await step('grade resume --yes --json', { exit: 10, rows, sent: ['c'] });
  expect(resumed.stdout).not.toContain('evidence');
});

test('a grade in doubt that belongs to no run is settled with the command of its error', async () => {
  const { step } = await bench(takeAllBut({ b: lost }));
  const submit = 'grade submit --member b --score 0.5';
  const command = 'grade settle --member b --recorded --because TEXT';
  const closed = { run: null, settled: [{ member: 'b', score: 0.5 }], left_in_doubt: 0 };
  const lines = `
    ${submit} # exit 10: lectern ${command}
    doctor # lectern grade settle --member ID --recorded
    ${submit} --dry-run # lectern ${command}
    ${command} --yes --json`;
  await step(lines, { json: closed, sent: ['b'] });
  await step(
    'grade settle --member b --not-recorded --because no --yes # settled 1 grade of no run',
  );
  const evidence = { because: 'no' };
  await step('grade log --json', { json: { outcome: 'not_sent', evidence }, sent: 0 });
});

test('without RUN, grade settle --member prefers a doubt of the newest run', async () => {
  const { step, run } = await doubted();
  await step('grade submit --member b --score 0.5', { exit: 10 });
  const settle = (member: string) =>
    run(['grade', 'settle', '--member', member, ...HAND.split(' ').slice(2), '--yes', '--json']);
  const runs = [await settle('b'), await settle('b'), await settle('b')];
  expect(runs.map((each) => jsonOf(each).run)).toEqual([1, null, 1]);
  expect((await settle('a')).stderr).toContain('is not in doubt');
});

const HAND = '--member b --recorded --because seen';

test('grade settle by hand rejects what is not in doubt, and wrong flags', async () => {
  const { step } = await doubted();
  await step(`
    grade settle 1 --yes --member a --recorded --because seen # exit 3: is not in doubt
    grade settle 1 --yes --member z --recorded --because seen # exit 2: no record of the member "z"
    grade settle 1 --yes --member 535fa085f22b4655f48cd5a36a9215f64c062838 --recorded --because seen # exit 2: member "535fa085f22b4655f48cd5a36a9215f64c062838"
    grade settle 1 --yes --member b --because seen # exit 2: either --recorded or --not-recorded
    grade settle 1 --yes ${HAND} --not-recorded # exit 2: either --recorded or --not-recorded
    grade settle 1 --yes --member b --recorded --because ' ' # exit 2: --because TEXT
    grade settle 1 --yes export.csv ${HAND} # exit 2: repeat the flag for several members
    grade settle 1 --yes export.csv --recorded # exit 2: require --member
    grade settle 1 --yes x.csv y.csv # exit 2: [RUN] EXPORT`);
});

test('the end of a run with doubts, grade runs and doctor name the command that settles them', async () => {
  const { step } = await doubted();
  await step(`
    grade resume --yes # exit 10: lectern grade settle 1 EXPORT
    grade runs # lectern grade settle 1 EXPORT
    doctor # lectern grade settle 1 EXPORT`);
});

test('grades of no run at one address are settled together, also where the host has a member', async () => {
  const { origin, step } = await bench(lost);
  const url = `${origin}/contexts/c1/members/{member}/grades`;
  for (const member of ['1', '27']) {
    await step(`grade submit --score 0.5 --member ${member} --url ${url}`, { exit: 10 });
  }
  await step('grade settle --member 1 --member 27 --recorded --because seen --yes');
});

test('a grade of no run is settled at one address, and every member has to have one', async () => {
  const { origin, step } = await bench(lost);
  for (const course of ['c1', 'c2']) {
    const url = `${origin}/contexts/${course}/members/{member}/grades`;
    await step(`grade submit --score 0.5 --member a --url ${url}`, { exit: 10 });
  }
  const settle = 'grade settle --member a --recorded --because seen --yes';
  const stderr =
    /at several addresses: .*\/c1\/members\/{member}\/grades, .*\n {2}pass the --launch/;
  await step(settle, { exit: 2, stderr });
  const one = `${settle} --url ${origin}/contexts/c1/members/{member}/grades`;
  await step(`${one} --member zz`, { exit: 2, stderr: 'of the member "zz" is of no run' });
  await step(one, { stderr: 'settled 1 grade of no run' });
  await step('grade log --json', { json: [{ outcome: 'in_doubt' }, { outcome: 'recorded' }] });
});
