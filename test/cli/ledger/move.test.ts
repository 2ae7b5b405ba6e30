import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, start, temporaryFolder } from '../../support/lectern.ts';
import { answerJson, type Handler } from '../../support/service.ts';
import { errorsOf } from '../../support/steps.ts';
import { onPostgres } from './support.ts';
import { bench, file, holding, members, readLines, submitFile, takeAllBut } from '../grade/bulk.ts';

const noAnswer: Handler = (_, response) => answerJson(response, 500, {});

/** A machine with a run of four: recorded, in doubt and settled, in doubt, and not sent. */
async function moving() {
  const { origin, home, launch, run, arrived } = await bench(
    takeAllBut({ 'm-3': noAnswer, 'm-4': noAnswer }),
  );
  await run([...submitFile(file(members(4))), '--no-send']);
  await run(['grade', 'resume', '1', '--yes', '--limit', '3']);
  const settle = ['grade', 'settle', '1', '--member', 'm-3', '--yes'];
  for (const byHand of [
    ['--not-recorded', '--because', 'too early'],
    ['--recorded', '--because', 'seen'],
  ]) {
    expect((await run([...settle, ...byHand])).exit).toBe(1);
  }
  const other = temporaryFolder();
  const there = (args: readonly string[]) => lectern(['-l', launch, ...args], { home: other });
  const path = join(temporaryFolder(), 'run.lectern');
  return { origin, home, launch, run, there, path, arrived };
}

/** The reasons of all settlements in the file of a run. */
function evidenceIn(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) =>
    (JSON.parse(line).evidence ?? []).map((each: { because: string }) => each.because),
  );
}

test('a run moves to another machine with its records and doubts, and is refused here', async () => {
  const { run, there, path, arrived } = await moving();
  const moved = JSON.parse((await run(['ledger', 'export', '1', path, '--json'])).stdout);
  expect(moved).toMatchObject({ run: 1, file: path, rows: 4, bytes: statSync(path).size });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const args of [
    ['grade', 'resume', '1', '--yes', '--json'],
    ['grade', 'undo', '1', '--yes', '--json'],
    ['ledger', 'export', '1', `${path}.2`, '--json'],
  ]) {
    const refused = await run(args);
    expect([args, refused.exit, errorsOf(refused).code]).toEqual([args, 3, 'run.moved']);
    expect(errorsOf(refused).message).toBe(`run 1 was moved to ${path} at ${moved.moved}`);
  }
  const twice = errorsOf(await run(submitFile(file(members(4)))));
  expect(twice).toMatchObject({
    code: 'run.twice',
    message: expect.stringContaining(` was moved to ${path} at ${moved.moved}: `),
    hint: expect.stringContaining(': lectern grade resume 1 --again; to send these records again'),
  });
  const settled = await run(['grade', 'settle', '1', file('member,score\nm-2,0.5\n'), '--yes']);
  expect(settled.stderr).toContain(`run 1 was moved to ${path} at ${moved.moved}: send grades`);
  const [listed] = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
  expect(listed.moved).toEqual({ file: path, time: moved.moved });
  const report = async (from: typeof run) => {
    const { stdout } = await from(['grade', 'report', '1', '--receipt']);
    return stdout;
  };
  const before = await report(run);
  expect(before).toContain(',recorded,,seen (');
  await there(submitFile(file('member,score\nother,1\n')));
  const imported = await there(['ledger', 'import', path, '--json']);
  expect(JSON.parse(imported.stdout)).toEqual({
    ledger: null,
    attempts: 3,
    runs: [{ local: 1, run: 2 }],
    settled: 0,
  });
  const third = await lectern(['ledger', 'import', path], { home: temporaryFolder() });
  expect(third.stderr).toMatch(/: lectern grade resume 1\n.*: lectern grade settle 1 EXPORT\n/);
  const { stdout } = await there(['grade', 'report', '2', '--receipt']);
  expect(stdout.replace('# run 2', '# run 1')).toBe(before);
  const again = await there(['ledger', 'import', path]);
  expect(again).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('nothing is left to import: run 2 has all'),
  });
  const resumed = await there(['grade', 'resume', '2', '--yes', '--json']);
  expect(readLines(resumed)).toMatchObject({
    rows: [{ member: 'm-5' }],
    summary: { success: 3, in_doubt: 1, not_sent: 0 },
  });
  expect(arrived()).toEqual(['m-2', 'm-3', 'm-4', 'other', 'm-5']);

  // It comes back with what was sent there.
  const back = `${path}.back`;
  await there(['ledger', 'export', '2', back]);
  expect(evidenceIn(path)).toEqual(['too early', 'seen']);
  expect(evidenceIn(back)).toEqual(evidenceIn(path));
  const returned = await run(['ledger', 'import', back, '--json']);
  expect(JSON.parse(returned.stdout)).toMatchObject({ attempts: 1, runs: [{ local: 2, run: 1 }] });
  const [here] = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
  expect(here).toMatchObject({ success: 3, in_doubt: 1, not_sent: 0 });
  expect(here.moved).toBeUndefined();
});

