import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../../support/service.ts';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { onPostgres } from './support.ts';
import { bench, members, takeAllBut } from '../grade/bulk.ts';

/** A machine with a run of four: recorded, in doubt and settled, in doubt, and not sent; and another one. */
async function moving() {
  const lost = json(500, {});
  const here = await bench(takeAllBut({ 'm-3': lost, 'm-4': lost }));
  const files = { 'grades.csv': members(4) };
  await here.step('grade submit --from grades.csv --yes --no-send', { files });
  await here.step(`
    grade resume 1 --yes --limit 3 # exit 10
    grade settle 1 --member m-3 --yes --not-recorded --because 'too early' # exit 1
    grade settle 1 --member m-3 --yes --recorded --because seen # exit 1`);
  return { ...here, there: here.machine(), path: join(here.folder, 'run.lectern') };
}

/** The reasons of all settlements in the file of a run. */
function evidenceIn(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) =>
    (JSON.parse(line).evidence ?? []).map((each: { because: string }) => each.because),
  );
}

test('a run moves to another machine with its records and doubts, and is refused here', async () => {
  const { step, machine, there, path, arrived } = await moving();
  const exported = await step(`ledger export 1 ${path} --json`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const moved = jsonOf(exported);
  expect(moved).toMatchObject({ run: 1, file: path, rows: 4, bytes: statSync(path).size });
  const message = `run 1 was moved to ${path} at ${moved.moved}`;
  await step(`
    grade resume 1 --yes # exit 3: ${message}
    grade undo 1 --yes # exit 3: ${message} … imported; pass --again if it is sent nowhere else
    ledger export 1 ${path}.2 # exit 3: ${message}`);
  const twice = errorsOf(await step('grade submit --from grades.csv --yes --json # exit 3'));
  expect(twice).toMatchObject({
    code: 'run.twice',
    message: expect.stringContaining(` was moved to ${path} at ${moved.moved}: `),
    hint: expect.stringContaining(': lectern grade resume 1 --again; to send these records again'),
  });
  const files = { 'export.csv': 'member,score\nm-2,0.5\n' };
  const stderr = `${message}: send grades`;
  await step('grade settle 1 export.csv --yes', { files, exit: 1, stderr });
  const listed = [{ moved: { file: path, time: moved.moved } }];
  await step('grade runs --json', { json: listed });
  const before = (await step('grade report 1 --receipt', { stdout: ',recorded,,seen (' })).stdout;

  const other = { input: 'member,score\nother,1\n' };
  await there.step('grade submit --from - --yes', other);
  const imported = { ledger: null, attempts: 3, runs: [{ local: 1, run: 2 }], settled: 0 };
  await there.step(`ledger import ${path} --json`, { json: imported });
  const hints = /: lectern grade resume 1\n.*: lectern grade settle 1 EXPORT\n/;
  await machine().step(`ledger import ${path}`, { stderr: hints });
  const { stdout } = await there.step('grade report 2 --receipt');
  expect(stdout.replace('# run 2', '# run 1')).toBe(before);
  await there.step(`ledger import ${path} # nothing is left to import: run 2 has all`);
  const rows = [{ member: 'm-5' }];
  const summary = { success: 3, in_doubt: 1, not_sent: 0 };
  await there.step('grade resume 2 --yes --json', { exit: 10, rows, summary });
  expect(arrived()).toEqual(['m-2', 'm-3', 'm-4', 'other', 'm-5']);

  // It comes back with what was sent and settled there.
  const back = `${path}.back`;
  await there.step(`
    grade settle 2 --member m-4 --yes --recorded --because found
    ledger export 2 ${back}`);
  expect(evidenceIn(path)).toEqual(['too early', 'seen']);
  expect(evidenceIn(back)).toEqual(['too early', 'seen', 'found']);
  const returned = { attempts: 1, runs: [{ local: 2, run: 1 }], settled: 1 };
  await step(`ledger import ${back} --json`, { json: returned });
  const whole = [{ success: 4, in_doubt: 0, not_sent: 0 }];
  const [run] = jsonOf(await step('grade runs --json', { json: whole }));
  expect(run.moved).toBeUndefined();

  // It leaves again: the older files, and its own, do not bring it back.
  const last = `${path}.last`;
  await step(`ledger export 1 ${last}`);
  for (const file of [path, back, last]) {
    await step(`ledger import ${file}`, { stderr: `was moved to ${last} at ` });
    await step('grade resume 1 --yes --json # exit 3', { error: { code: 'run.moved' } });
  }
});

test('a run that was sent on both machines has each attempt once, however often it moves', async () => {
  const { step, machine, folder } = await bench();
  const there = machine();
  const path = join(folder, 'run.lectern');
  const over = async (from: typeof there, to: typeof there): Promise<void> => {
    await from.step(`ledger export 1 ${path} --again --force`);
    await to.step(`ledger import ${path}`);
  };
  const here = { ...there, step };
  await step('grade submit --from - --yes --no-send', { input: members(3) });
  await over(here, there);
  await there.step('grade resume 1 --yes --limit 1');
  await step('grade resume 1 --yes --again');
  for (const [from, to] of [
    [there, here],
    [here, there],
    [there, here],
  ] as const)
    await over(from, to);
  const log = await step('grade log --json');
  expect(log.stdout.trimEnd().split('\n')).toHaveLength(4);
});

test('what is imported counts by its own time', async () => {
  const { step, machine, folder } = await bench(takeAllBut({ 'm-4': json(500, {}) }));
  const there = machine();
  const path = join(folder, 'older.lectern');
  const older = { 'grades.csv': 'member,score\nm-2,0.4\nm-3,0.4\nm-4,0.5\n' };
  await there.step('grade submit --from grades.csv --yes', { files: older, exit: 10 });
  await there.step(`
    grade settle 1 --member m-4 --recorded --because seen --yes
    ledger export 1 ${path}`);
  const files = {
    'open.csv': 'member,score\nm-3,0.9\n',
    'sent.csv': 'member,score\nm-2,0.9\nm-4,0.5\n',
  };
  await step('grade submit --from open.csv --yes --no-send', { files });
  await step('grade submit --from sent.csv --yes', { exit: 10 });
  await step(`ledger import ${path}`);
  await step('grade runs --json', { json: [{ run: 2 }, { run: 1 }, { run: 3 }] });
  await step('grade log --status in_doubt --json', { json: { member: 'm-4', run: 2 } });
  const unchanged = { attempts: 1, unchanged: 1 };
  await step('grade submit --from sent.csv --skip-unchanged --again --dry-run --json', {
    json: unchanged,
  });
  await step('grade resume 1 --yes --json', { summary: { success: 1 } });
});

test('grade resume --again sends a moved run here after all', async () => {
  const { step, path } = await moving();
  const summary = { success: 3, not_sent: 0 };
  const lines = `
    ledger export 1 ${path}
    grade resume 1 --again # exit 2
    grade resume 1 --yes # exit 3: was moved`;
  await step(lines, { sent: 0 });
  await step('grade resume 1 --again --yes --json', { exit: 10, summary });
  await step('grade resume 1 --yes', { exit: 10, lacks: 'moved' });
});

test('two imports of one file at once make one run', async () => {
  const { step, there, path } = await moving();
  await step(`ledger export 1 ${path}`);
  const line = `ledger import ${path}`;
  await Promise.all([there.step(line), there.step(line)]);
  const [run, ...more] = jsonOf(await there.step('grade runs --json'));
  expect([run.rows, more]).toEqual([4, []]);
});

/** A run that was imported from another service, on a machine with a launch of its own. */
async function importedFrom(variable: string) {
  const [theirs, own] = [await bench(), await bench()];
  const path = join(theirs.folder, 'run.lectern');
  const url = `${theirs.origin}/contexts/c/members/{member}/grade`;
  await theirs.step(`${variable}=theirs grade submit --from - --url ${url} --no-send`, {
    input: members(1),
    env: { LECTERN_LAUNCH: undefined },
  });
  await theirs.step(`ledger export 1 ${path}`);
  await own.step(`ledger import ${path}`);
  const env = { LECTERN_LAUNCH: undefined };
  const step: typeof own.step = (line, options) => own.step(line, { ...options, env });
  return { step, url, theirs, launch: readFileSync(own.launch) };
}

const ENVIRONMENT = ['LECTERN_API_KEY', 'LECTERN_TOKEN'];

test.each(ENVIRONMENT)('%s does not go to the address of an imported run', async (variable) => {
  const { step, url, theirs, launch } = await importedFrom(variable);
  const error = { code: 'credential.other_origin' };
  const refused = async (): Promise<void> => {
    for (const line of ['grade resume 1', 'grade submit --url run:1 --member m --score 1']) {
      await step(`${variable}=canary ${line} --yes --json`, { exit: 4, error });
    }
  };
  await refused();
  await step('launch save prof -', { input: launch });
  await refused();
  expect(theirs.requests).toEqual([]);
  await step(`${variable}=canary grade resume 1 --yes --url ${url}`);
  expect(theirs.requests).toHaveLength(1);
});

test('ledger import refuses a file that is damaged, newer, or no run, and changes nothing', async () => {
  const { step, there, path } = await moving();
  await step(`ledger export 1 ${path}`);
  const whole = readFileSync(path, 'utf8');
  const made = (before: string, after: string): string => {
    const text = whole.slice(0, whole.lastIndexOf('{')).replace(before, after);
    return `${text}{"sha256":"${createHash('sha256').update(text).digest('hex')}"}\n`;
  };
  for (const [text, message] of [
    [whole.slice(0, whole.length / 2), /was cut or changed/],
    [whole.slice(0, -1), /was cut or changed/],
    [whole.split('\n').slice(0, -2).join('\n') + '\n', /was cut or changed/],
    [whole.replace('m-5', 'm-9'), /was cut or changed/],
    [whole.replace('"lectern_run":1', '"lectern_run":2'), /is newer: update lectern/],
    [made('"m-5"', '".."'), /is not valid: no lectern wrote it/],
    [made(':0.5', ':1.5'), /is not valid: no lectern wrote it/],
    ['member,score\na,1\n', /is no run of lectern/],
    ['', /is no run of lectern/],
  ] as const) {
    const error = { code: 'ledger.import', message };
    const files = { 'x.lectern': text };
    await there.step('ledger import x.lectern --json', { files, exit: 3, error });
  }
  await there.step('grade runs --json', { json: [] });
});

onPostgres('a shared ledger', (team) => {
  test('does not choose where a key of the environment is sent, beside a launch in use', async () => {
    const [{ origin, step, requests }, other] = [await team(), await bench()];
    const env = { LECTERN_LAUNCH: undefined, LECTERN_API_KEY: 'canary' };
    const url = `${origin}/contexts/c/members/{member}/grade`;
    await step(`grade submit --from - --no-send --url ${url}`, { env, input: members(2) });
    await step('launch save prof -', { env, input: readFileSync(other.launch) });
    const error = { code: 'credential.other_origin' };
    await step('grade work 1 --json', { env, exit: 4, error, sent: 0 });
    await step('launch rm prof --yes', { env });
    await step('grade work 1 --json', { env, sent: 2 });
    expect(requests.map(({ headers }) => headers.authorization)).toContain('Bearer canary');
  });

  test('has no runs to move: export and import of a file are refused with a way out', async () => {
    const { step } = await team();
    const files = { 'grades.csv': members(1), 'run.lectern': '{}' };
    await step('grade submit --from grades.csv --yes', { files });
    for (const line of ['ledger export 1 other.lectern', 'ledger import run.lectern']) {
      await step(`${line} --json`, { exit: 2, error: { hint: /--ledger local/ } });
    }
  });
});
