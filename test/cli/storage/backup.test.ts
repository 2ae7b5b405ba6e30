import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FastClock } from '../../support/clock.ts';
import { isUsual, startEmulator } from '../../support/emulator.ts';
import { type Expected, type Given, stepsAt } from '../../support/steps.ts';

const ROW = '{"n": 1.10, "big": 9007199254740993}';

/** A student with a row and a file, and a folder for a backup of them. */
async function studentWithData() {
  const emulator = await startEmulator();
  const { home, step: at } = stepsAt();
  const folder = join(home, 'backup');
  const launch = async (name: string, request: object): Promise<void> => {
    await at(`launch save ${name}`, { input: JSON.stringify(await emulator.launch(request)) });
  };
  await launch('lena', { member: 'member-111' });
  const run = (line: string, more: Given & Expected = {}) =>
    at(`${line} -l lena`, { cwd: home, ...more });
  await run('storage put member --yes', { input: ROW });
  const files = { 'notes.bin': 'bytes' };
  await run('files upload member notes.bin --mimetype image/png', { files });
  return { emulator, at, folder, launch, run };
}

describe('storage backup', () => {
  test('writes each row byte for byte, its files and an index, for the owner only', async () => {
    const { folder, run } = await studentWithData();
    await run(`storage backup ${folder} --files`, {
      stderr: `with: lectern storage restore ${folder} -l lena\n`,
      stdout: /^context\t2\t0\nlocation\t2\t0\nmember\t36\t1\nmember_location\t2\t0\n$/,
    });
    expect(readFileSync(join(folder, 'member.json'), 'utf8')).toBe(ROW);
    expect(readFileSync(join(folder, 'member.files', 'notes.bin'), 'utf8')).toBe('bytes');
    const index = readFileSync(join(folder, 'index.json'), 'utf8');
    expect(JSON.parse(index)).toMatchObject({ member: 'member-111', left_out: [] });
    expect(index).not.toContain('http');
    const modeOf = (...path: string[]): number => statSync(join(folder, ...path)).mode & 0o777;
    expect([modeOf(), modeOf('member.files')]).toEqual([0o700, 0o700]);
    expect(modeOf('member.json')).toBe(0o600);
    expect(modeOf('member.files', 'notes.bin')).toBe(0o600);
  });

  test('calls again after a 429, which had no effect', async () => {
    const { emulator, folder, run } = await studentWithData();
    const headers = { 'Retry-After': '0' };
    const clock = new FastClock();
    await emulator.control('POST fault', { path: '.', status: 429, headers, times: 5 });
    await run(`storage backup ${folder}`, { stderr: /^(?!.*left out)/s, clock });
    await emulator.control('POST fault', { path: 'notes', status: 429, headers, times: 2 });
    await run(`launch capture --to ${folder}.json`, { stderr: /^(?!.*left out)/s, clock });
  });

  test('like restore and launch capture, is of a launch, not of one URL', async () => {
    await stepsAt().step(`
      storage backup new --url http://127.0.0.1:9/row # exit 2: not a URL … use --launch NAME
      launch capture --to c.json --url http://127.0.0.1:9/row # exit 2: not a URL`);
  });

  test('continues one that was interrupted, and reads no file again', async () => {
    const { emulator, folder, run } = await studentWithData();
    await run(`storage backup ${folder} --files`);
    for (const name of ['index', 'context', 'location', 'member', 'member_location'])
      rmSync(join(folder, `${name}.json`));
    await run(`storage backup ${folder} --files`, { stdout: 'member\t36\t1' });
    const { requests } = await emulator.control('GET requests');
    const signed = requests.filter(({ origin }) => origin === 'blobs');
    expect(signed.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('is not finished without a file that could not be read, and continues then', async () => {
    const { emulator, folder, run } = await studentWithData();
    await run('files upload member other.bin', { files: { 'other.bin': 'other' } });
    await emulator.control('POST fault', { method: 'GET', path: 'notes', status: 503, times: 3 });
    const failed = { exit: 8, stderr: 'member notes.bin: answered 503; nothing took effect' };
    await run(`storage backup ${folder} --files`, failed);
    expect(readdirSync(folder)).toEqual(['member.files']);
    await run(`storage backup ${folder} --files`, { stdout: 'member\t36\t2' });
  });

  test('refuses a folder that is not empty, and sends nothing', async () => {
    const { folder, run } = await studentWithData();
    const files = { 'backup/mine.txt': '' };
    const { stderr } = await run(`storage backup ${folder} --verbose`, { files, exit: 3 });
    expect(stderr).toBe(`lectern: ${folder} is not empty\n  give a new folder\n`);
    expect(readdirSync(folder)).toEqual(['mine.txt']);
  });

  test.runIf(isUsual('urls'))('leaves out and lists a row that is refused', async () => {
    const { emulator, folder, run } = await studentWithData();
    await emulator.control('POST fault', { path: '/location', status: 403 });
    const stderr = /^left out: (location|member_location): the service answered 403/m;
    await run(`storage backup ${folder}`, { stderr });
    expect(readdirSync(folder)).toHaveLength(4);
  });

  test.runIf(isUsual('urls'))('has a row whose files alone are refused', async () => {
    const { emulator, folder, run } = await studentWithData();
    await emulator.control('POST fault', { path: '/files', status: 404, times: 4 });
    const stderr = /^left out: member: its files: the service answered 404/m;
    await run(`storage backup ${folder} --files`, { stderr });
    expect(readFileSync(join(folder, 'member.json'), 'utf8')).toBe(ROW);
  });

  test.runIf(isUsual('urls'))('leaves out and lists a file whose key is not valid', async () => {
    const { emulator, folder, run } = await studentWithData();
    const body = '[{"key":"../x","size":1,"modified":1}]';
    await emulator.control('POST fault', { path: '/files', status: 200, body, times: 4 });
    const stderr = /^left out: member ..\/x: .*key/m;
    await run(`storage backup ${folder} --files`, { exit: 9, stderr });
  });
});

describe('storage restore', () => {
  async function backedUp() {
    const student = await studentWithData();
    const { folder, run } = student;
    await run(`storage backup ${folder} --files`);
    await run('storage put member --yes', { input: '{"other":1}' });
    await run('files rm member notes.bin --yes');
    return { ...student, row: async () => (await run('storage get member --raw')).stdout };
  }

  test('writes rows and files back, keeps the previous version, and shows the difference', async () => {
    const { folder, run, row } = await backedUp();
    const stderr = '+  "big": 9007199254740993';
    const { stdout } = await run(`storage restore ${folder} --yes`, { stderr });
    expect(stdout).toBe(
      'context\t\tunchanged\t\nlocation\t\tunchanged\t\nmember\t\twritten\t3\n' +
        'member_location\t\tunchanged\t\nmember\tnotes.bin\tuploaded\t\n',
    );
    expect(await row()).toBe(ROW);
    const json = { size: 5, content_type: 'image/png' };
    await run('files stat member notes.bin --json', { json });
    await run('storage undo member 3 --yes');
    expect(await row()).toBe('{"other":1}');
  });

  test('has nothing to restore twice', async () => {
    const { folder, run } = await backedUp();
    await run(`storage restore ${folder} --yes`);
    const { stdout } = await run(`storage restore ${folder} --dry-run`);
    expect(stdout.match(/\t\w+$/gm)).toEqual(Array.from({ length: 4 }, () => '\tunchanged'));
    await run('files upload member notes.bin', { files: { 'notes.bin': 'BYTES' } });
    await run(`storage restore ${folder} --dry-run`, { stdout: 'member\tnotes.bin\tupload\n' });
  });

  test('asks, and without a terminal sends nothing', async () => {
    const { folder, run, row } = await backedUp();
    const stderr = 'with launch lena: replace 1 row and upload 1 file? Cannot prompt';
    await run(`storage restore ${folder}`, { exit: 2, stderr });
    const items = expect.arrayContaining([{ row: 'member', key: 'notes.bin', change: 'upload' }]);
    await run(`storage restore ${folder} --dry-run --json`, { json: { dry_run: true, items } });
    expect(await row()).toBe('{"other":1}');
  });

  test('refuses a row of another member or course, and names the command that copies it', async () => {
    const { at, folder, launch } = await backedUp();
    await launch('iris', { role: 'instructor' });
    await launch('far', { role: 'student', course: 'biology-102' });
    await at(`
      storage restore ${folder} member -l iris --yes # exit 3: lectern storage put member ${folder}/member.json
      storage restore ${folder} context -l far --yes # exit 3: lectern storage put context ${folder}/context.json`);
  });

  test('reports a row that is refused, and restores the others', async () => {
    const { at, folder, launch, run, row } = await backedUp();
    await launch('staff', { role: 'instructor' });
    await at('storage put context --yes -l staff', { input: '{"c":1}' });
    await run(`storage restore ${folder} --yes`, {
      exit: 9,
      stdout: /^context\t\tfailed\t$/m,
      stderr: /^lectern: context: the service answered 403/m,
    });
    expect(await row()).toBe(ROW);
  });

  test('of one row ends with the error of its write', async () => {
    const { at, folder, launch, run } = await backedUp();
    await launch('staff', { role: 'instructor' });
    await at('storage put context --yes -l staff', { input: '{"c":1}' });
    const error = { code: 'refused.403', status: 403, hint: /student/ };
    await run(`storage restore ${folder} context --yes --json`, { exit: 5, error });
  });

  /** Replaces a text in a file of the folder. */
  const edit = (name: string, from: string | RegExp, to: string) => (folder: string) => {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  /** Puts a link in place of a file or a folder. */
  const link = (name: string, to: string) => (folder: string) => {
    rmSync(join(folder, name), { recursive: true });
    symlinkSync(join(folder, to), join(folder, name));
  };

  const DAMAGED: readonly [name: string, damage: (folder: string) => void, stderr: string][] = [
    ['without an index', (at) => rmSync(join(at, 'index.json')), 'does not exist'],
    ['with a damaged index', edit('index.json', /^[^]*$/, '{'), 'is not the index'],
    ['with a key that leaves it', edit('index.json', '"notes', '"../../notes'), 'is not the index'],
    ['with a header', edit('index.json', 'image/png', 'a/b\\r\\nX: 1'), 'is not the index'],
    [
      'with a row that leaves it',
      edit('index.json', ': "member"', ': "../member"'),
      'is not the index',
    ],
    ['with a link in place of a row', link('member.json', 'context.json'), 'is not a plain file'],
    ['with a link in place of the files', link('member.files', ''), 'is not a folder'],
    [
      'with a file that is cut',
      edit('member.files/notes.bin', 'bytes', 'byte'),
      'notes.bin has changed since the backup\n  to upload it as it is now: lectern files upload member ',
    ],
    ['with another row', edit('member.json', '1.10', '1.1'), 'has changed since'],
  ];

  test('refuses a folder that was changed, or has a link in it, and sends no write', async () => {
    const { folder, run, row } = await backedUp();
    for (const [name, damage, stderr] of DAMAGED) {
      const copy = join(folder, '..', name);
      cpSync(folder, copy, { recursive: true });
      damage(copy);
      await run(`storage restore '${copy}' --yes`, { exit: 3, stderr });
    }
    expect(await row()).toBe('{"other":1}');
  });
});
