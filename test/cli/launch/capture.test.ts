import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/index.ts';
import { startEmulator } from '../../support/emulator.ts';
import { type Expected, type Given, jsonOf, stepsAt } from '../../support/steps.ts';

const ROW =
  '{"name": "Amina Abara", "n": 1.10, "big": 9007199254740993, "list": ["Amina Abara", 7]}';

/** A student with a row and a file; `check` is what launch check shows of a saved launch. */
async function studentWithData() {
  const { home, step: at } = stepsAt();
  const run = (line: string, more: Given & Expected = {}) => at(line, { cwd: home, ...more });
  const emulator = await startEmulator();
  const save = (name: string, claims: unknown) =>
    run(`launch save ${name}`, { input: JSON.stringify(claims) });
  const check = async (name: string) => {
    const { checks } = jsonOf(await run(`launch check ${name} --json`)) as {
      checks: Record<string, unknown>[];
    };
    return checks.map(({ claim, state, bytes }) => ({ claim, state, bytes }));
  };
  await save('amina', await emulator.launch({ member: 'member-111' }));
  await run('storage put member --yes -l amina', { input: ROW });
  const files = { 'notes.txt': 'secret bytes' };
  await run('files upload member notes.txt -l amina', { files });
  const seed = join(home, 'course.json');
  const capture = (flags = '', more: Given & Expected = {}) =>
    run(`launch capture amina --to ${seed} ${flags}`, more);
  return { emulator, home, run, save, check, seed, capture };
}

function memberIn(file: string): string {
  return seedIn(file).courses[0]?.members?.[0]?.id ?? '';
}

function seedIn(file: string): Seed {
  return JSON.parse(readFileSync(file, 'utf8')) as Seed;
}

describe('launch capture', () => {
  test('writes a seed whose course answers with the same sizes and states', async () => {
    const { check, capture, seed, save } = await studentWithData();
    expect((await capture()).stdout).toBe(
      'context\t2\t0\t0\nlocation\t2\t0\t0\nmember\t79\t1\t12\nmember_location\t2\t0\t0\n',
    );
    expect(statSync(seed).mode & 0o777).toBe(0o600);
    const text = readFileSync(seed, 'utf8');
    expect(text).not.toMatch(/Amina|biology|member-111|essay|lt_|http|9007199254740993/);
    const captured = await startEmulator({ seed: seedIn(seed) });
    await save('copy', await captured.launch({ member: memberIn(seed) }));
    expect(await check('copy')).toEqual(await check('amina'));
  });

  test('gives the same seed for the same course, and another with --salt', async () => {
    const { capture, seed } = await studentWithData();
    await capture();
    const first = readFileSync(seed, 'utf8');
    await capture();
    expect(readFileSync(seed, 'utf8')).toBe(first);
    await capture('--salt pepper');
    expect(readFileSync(seed, 'utf8')).not.toBe(first);
  });

  test('--with-content keeps every byte, and downloads a file only once', async () => {
    const { emulator, run, save, seed, capture } = await studentWithData();
    await capture('--with-content');
    const file = join(`${seed}.files`, 'member', 'notes.txt');
    expect(readFileSync(file, 'utf8')).toBe('secret bytes');
    await emulator.control('POST fault', { path: '/blobs|/download', status: 503, times: 9 });
    await capture('--with-content');
    await run(`emulator exec --seed ${seed} -- true`);
    const [, , { files: [entry] = [] } = {}] = seedIn(seed).rows ?? [];
    expect(entry).toMatchObject({ size: 12, path: 'course.json.files/member/notes.txt' });
    const captured = await startEmulator({
      seed: JSON.parse(
        readFileSync(seed, 'utf8').replace('course.json.files/member/notes.txt', file),
      ) as Seed,
    });
    await save('copy', await captured.launch({ member: memberIn(seed) }));
    expect((await run('storage get member --raw -l copy')).stdout).toBe(ROW);
    await run('files download member notes.txt -o - -l copy', { stdout: /^secret bytes$/ });
  });

  test('a capture of 100 files and a large row is completed by running it again', async () => {
    const { emulator, run, seed, capture } = await studentWithData();
    const large = JSON.stringify({ text: 'x'.repeat(500_000) });
    await run('storage put member_location --yes -l amina', { input: large });
    const names = Array.from({ length: 99 }, (_, at) => `f${at}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, 'bytes of a file']));
    await run(`files upload member ${names.join(' ')} -l amina`, { files });
    await emulator.control('POST fault', { path: 'f77[.]txt', status: 503, lasts: true });
    await capture('--with-content', { exit: 9 });
    const kept = join(`${seed}.files`, 'member', 'f1.txt');
    const { ino, mtimeMs } = statSync(kept);
    await emulator.control('POST fault/clear', {});
    await capture('--with-content');
    expect(statSync(kept)).toMatchObject({ ino, mtimeMs });
    const rows = seedIn(seed).rows ?? [];
    expect(rows.flatMap((each) => each.files ?? [])).toHaveLength(100);
    expect(JSON.stringify(rows)).toContain(large.slice(1, -1));
  });

  test('--no-files leaves the files out', async () => {
    const { capture, seed } = await studentWithData();
    await capture('--no-files');
    expect(readFileSync(seed, 'utf8')).not.toContain('notes.txt');
    expect(existsSync(`${seed}.files`)).toBe(false);
  });

  test('leaves out and lists rows that are refused; a 422 is a row that is not provisioned', async () => {
    const { emulator, run, save, seed } = await studentWithData();
    const { claims } = await emulator.control('POST provision-request', { course: 'biology-102' });
    await save('new', claims);
    const stderr = /^left out: context: the service answered 422/m;
    await run(`launch capture new --to ${seed}`, { stderr });
    const [course, parent] = seedIn(seed).courses;
    expect(course).toMatchObject({ provisioned: false, copy_of: parent?.id, members: [] });
    expect(course?.locations).toMatchObject([{ provisioned: false }]);
  });

  test('without a readable row writes nothing', async () => {
    const { emulator, seed, capture } = await studentWithData();
    await emulator.control('POST fault', { path: '.', status: 403, times: 8 });
    await capture('', { exit: 5 });
    expect(existsSync(seed)).toBe(false);
  });

  test('does not write into a folder, a file of somebody else or standard output', async () => {
    const { run } = await studentWithData();
    const lines = `
      launch capture amina --to . --verbose # exit 3
      launch capture amina --to notes.txt --verbose # exit 3
      launch capture amina --to - --verbose # exit 2`;
    await run(lines, { stdout: '', lacks: 'GET http' });
  });
});

describe('a seed with rows', () => {
  test('is refused if a file is missing or has another size', async () => {
    const { seed, capture, run } = await studentWithData();
    await capture('--with-content');
    writeFileSync(join(`${seed}.files`, 'member', 'notes.txt'), 'other');
    const line = `emulator exec --seed ${seed} -- true`;
    await run(line, { exit: 3, stderr: 'has 5 bytes' });
    rmSync(`${seed}.files`, { recursive: true });
    await run(line, { exit: 3, stderr: 'does not exist' });
  });
});
