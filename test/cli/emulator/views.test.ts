import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { lectern, start as startLectern, temporaryFolder } from '../../support/lectern.ts';
import { emulated, start } from './running.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly total: number;
}

/** An emulator in which a student has a row, a file, a grade and a refused one. */
async function used() {
  const shown = await emulated();
  const { run, home } = shown;
  await run('emulator launch --role student --save me');
  await run(['storage', 'patch', 'member', '--add', '/step:=1', '-l', 'me']);
  writeFileSync(`${home}/notes.txt`, 'hello');
  await run(['files', 'upload', 'member', `${home}/notes.txt`, '-l', 'me']);
  await run('grade submit --score 0.5 -l me');
  await run('emulator lms refuse --status 403 --body locked');
  await run('grade submit --score 0.75 -l me');
  return shown;
}

describe('emulator show', () => {
  test('prints each list, filtered by a search, as a table and as JSON', async () => {
    const { run, json } = await used();
    const cases = [
      ['members', 'amina', 'member-111'],
      ['tokens', 'amina', 'member-111'],
      ['rows', 'amina', 'member/essay/member-111'],
      ['file-sets', 'notes', 'member/essay/member-111'],
      ['attempts', 'refused', '403'],
      ['gradebook', 'amina', 'member-111'],
    ] as const;
    for (const [what, search, found] of cases) {
      const page = await json<Page<object>>(`emulator show ${what} --search ${search}`);
      expect([what, page.total, page.next]).toEqual([what, 1, null]);
      expect(JSON.stringify(page.items)).toContain(found);
      const { exit, stdout } = await run(`emulator show ${what} --search ${search}`);
      expect([what, exit, stdout.trimEnd().split('\n')]).toEqual([what, 0, [expect.any(String)]]);
      expect(stdout).toContain(found);
    }
    expect((await json<Page<object>>('emulator show rows --search zzz')).items).toEqual([]);
    const files = await json<Answers['GET files']>('emulator show files member/essay/member-111');
    expect(files.items.map(({ key, size }) => [key, size])).toEqual([['notes.txt', 5]]);
    expect(files.quota).toEqual({ files: 100, bytes: 100 * 1024 * 1024 });
  });

  test('prints one page after another, and a note names the next one', async () => {
    const { run, json } = await emulated();
    const all = await json<Page<{ id: string }>>('emulator show members --limit 500');
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const page = await json<Page<{ id: string }>>(`emulator show members --limit 3${after}`);
      seen.push(...page.items.map(({ id }) => id));
      if (page.next === null) break;
      after = ` --after ${page.next}`;
    }
    expect(seen).toEqual(all.items.map(({ id }) => id));
    const { stderr } = await run('emulator show members --limit 3');
    const [, total] = /^more: --after [\w-]+ \((\d+) in all\)\n$/.exec(stderr) ?? [];
    expect(total).toBe(String(all.total));
    const { exit } = await run('emulator show members --after nonsense');
    expect(exit).toBe(2);
  });

  test.each(['members --live', 'tokens --course x', 'gradebook --member x', 'rows --location x'])(
    'refuses a flag of another list: %s',
    async (words) => {
      const { run } = await emulated();
      const { exit, stderr } = await run(`emulator show ${words}`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('unknown option')]);
    },
  );

  test("a row's files are searched and paged as the other lists are", async () => {
    const { run, json, home } = await used();
    writeFileSync(`${home}/plan.txt`, 'longer text');
    await run(['files', 'upload', 'member', `${home}/plan.txt`, '-l', 'me']);
    const show = 'emulator show files member/essay/member-111';
    const found = await json<Answers['GET files']>(`${show} --search plan`);
    expect([found.items.map(({ key }) => key), found.total]).toEqual([['plan.txt'], 1]);
    expect(found.file_bytes).toBe('hello'.length + 'longer text'.length);
    const { stdout, stderr } = await run(`${show} --limit 1`);
    expect(stdout).toMatch(/^notes\.txt\t.*\n$/);
    const [, after = ''] = /^more: (--after [\w-]+) \(2 in all\)\n$/.exec(stderr) ?? [];
    expect((await run(`${show} ${after}`)).stdout).toMatch(/^plan\.txt\t.*\n$/);
  });

  test('emulator state has the number of entries', async () => {
    const { json } = await used();
    const { summary } = await json<Answers['GET state']>('emulator state');
    expect(summary).toMatchObject({
      rows: 1,
      files: 1,
      file_bytes: 5,
      attempts: 2,
      attempts_failed: 1,
      tokens: 1,
      tokens_live: 1,
    });
  });
});

