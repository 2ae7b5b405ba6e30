import { expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { cells, emulatedFiles } from './emulated.ts';
import { scriptedFiles } from './scripted.ts';

test('files rm reports which keys existed, and an absent key is not an error', async () => {
  const { run, file, stored } = await emulatedFiles();
  file('a.txt', 'a');
  file('b.txt', 'b');
  await run(['upload', 'member', 'a.txt', 'b.txt']);
  const { exit, stdout, stderr } = await run(['rm', 'member', 'a.txt', 'nix', '--yes']);
  expect(exit).toBe(0);
  expect(cells(stdout).sort()).toEqual([
    ['a.txt', '1', 'deleted'],
    ['nix', '', 'absent'],
  ]);
  expect(stderr).toContain('2 files: ');
  expect(await stored()).toEqual({ 'b.txt': 1 });
  expect((await run(['rm', 'member', 'nix', '--yes', '--quiet'])).stderr).toBe('');
});

test('files rm --all --json prints each deleted key', async () => {
  const { run } = await scriptedFiles({ 'a.txt': 'a', 'b.txt': 'b' });
  const { stdout } = await run(['rm', 'member', '--all', '--yes', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    files: ['a.txt', 'b.txt'].map((key) => ({ key, size: 1, outcome: 'deleted', error: null })),
    summary: { files: 2, deleted: 2 },
  });
  const again = await run(['rm', 'member', '--all', '--yes']);
  expect([again.exit, again.stderr]).toEqual([0, 'the member row has no files\n']);
  for (const args of [
    ['rm', 'member', '--yes'],
    ['download', 'member'],
  ]) {
    const { stdout: none } = await run([...args, '--all', '--json']);
    expect(JSON.parse(none)).toEqual({ files: [], summary: { files: 0 } });
  }
});

test('files rm without a terminal needs --yes: exit 2, and nothing is deleted', async () => {
  const { run, files, methods } = await scriptedFiles({ 'a.txt': 'a' });
  const { exit, stderr } = await run(['rm', 'member', 'a.txt']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
  expect(files.size).toBe(1);
  expect(methods()).not.toContain('DELETE');
});

test.each([
  ['y', 0, 0],
  ['n', 130, 1],
])('files rm asks on a terminal, and accepts the answer %s', async (answer, exit, left) => {
  const { options, files } = await scriptedFiles({ 'a.txt': 'hello' });
  const view = terminal(['files', 'rm', 'member', 'a.txt'], options);
  await view.shows('Delete 1 file (5 B) from the member row?');
  view.type(`${answer}${KEYS.enter}`);
  expect(await view.exit).toBe(exit);
  expect(files.size).toBe(left);
});

test('files rm does not ask if there is nothing to delete, and says that the key is absent', async () => {
  const { run, options } = await scriptedFiles({ 'a.txt': 'a' });
  const { exit, stdout } = await run(['rm', 'member', 'nix']);
  expect([exit, cells(stdout)]).toEqual([0, [['nix', '', 'absent']]]);
  const view = terminal(['files', 'rm', 'member', 'nix'], options);
  expect(await view.exit).toBe(0);
  expect(view.screen()).toMatch(/^nix +absent/m);
  expect(view.screen()).not.toContain('Delete');
});

test('files rm --dry-run shows the requests and sends none', async () => {
  const { run, claims, methods } = await scriptedFiles({ 'a.txt': 'a' });
  const { stdout } = await run(['rm', 'member', 'a.txt', '--dry-run', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    dry_run: true,
    method: 'DELETE',
    url: claims.files.member?.replace('?', '/a.txt?'),
    body: null,
    findings: [],
  });
  expect(methods()).toEqual(['GET']);
});

test('files rm continues after a rejected key: exit 9', async () => {
  const { run, files, faults } = await scriptedFiles({ 'a.txt': 'a', 'b.txt': 'b' });
  faults.api = (request, response) => {
    if (request.method !== 'DELETE' || !request.target.includes('a.txt')) return false;
    answerJson(response, 403, {});
    return true;
  };
  expect((await run(['rm', 'member', '--all', '--yes'])).exit).toBe(9);
  expect([...files.keys()]).toEqual(['a.txt']);
  expect((await run(['rm', 'member', 'a.txt', '--yes'])).exit).toBe(5);
});

test('files rm reports a key whose response was lost as in doubt: exit 10', async () => {
  const { run, faults } = await scriptedFiles({ 'a.txt': 'a' });
  faults.api = (request, response) => {
    if (request.method !== 'DELETE') return false;
    response.destroy();
    return true;
  };
  expect((await run(['rm', 'member', 'a.txt', '--yes'])).exit).toBe(10);
});

test('files rm needs either keys or --all: exit 2', async () => {
  const { run } = await scriptedFiles();
  expect((await run(['rm', 'member', '--yes'])).exit).toBe(2);
  expect((await run(['rm', 'member', 'a', '--all', '--yes'])).exit).toBe(2);
});
