import { expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { atTerminal, jsonOf } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { emulatedFiles } from './emulated.ts';
import { answering, scriptedFiles } from './scripted.ts';

test('files rm reports which keys existed, and an absent key is not an error', async () => {
  const { step } = await emulatedFiles();
  await step('files upload member a.txt b.txt', { files: { 'a.txt': 'a', 'b.txt': 'b' } });
  await step('files rm member a.txt nix --yes', {
    stdout: ['a.txt\t1\tdeleted\n', 'nix\t\tabsent\n'],
    stderr: '2 files: ',
    stored: { 'b.txt': 1 },
  });
  await step('files rm member nix --yes --quiet', { stderr: '' });
});

test('files rm --all --json prints each deleted key', async () => {
  const { step } = await scriptedFiles({ 'a.txt': 'a', 'b.txt': 'b' });
  const gone = ['a.txt', 'b.txt'].map((key) => ({ key, size: 1, outcome: 'deleted', error: null }));
  const json = { files: gone, summary: { files: 2, deleted: 2 } };
  await step('files rm member --all --yes --json', { json });
  await step('files rm member --all --yes', { stderr: /^the member row has no files\n$/ });
  const none = { files: [], summary: { files: 0 } };
  await step('files rm member --yes --all --json', { json: none });
  await step('files download member --all --json', { json: none });
});

test('files rm without a terminal needs --yes: exit 2, and nothing is deleted', async () => {
  const { step } = await scriptedFiles({ 'a.txt': 'a' });
  const kept = { keys: ['a.txt'], methods: ['GET'] };
  await step('files rm member a.txt # exit 2: pass --yes', kept);
  await step('files rm member --yes # exit 2\nfiles rm member a --all --yes # exit 2');
});

test.each([
  [`y${KEYS.enter}`, 0, 0],
  [`n${KEYS.enter}`, 130, 1],
  [KEYS.interrupt, 130, 1],
])('files rm asks on a terminal, and accepts the answer %j', async (answer, exit, left) => {
  const { options, files } = await scriptedFiles({ 'a.txt': 'hello' });
  const keys = { 'Delete 1 file (5 B) from the member row?': answer };
  await atTerminal('files rm member a.txt', { ...options, keys, exit });
  expect(files.size).toBe(left);
});

test('files rm does not ask if there is nothing to delete, and says that the key is absent', async () => {
  const { step, options } = await scriptedFiles({ 'a.txt': 'a' });
  await step('files rm member nix', { stdout: 'nix\t\tabsent\n' });
  await atTerminal('files rm member nix', { ...options, shows: /^nix +absent/m, lacks: 'Delete' });
});

test('files rm --dry-run shows the requests and sends none', async () => {
  const { step, claims } = await scriptedFiles({ 'a.txt': 'a' });
  const dry = await step('files rm member a.txt --dry-run --json', { methods: ['GET'] });
  const url = claims.files.member?.replace('?', '/a.txt?');
  expect(jsonOf(dry)).toEqual({ dry_run: true, method: 'DELETE', url, body: null, findings: [] });
});

test('files rm continues after a rejected key: exit 9', async () => {
  const { step, faults } = await scriptedFiles({ 'a.txt': 'a', 'b.txt': 'b' });
  faults.api = answering(
    ({ method, target }) => method === 'DELETE' && target.includes('a.txt'),
    (response) => answerJson(response, 403, {}),
  );
  await step('files rm member --all --yes', { exit: 9, keys: ['a.txt'] });
  await step('files rm member a.txt --yes', { exit: 5, methods: ['GET', 'DELETE'] });
});