describe('emulator show row', () => {
  const ROW = 'member/essay/member-111';
  /** As `--versions` names them, newest first. */
  const versions = async (json: Awaited<ReturnType<typeof emulated>>['json'], row = ROW) => {
    const shown = await json<Answers['GET row/versions']>(`emulator show row ${row} --versions`);
    return shown.versions.map(({ number, by, bytes }) => [number, by, bytes]);
  };

  test('--put writes the exact bytes like a PUT, and each version is kept', async () => {
    const { run, json } = await emulated();
    const exact = '{"big":1152921504606846977,"rate":1.10,"far":1e400}';
    const put = await run(['emulator', 'show', 'row', ROW, '--put', '-'], { input: exact });
    expect([put.exit, put.stderr]).toEqual([0, `wrote ${exact.length} bytes to ${ROW}\n`]);
    expect((await run(`emulator show row ${ROW}`)).stdout).toBe(exact);
    await run('emulator launch --role student --save me');
    await run(['storage', 'put', 'member', '-', '--yes', '-l', 'me'], { input: '{"step":1}' });
    expect((await run(`emulator show row ${ROW} --version-number 1`)).stdout).toBe(exact);
    expect(await versions(json)).toEqual([
      [2, 'PUT', 10],
      [1, 'console', exact.length],
    ]);
    for (const wrong of ['[]', '{"a":1,}', '{"a":NaN}']) {
      const refused = await run(['emulator', 'show', 'row', ROW, '--put', '-'], { input: wrong });
      expect([wrong, refused.exit]).toEqual([wrong, 3]);
    }
    expect((await run(`emulator show row ${ROW}`)).stdout).toBe('{"step":1}');
    expect((await run('emulator show row member/essay/nobody')).exit).toBe(6);
    expect((await run(`emulator show row ${ROW} --version-number 3`)).exit).toBe(6);
    expect((await run(`emulator show row ${ROW} --versions --version-number 1`)).exit).toBe(2);
  });

  test('lists the versions that an import brought, and those of a fixture', async () => {
    const { run, json, home } = await emulated();
    await run('emulator launch --role student --save me');
    const write = (text: string) =>
      run(['storage', 'put', 'member', '-', '--yes', '-l', 'me'], { input: text });
    await write('{"a":1}');
    await run(['emulator', 'export', `${home}/all`]);
    await run(['emulator', 'import', `${home}/all`]);
    expect(await versions(json)).toEqual([[1, 'PUT', 7]]);
    expect((await run(`emulator show row ${ROW} --version-number 1`)).stdout).toBe('{"a":1}');
    await write('{"a":22}');
    expect(await versions(json)).toEqual([
      [2, 'PUT', 8],
      [1, 'PUT', 7],
    ]);
    const { provision_request: request } = await json<{
      provision_request: { storage: { parent_context: string } };
    }>('emulator fixture');
    expect(request.storage.parent_context).toBeTruthy();
    const rows = await json<Page<{ row: string }>>('emulator show rows --limit 500');
    const parent = rows.items.find(
      ({ row }) => row.startsWith('context/') && /previous|parent/.test(row),
    );
    expect(await versions(json, parent?.row)).toEqual([[1, 'fixture', expect.any(Number)]]);
  });
});

test('emulator show grades is emulator show gradebook', async () => {
  const { run } = await used();
  const { exit, stdout } = await run('emulator show grades --json');
  expect([exit, stdout]).toEqual([0, (await run('emulator show gradebook --json')).stdout]);
});

