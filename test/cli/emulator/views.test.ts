import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { start } from '../../support/lectern.ts';
import { jsonOf } from '../../support/steps.ts';
import { emulated } from './running.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly total: number;
}

const ROW = 'member/essay/member-111';

/** An emulator in which a student has a row, a file, a grade and a refused one. */
async function used() {
  const shown = await emulated();
  const lines = `
    emulator launch --role student --save me
    storage patch member --add /step:=1 -l me
    files upload member notes.txt -l me
    grade submit --score 0.5 -l me
    emulator lms refuse --status 403 --body locked
    grade submit --score 0.75 -l me # exit 9`;
  await shown.step(lines, { files: { 'notes.txt': 'hello' } });
  return shown;
}

describe('emulator show', () => {
  test('prints each list, filtered by a search, as a table and as JSON', async () => {
    const { step, json } = await used();
    for (const [what, search, found] of [
      ['members', 'amina', 'member-111'],
      ['tokens', 'amina', 'member-111'],
      ['rows', 'amina', ROW],
      ['file-sets', 'notes', ROW],
      ['attempts', 'refused', '403'],
      ['gradebook', 'amina', 'member-111'],
    ] as const) {
      const show = `emulator show ${what} --search ${search}`;
      await step(`${show} --json`, { stdout: found, json: { total: 1, next: null } });
      await step(show, { stdout: [found, /^[^\n]+\n$/] });
    }
    await step('emulator show rows --search zzz --json', { json: { items: [] } });
    const files = await json<Answers['GET files']>(`emulator show files ${ROW}`);
    expect(files.items.map(({ key, size }) => [key, size])).toEqual([['notes.txt', 5]]);
    expect(files.quota).toEqual({ files: 100, bytes: 100 * 1024 * 1024 });
    const { stdout } = await step('emulator show gradebook --json');
    expect((await step('emulator show grades --json')).stdout).toBe(stdout);
  });

  test('prints one page after another, and a note names the next one', async () => {
    const { step, json } = await emulated();
    const page = (flags: string) => json<Page<{ id: string }>>(`emulator show members ${flags}`);
    const { items, total } = await page('--limit 6');
    const first = await page('--limit 3');
    const second = await page(`--limit 3 --after ${first.next}`);
    expect([...first.items, ...second.items]).toEqual(items);
    const note = new RegExp(`^more: --after [\\w-]+ \\(${total} in all\\)\n$`);
    await step('emulator show members --limit 3', { stderr: note });
    await step('emulator show members --after nonsense # exit 2');
  });

  test('prints all pages to a pipe, and the first one on a terminal', async () => {
    const { run, json, atTerminal } = await emulated('--seed', 'example');
    const { items, next } = await json<Page<{ id: string }>>('emulator show members');
    expect([items.length, new Set(items.map(({ id }) => id)).size, next]).toEqual([214, 214, null]);
    const { stdout, stderr } = await run('emulator show members');
    expect([stdout.split('\n').length, stderr]).toEqual([215, '']);
    await atTerminal('emulator show members', { rows: 99, shows: /more: --after [\w-]+ \(214 / });
  });
});

describe('emulator show row', () => {
  /** The versions of a row, newest first. */
  const versions = async ({ json }: Awaited<ReturnType<typeof emulated>>, row = ROW) => {
    const shown = await json<Answers['GET row/versions']>(`emulator show row ${row} --versions`);
    return shown.versions.map(({ number, by, bytes }) => [number, by, bytes]);
  };
  const PUT = 'storage put member - --yes -l me';
  const show = `emulator show row ${ROW}`;

  test('--put writes the exact bytes like a PUT, and each version is kept', async () => {
    const here = await emulated();
    const { step } = here;
    const exact = '{"big":1152921504606846977,"rate":1.10,"far":1e400}';
    const stderr = `wrote ${exact.length} bytes to ${ROW}\n`;
    await step(`${show} --put -`, { input: exact, stderr });
    expect((await step(show)).stdout).toBe(exact);
    await step('emulator launch --role student --save me');
    await step(PUT, { input: '{"step":1}' });
    expect((await step(`${show} --version-number 1`)).stdout).toBe(exact);
    expect(await versions(here)).toEqual([
      [2, 'PUT', 10],
      [1, 'console', exact.length],
    ]);
    await step(`
      ${show} --put - < [] # exit 3
      ${show} --put - < {"a":1,} # exit 3
      emulator show row member/essay/nobody # exit 6
      ${show} --version-number 3 # exit 6
      ${show} --versions --version-number 1 # exit 2
      ${show} # {"step":1}`);
  });
});

describe('emulator requests', () => {
  test('--filter lists matching requests with their owners, the newest of them with --limit', async () => {
    const { step, run } = await used();
    const both = await run(['emulator', 'requests', '--filter', 'person:AMINA and path:/scores']);
    const [accepted, refused] = both.stdout.trimEnd().split('\n');
    expect(accepted).toContain('grade · Amina Abara');
    expect(refused).toContain('the LMS refused the score with status 403');
    const last = 'emulator requests --filter path:/scores --limit 1 --json';
    expect(jsonOf(await step(last))).toHaveProperty('failure');
    const none = { stdout: '', stderr: /^no request matches\n$/ };
    await step('emulator requests --filter status:500', none);
    await step('emulator requests --after 999', none);
  });

  test('--show prints headers and bodies without secrets, and --replay sends the request again', async () => {
    const { step } = await emulated();
    await step('emulator launch --role student --save me');
    const token = (await step('launch show me --reveal api.token')).stdout.trim();
    await step('storage put member - --yes -l me', { input: '{"step":1}' });
    const list = 'emulator requests --json';
    const requests: { method: string; number: number }[] = jsonOf(await step(list));
    const put = requests.find(({ method }) => method === 'PUT')?.number;
    const stdout = ['{"step":1}', 'authorization: Bearer …'];
    await step(`emulator requests --show ${put}`, { stdout, lacks: token });
    const body = { text: '{"step":1}', bytes: 10, cut: false, dropped: false };
    const json = { captured: { request: { body } } };
    await step(`emulator requests --show ${put} --json`, { json, lacks: token });
    await step('storage put member - --yes -l me', { input: '{"step":2}' });
    const before = jsonOf(await step(list)).length;
    const again = new RegExp(`^sent again as request ${before + 1}: 204\n$`);
    await step(`emulator requests --replay ${put}`, { stderr: again });
    expect(jsonOf(await step(list))).toHaveLength(before + 1);
    await step(`
      emulator show row ${ROW} # {"step":1}
      emulator requests --replay 9999 # exit 6`);
  });

  test('prints a line for each request, also with --follow', async () => {
    const { home, started, step } = await emulated();
    await step('emulator launch --save me\nstorage get member');
    const followed = start(['emulator', 'requests', '--follow', '--json'], { home });
    const lines = createInterface({ input: followed.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value);
    expect(await next()).toMatchObject({
      method: 'GET',
      status: 200,
      credential: 'launch_token',
    });
    await step('storage put member --yes', { input: '{}' });
    expect([(await next()).method, (await next()).method]).toEqual(['GET', 'PUT']);
    const rows = (await step('emulator requests')).stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(2, 5).join(' '))).toEqual([
      ' Amina Abara launch · essay-1',
      '200 Amina Abara (lectern) GET member row · Amina Abara',
      '200 Amina Abara (lectern) GET member row · Amina Abara',
      '204 Amina Abara (lectern) PUT member row · Amina Abara',
    ]);
    const ofTool = (await step('emulator requests --tool')).stdout;
    expect(ofTool.trimEnd()).toBe(rows[0]?.trimEnd());
    started.kill('SIGTERM');
    expect((await followed.ended).exit).toBe(0);
  });

  test('stay in their order where the clock went back', async () => {
    const { step } = await emulated();
    await step(
      `
      emulator launch --save me
      storage get member
      emulator clock advance 2h
      storage get member
      emulator clock reset
      storage put member - --yes -l me`,
      { input: '{}' },
    );
    const { stdout } = await step('emulator requests');
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('PUT member row');
  });

  test('--follow --after continues after a request', async () => {
    const { step, home } = await emulated();
    const get = 'storage get member -l me';
    await step(`emulator launch --role student --save me\n${get}\n${get}\n${get}`);
    const args = ['emulator', 'requests', '--follow', '--after', '1', '--json'];
    const followed = start(args, { home });
    const read = createInterface({ input: followed.stdout })[Symbol.asyncIterator]();
    const numbers: number[] = [];
    while (numbers.length < 2) numbers.push(JSON.parse((await read.next()).value).number);
    followed.kill('SIGINT');
    expect([(await followed.ended).exit, numbers]).toEqual([130, [2, 3]]);
  });
});
