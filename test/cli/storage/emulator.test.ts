import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmulator } from '../../support/emulator.ts';
import {
  lectern,
  type RunOptions,
  type RunResult,
  temporaryFolder,
} from '../../support/lectern.ts';

/** Runs storage commands with a launch of the emulator. */
async function emulated() {
  const emulator = await startEmulator();
  const home = temporaryFolder();
  const as =
    (claims: unknown) =>
    (args: readonly string[], options: RunOptions = {}): Promise<RunResult> => {
      const file = join(home, 'launch.json');
      writeFileSync(file, JSON.stringify(claims));
      const env = { LECTERN_LAUNCH: file, ...options.env };
      return lectern(['storage', ...args], { home, ...options, env });
    };
  const launched = async (request: object) => as(await emulator.launch(request));
  return { emulator, as, launched };
}

test('digits, names and order survive put, patch, edit, copy and undo', async () => {
  const { launched } = await emulated();
  const run = await launched({ member: 'member-111' });
  const text = '{"9":1.10,"huge":9007199254740993,"a":[1e400,-0,"\\ud800"],"1":{"z":0}}';
  expect((await run(['put', 'member', '--yes'], { input: text })).exit).toBe(0);
  expect((await run(['get', 'member', '--raw'])).stdout).toBe(text);
  expect((await run(['patch', 'member', '--add', '/new/deep:=2.50'])).exit).toBe(0);
  expect((await run(['get', 'member', '--raw'])).stdout).toBe(
    text.replace('{"z":0}}', '{"z":0},"new":{"deep":2.50}}'),
  );
  const editor = join(temporaryFolder(), 'editor.mjs');
  writeFileSync(
    editor,
    `import fs from 'node:fs';
    const text = fs.readFileSync(process.argv[2], 'utf8');
    fs.writeFileSync(process.argv[2], text.replace('1e400,', '1e400,\\n    12345678901234567890,'));`,
  );
  const env = { EDITOR: `"${process.execPath}" "${editor}"` };
  expect((await run(['edit', 'member', '--yes'], { env })).exit).toBe(0);
  expect((await run(['get', 'member', '/a', '--raw'])).stdout).toBe(
    '[1e400,12345678901234567890,-0,"\\ud800"]',
  );
  expect((await run(['copy', 'member', 'member_location', '--yes'])).exit).toBe(0);
  expect((await run(['diff', 'member', 'member_location', '--exit-code'])).exit).toBe(0);
  expect((await run(['undo', 'member', '1', '--yes'])).exit).toBe(0);
  expect((await run(['get', 'member', '--raw'])).stdout).toBe('{}');
});

test('storage put of a shared row by a student is sent, rejected and explained', async () => {
  const { emulator, launched } = await emulated();
  const run = await launched({ member: 'member-111' });
  const result = await run(['put', 'context', '--yes'], { input: '{"a":1}' });
  expect(result.exit).toBe(5);
  expect(result.stderr).toContain('403');
  const { requests } = await emulator.control('GET requests');
  expect(requests.map(({ method }) => method).filter((method) => method === 'PUT')).toHaveLength(1);
});

test('a copied course gets the rows of the previous course after provisioning', async () => {
  const { emulator, as, launched } = await emulated();
  const staff = await launched({ role: 'instructor', course: 'biology-101' });
  await staff(['put', 'context', '--yes'], { input: '{"rubric":1.50}' });
  const { claims } = await emulator.control('POST provision-request', { course: 'biology-102' });
  const request = as(claims);
  const early = await request(['copy', 'parent_context', 'context', '--yes']);
  expect(early.exit).toBe(7);
  expect(early.stderr).toContain('lectern provision context');
  const { provision, api } = claims as {
    provision: { context: string };
    api: { token: string };
  };
  await fetch(provision.context, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.token}` },
  });
  expect((await request(['copy', 'parent_context', 'context', '--yes'])).exit).toBe(0);
  expect((await request(['get', 'context', '--raw'])).stdout).toBe('{"rubric":1.50}');
  const written = await request(['put', 'parent_context', '--yes'], { input: '{}' });
  expect(written.exit).toBe(5);
});

test("undo does not write another student's row, even with its ID: 6", async () => {
  const { launched } = await emulated();
  const one = await launched({ member: 'member-111' });
  await one(['put', 'member', '--yes'], { input: '{"notes":"of one student"}' });
  await one(['put', 'member', '--yes'], { input: '{}' });
  const other = await launched({ member: 'member-112' });
  for (const args of [
    ['undo', 'member', '2', '--yes'],
    ['diff', 'member', '--image', '2'],
  ]) {
    const { exit, stderr } = await other(args);
    expect([exit, stderr]).toEqual([6, expect.stringContaining('belongs to another row: member')]);
  }
  expect((await other(['get', 'member', '--raw'])).stdout).toBe('{}');
  expect((await one(['undo', 'member', '2', '--yes'])).exit).toBe(0);
});