describe('emulator requests', () => {
  test('--filter lists matching requests with their owners, the newest of them with --limit', async () => {
    const { run } = await used();
    const listed = async (line: string) => {
      const { exit, stdout, stderr } = await run(line.split(' '));
      return { exit, stderr, lines: stdout.trimEnd().split('\n').filter(Boolean) };
    };
    const both = await run(['emulator', 'requests', '--filter', 'person:AMINA and path:/scores']);
    const [accepted, refused] = both.stdout.trimEnd().split('\n');
    expect(accepted).toContain('grade · Amina Abara');
    expect(refused).toContain('the LMS refused the score with status 403');
    const last = await listed('emulator requests --filter path:/scores --limit 1 --json');
    expect(last.lines.map((line) => JSON.parse(line).failure)).toEqual([expect.any(String)]);
    const none = await listed('emulator requests --filter status:500');
    expect(none).toEqual({ exit: 0, lines: [], stderr: 'no request matches\n' });
    expect(await listed('emulator requests --after 999')).toEqual(none);
  });

  test('--show prints headers and bodies without secrets, and --replay sends the request again', async () => {
    const home = temporaryFolder();
    await start(['--memory'], { home });
    const run = (line: string, input = '') => lectern(line.split(' '), { home, input });
    await run('emulator launch --role student --save me');
    const token = (await run('launch show me --reveal api.token')).stdout.trim();
    await run('storage put member - --yes -l me', '{"step":1}');
    const requests = async () => (await run('emulator requests --json')).stdout.trim().split('\n');
    const put = (await requests())
      .map((line) => JSON.parse(line))
      .find((each) => each.method === 'PUT');
    const shown = await run(`emulator requests --show ${put.number}`);
    expect(shown.stdout).toContain('{"step":1}');
    expect(shown.stdout).toContain('authorization: Bearer …');
    const document = await run(`emulator requests --show ${put.number} --json`);
    expect(JSON.parse(document.stdout).captured.request.body).toEqual({
      text: '{"step":1}',
      bytes: 10,
      cut: false,
      dropped: false,
    });
    expect(shown.stdout + document.stdout).not.toContain(token);
    await run('storage put member - --yes -l me', '{"step":2}');
    const before = (await requests()).length;
    const again = await run(`emulator requests --replay ${put.number}`);
    expect([again.exit, again.stderr]).toEqual([0, `sent again as request ${before + 1}: 204\n`]);
    expect(await requests()).toHaveLength(before + 1);
    expect((await run('emulator show row member/essay/member-111')).stdout).toBe('{"step":1}');
    expect((await run('emulator requests --show 9999')).exit).toBe(6);
    expect((await run('emulator requests --replay 9999')).exit).toBe(6);
  });

  test('emulator start --capture is deprecated: it prints a warning, and has no effect', async () => {
    const home = temporaryFolder();
    const started = startLectern(['emulator', 'start', '--memory', '--capture'], { home });
    await once(started.stdout, 'data');
    started.kill('SIGINT');
    expect((await started.ended).stderr).toContain('--capture is deprecated');
  });
});

test('emulator requests --follow --after continues after a request', async () => {
  const { run, home } = await emulated();
  await run('emulator launch --role student --save me');
  for (let call = 0; call < 3; call++) await run('storage get member -l me');
  const args = ['emulator', 'requests', '--follow', '--after', '1', '--json'];
  const followed = startLectern(args, { home });
  const read = createInterface({ input: followed.stdout })[Symbol.asyncIterator]();
  const numbers: number[] = [];
  while (numbers.length < 2) numbers.push(JSON.parse((await read.next()).value).number);
  followed.kill('SIGINT');
  expect((await followed.ended).exit).toBe(130);
  expect(numbers).toEqual([2, 3]);
});

test('emulator fault lists and removes single faults, and emulator token end takes a launch', async () => {
  const { run, json } = await emulated();
  await run('emulator fault --path /first --status 503');
  await run('emulator fault --path second --close after');
  const { faults } = await json<Answers['GET faults']>('emulator fault list');
  expect(faults.map(({ path, effect }) => [path, effect])).toEqual([
    ['/first', 'status'],
    ['second', 'close'],
  ]);
  expect((await run(`emulator fault remove ${faults[0]?.id}`)).exit).toBe(0);
  const { stdout } = await run('emulator fault list');
  expect([stdout.includes('first'), stdout.includes('second')]).toEqual([false, true]);
  expect((await run(`emulator fault remove ${faults[0]?.id}`)).exit).toBe(6);
  await run('emulator launch --role student --save me');
  const [token] = (await json<Page<{ launch_id: string }>>('emulator show tokens --live')).items;
  expect((await run(`emulator token end --launch-id ${token?.launch_id}`)).exit).toBe(0);
  expect((await json<Page<object>>('emulator show tokens --live')).total).toBe(0);
  expect((await run('storage get member -l me')).exit).toBe(4);
});

test('emulator open --print prints an address whose code works once', async () => {
  const { run, started } = await emulated();
  const { exit, stdout } = await run('emulator open Rows --print');
  expect(exit).toBe(0);
  const { pathname, hash, origin } = new URL(stdout.trim());
  expect([origin, pathname]).toEqual([started.ready.base_url, '/_emulator/console/rows']);
  const trade = () =>
    fetch(`${origin}/_emulator/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: hash.replace('#code=', '') }),
    });
  expect([(await trade()).status, (await trade()).status]).toEqual([200, 401]);
  const wrong = await run('emulator open trafic');
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('traffic')]);
});

test('emulator open passes the browser a file that only the user can read, and no code', async () => {
  const { run } = await emulated();
  const folder = temporaryFolder();
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(`${folder}/${opener}`, `#!/bin/sh\necho "$@" > ${folder}/arguments\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const { exit, stderr } = await run('emulator open traffic', { env });
  expect([exit, stderr]).toEqual([0, expect.stringContaining('works once, for 60 seconds')]);
  const file = readFileSync(`${folder}/arguments`, 'utf8').trim();
  expect(file).toMatch(/^\S+open-console\.html$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toMatch(/url=http:\S+\/_emulator\/console\/traffic#code=/);
});
