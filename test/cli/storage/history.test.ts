import { describe, expect, test } from 'vitest';
import { rowService } from './row-service.ts';

const PUT = 'storage put context --yes';

/** A row `{"a":1}` that was replaced by `{"a":2}`. */
async function replaced() {
  const rows = await rowService({ context: '{"a":1}' });
  await rows.step(`${PUT} < {"a":2}`);
  return rows;
}

describe('before-images', () => {
  test('are listed and restored, and a restore can be undone', async () => {
    const first = '{ "a": 1.10, "b": [] }\n';
    const { step } = await rowService({ context: first });
    await step(`${PUT} < {"a":2,"c":null}\nstorage patch context --add /d:=1`);
    const changes = { gone: ['b'], added: ['c'], changed: ['a'] };
    const common = { row: 'context', time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ };
    await step('storage history context --json', {
      json: [
        { ...common, id: 2, command: 'storage patch', bytes: 16, changes: { added: ['d'] } },
        { ...common, id: 1, command: 'storage put', bytes: 23, changes },
      ],
    });
    const undo = 'storage undo context --yes';
    await step(`${undo} 1 # removes 2 keys: "c", "d"`, { rows: { context: first } });
    await step(undo, { rows: { context: '{"a":2,"c":null,"d":1}' } });
    await step(undo, { rows: { context: first } });
    const { stdout } = await step('storage history', { stdout: /\t-b \+c ~a.*\n$/ });
    const commands = stdout.match(/storage (undo|patch|put)(?=\t)/g)?.map((each) => each.slice(8));
    expect(commands).toEqual(['undo', 'undo', 'undo', 'patch', 'put']);
  });

  test.each([
    { name: 'was changed elsewhere', now: '{"a":2,"theirs":1}', warns: true },
    { name: 'is as it was written', now: '{"a":2}', warns: false },
  ])('an undo says whether the row $name', async ({ now, warns }) => {
    const { step, set } = await replaced();
    set('context', now);
    const { stderr } = await step('storage undo context --yes');
    expect(stderr.includes('warning: the row was changed again')).toBe(warns);
  });

  test('equal to the row are not sent', async () => {
    const { step, set } = await replaced();
    set('context', '{ "a": 1 }');
    const json = { outcome: 'unchanged' };
    await step('storage undo context 1 --yes --json', { json, methods: ['GET'] });
    await step('storage undo context --yes # exit 6: is equal to every previous version');
  });

  test('of another row, or of none, are not restored', async () => {
    const { step, methods } = await replaced();
    await step(`
      storage undo member 1 --yes # exit 6
      storage undo context 2 --yes # exit 6
      storage undo member --yes # exit 6: no previous version of the member row
      storage undo context one --yes # exit 2
      storage undo context # exit 2`);
    expect(methods().filter((method) => method === 'PUT')).toHaveLength(1);
  });

  test('of rows whose URLs differ only in the query are separate', async () => {
    const { step, launch } = await rowService();
    const url = `${launch.iss}/row`;
    await step(`
      storage put ${url}?tool=1 --yes < {"at":1}
      storage put ${url}?tool=2 --yes < {"at":2}
      storage put ${url} --yes < {"at":3}
      storage put ${url}?tool=1 --yes < {}
      storage undo ${url}?tool=2 --yes
      storage get ${url}?tool=2 --raw # {}
      storage undo ${url}?tool=2 4 --yes # exit 6`);
    const lacks = 'tool=1';
    await step(`storage history ${url}?tool=1 --json`, { json: [{}, {}], lacks });
  });

  test('are not stored with --no-history or after storage history off', async () => {
    const { step } = await rowService({ context: '{"a":1}' });
    await step(`${PUT} --no-history < {"a":2}`, { lacks: 'undo' });
    await step(`storage history off\n${PUT} < {"a":3}\nstorage history --json`, { json: [] });
    const json = [{ bytes: 7 }];
    await step(`storage history on\n${PUT} < {"a":4}\nstorage history --json`, { json });
  });

  test('are shown and not restored by undo --dry-run, and deleted by clear after a confirmation', async () => {
    const { step } = await replaced();
    await step('storage undo context --dry-run # {"a":1}', { rows: { context: '{"a":2}' } });
    await step(
      'storage history clear # exit 2\nstorage history clear --yes --json # {"cleared":1}',
    );
    await step('storage history', { stdout: '' });
  });

  test('that cannot be stored prevent the write', async () => {
    const { step } = await rowService({ context: '{"a":1}' });
    const files = { 'ledger.sqlite': 'no database' };
    await step(`${PUT} < {"a":2} # exit 1: so nothing was sent`, { files, methods: [] });
    await step(`${PUT} --no-history < {}`);
  });
});

test('storage copy copies the bytes of one row to another', async () => {
  const text = '{ "a": 1.10, "t": 1, "t": 2 }';
  const { step } = await rowService({ context: text, member: '{"b":1}' });
  await step('storage copy context member # exit 2: removes 1 key: "b"');
  const copied = '-  "b": 1\n+  "a": 1.10,';
  await step('storage copy context member --yes', { rows: { member: text }, stderr: copied });
  const restored = '+  "b": 1\n';
  await step('storage undo member --yes', { rows: { member: '{"b":1}' }, stderr: restored });
});

test('storage copy rejects one row only, the same twice, --url, and a row that the launch does not have', async () => {
  const { step, methods } = await rowService();
  await step(`
    storage copy context --yes # exit 2
    storage copy context context --yes # exit 2
    storage copy context member --url http://127.0.0.1:1/ --yes # exit 2
    storage copy parent_context context --yes # exit 3`);
  expect(methods()).toEqual([]);
});
