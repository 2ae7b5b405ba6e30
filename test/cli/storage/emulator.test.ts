import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isUsual, startEmulator } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { type Expected, type Given, step } from '../../support/steps.ts';

/** Storage commands with a launch of the emulator. */
async function emulated() {
  const emulator = await startEmulator();
  const home = temporaryFolder();
  const as =
    (claims: unknown) =>
    (line: string, options: Given & Expected = {}) => {
      const file = join(home, 'launch.json');
      writeFileSync(file, JSON.stringify(claims));
      const env = { LECTERN_LAUNCH: file, ...options.env };
      return step(`storage ${line}`, { home, ...options, env });
    };
  const launched = async (request: object) => as(await emulator.launch(request));
  return { emulator, as, launched };
}

test.runIf(isUsual('patched'))('digits, names and order survive every command', async () => {
  const { launched } = await emulated();
  const run = await launched({ member: 'member-111' });
  const read = async (what: string): Promise<string> => (await run(`get ${what} --raw`)).stdout;
  const text = '{"9":1.10,"huge":9007199254740993,"a":[1e400,-0,"\\ud800"],"1":{"z":0}}';
  await run('put member --yes', { input: text });
  expect(await read('member')).toBe(text);
  await run('patch member --add /new/deep:=2.50');
  expect(await read('member')).toBe(text.replace('{"z":0}}', '{"z":0},"new":{"deep":2.50}}'));
  const editor = join(temporaryFolder(), 'editor.mjs');
  writeFileSync(
    editor,
    `import fs from 'node:fs';
    const text = fs.readFileSync(process.argv[2], 'utf8');
    fs.writeFileSync(process.argv[2], text.replace('1e400,', '1e400,\\n    12345678901234567890,'));`,
  );
  await run('edit member --yes', { env: { EDITOR: `"${process.execPath}" "${editor}"` } });
  expect(await read('member /a')).toBe('[1e400,12345678901234567890,-0,"\\ud800"]');
  await run('copy member member_location --yes');
  await run('diff member member_location --exit-code');
  await run('undo member 1 --yes');
  expect(await read('member')).toBe('{}');
});

test('a copied course gets the rows of the previous course after provisioning', async () => {
  const { emulator, as, launched } = await emulated();
  const staff = await launched({ role: 'instructor', course: 'biology-101' });
  await staff('put context --yes', { input: '{"rubric":1.50}' });
  const { claims } = await emulator.control('POST provision-request', { course: 'biology-102' });
  const request = as(claims);
  const copy = 'copy parent_context context --yes';
  await request(copy, { exit: 7, stderr: 'lectern provision context' });
  const { provision, api } = claims as {
    provision: { context: string };
    api: { token: string };
  };
  await fetch(provision.context, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.token}` },
  });
  await request(copy);
  expect((await request('get context --raw')).stdout).toBe('{"rubric":1.50}');
  await request('put parent_context --yes', { input: '{}', exit: 5 });
});

test("undo does not write another student's row, even with its ID: 6", async () => {
  const { launched } = await emulated();
  const one = await launched({ member: 'member-111' });
  await one('put member --yes', { input: '{"notes":"of one student"}' });
  await one('put member --yes', { input: '{}' });
  const other = await launched({ member: 'member-112' });
  for (const line of ['undo member 2 --yes', 'diff member --image 2']) {
    await other(line, { exit: 6, stderr: 'belongs to another row: member' });
  }
  expect((await other('get member --raw')).stdout).toBe('{}');
  await one('undo member 2 --yes');
});