test('grade resume --again sends a moved run here after all', async () => {
  const { run, path } = await moving();
  await run(['ledger', 'export', '1', path]);
  const again = await run(['grade', 'resume', '1', '--again', '--yes', '--json']);
  expect(readLines(again).summary).toMatchObject({ success: 3, not_sent: 0 });
  expect((await run(['grade', 'resume', '1', '--yes'])).stderr).not.toContain('moved');
});

test('ledger import refuses a file that is damaged, newer, or no run, and changes nothing', async () => {
  const { run, there, path } = await moving();
  await run(['ledger', 'export', '1', path]);
  const whole = readFileSync(path, 'utf8');
  const cases: [text: string, message: string][] = [
    [whole.slice(0, whole.length / 2), 'was cut or changed'],
    [whole.slice(0, -1), 'was cut or changed'],
    [whole.split('\n').slice(0, -2).join('\n') + '\n', 'was cut or changed'],
    [whole.replace('m-5', 'm-9'), 'was cut or changed'],
    [whole.replace('"lectern_run":1', '"lectern_run":2'), 'is newer: update lectern'],
    ['member,score\na,1\n', 'is no run of lectern'],
    ['', 'is no run of lectern'],
  ];
  for (const [text, message] of cases) {
    const damaged = join(temporaryFolder(), 'x.lectern');
    writeFileSync(damaged, text);
    const refused = await there(['ledger', 'import', damaged, '--json']);
    expect([refused.exit, errorsOf(refused).code]).toEqual([3, 'ledger.import']);
    expect(errorsOf(refused).message).toContain(message);
  }
  expect((await there(['grade', 'runs', '--json'])).stdout.trim()).toBe('[]');
});

test('ledger export refuses a run that is being sent', async () => {
  const held = holding();
  const { run, home, launch } = await bench(held.handler);
  const sending = start(['-l', launch, ...submitFile(file(members(2)))], { home });
  await held.waiting(2);
  const path = join(temporaryFolder(), 'run.lectern');
  const refused = await run(['ledger', 'export', '1', path, '--json']);
  expect([refused.exit, errorsOf(refused).code]).toEqual([3, 'run.claimed']);
  held.release();
  expect((await sending.ended).exit).toBe(0);
});

onPostgres('a shared ledger', (team) => {
  test('has no runs to move: export and import of a file are refused with a way out', async () => {
    const { run } = await team();
    expect((await run(submitFile(file(members(1))))).exit).toBe(0);
    for (const args of [
      ['ledger', 'export', '1', join(temporaryFolder(), 'run.lectern')],
      ['ledger', 'import', file('{}')],
    ]) {
      const refused = await run([...args, '--json']);
      expect([args, refused.exit, errorsOf(refused).hint]).toEqual([
        args,
        2,
        expect.stringContaining('--ledger local'),
      ]);
    }
  });
});
