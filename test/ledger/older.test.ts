import { DatabaseSync } from '@photostructure/sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/index.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.ts';
import { walCuts } from '../support/wal.ts';
import { intentFor, listOf, openTemporary, startChild, temporaryFile } from './support.ts';

/** A ledger that an older lectern made: at the commits 6cad3a9 and 0927568. */
function olderFile(version: 'first' | 'second'): string {
  const file = temporaryFile();
  mkdirSync(dirname(file));
  const packed = readFileSync(new URL(`${version}-version.sqlite.gz`, import.meta.url));
  writeFileSync(file, gunzipSync(packed));
  return file;
}

test('a ledger of the first version can be read', async () => {
  const ledger = await openTemporary(olderFile('first'));
  const rows = await listOf(ledger.rows(1));
  expect(rows.map(({ member, state }) => [member, state])).toEqual([
    ['astronomy-2026-student-1', 'success'],
    ['astronomy-2026-student-2', 'in_doubt'],
    ['astronomy-2026-student-3', 'success'],
    ['astronomy-2026-student-4', 'success'],
    ['astronomy-2026-student-5', 'success'],
  ]);
  expect(await ledger.summary(1)).toMatchObject({ rows: 5, success: 4, inDoubt: 1 });
  const single = (await listOf(ledger.attempts())).at(-1);
  expect(single).toMatchObject({ member: 'astronomy-2026-student-6', state: 'success' });
  expect(JSON.parse(single?.body ?? '')).toMatchObject({ score: 0.6 });
  // What became of its writes was not kept then.
  const [image] = await ledger.images();
  expect(image).toMatchObject({ id: 1, command: 'storage patch', bytes: 2, outcome: undefined });
  expect(await ledger.health()).toMatchObject({ schema: SCHEMA_VERSION, faults: [] });
});

test('a ledger of the second version, whose outcomes have hyphens, can be read', async () => {
  const ledger = await openTemporary(olderFile('second'));
  const states = ['success', 'failed', 'refused', 'in_doubt', 'not_sent', 'in_doubt'];

  const single = (await listOf(ledger.attempts())).filter(({ run }) => run === undefined);
  expect(single.map(({ state }) => state)).toEqual(states);
  expect(single[3]?.outcome).toEqual({
    kind: 'in_doubt',
    reason: 'the connection was reset',
    http: 502,
    text: '<html>',
  });
  expect(single[5]?.outcome).toBeUndefined();

  const rows = await listOf(ledger.rows(1));
  expect(rows.map(({ state }) => state)).toEqual([...states, 'not_sent']);
  expect(rows[4]?.outcome).toMatchObject({ kind: 'not_sent', http: 429 });
  expect(await ledger.summary(1)).toMatchObject({ rows: 7, recorded: 2, inDoubt: 2, notSent: 2 });
  expect(await listOf(ledger.rows(1, { states: ['in_doubt'] }))).toHaveLength(2);
  expect(await listOf(ledger.attempts({ states: ['not_sent'] }))).toHaveLength(2);
  expect(await ledger.images()).toMatchObject([{ row: 'context', outcome: 'written' }]);
});

test('an outcome that an older lectern stores in a migrated ledger can be read', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  const { id: attempt } = await ledger.intend(intentFor('m1'));
  const older = new DatabaseSync(file);
  older.exec(`INSERT INTO outcomes (attempt, time, state, reason)
    VALUES (${attempt}, 1, 'not-sent', 'connection refused')`);
  older.close();
  expect(await listOf(ledger.attempts({ states: ['not_sent'] }))).toMatchObject([
    { outcome: { kind: 'not_sent', reason: 'connection refused' } },
  ]);
});

test('a run of the third version is complete if none of its records is left to send', async () => {
  const file = temporaryFile();
  mkdirSync(dirname(file));
  const older = new DatabaseSync(file);
  older.exec(`${MIGRATIONS.slice(0, 3).join('')}
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 3;
    INSERT INTO targets (id, url) VALUES (1, 'https://a.example/‹member›');
    INSERT INTO runs (id, time, target, credential, source, options, rows, digest)
      VALUES (1, 5, '{}', 'launch_token', 'a.csv', '{}', 1, 'd'),
        (2, 6, '{}', 'launch_token', 'b.csv', '{}', 1, 'd');
    INSERT INTO run_rows VALUES (1, 2, 'm1', '{}'), (2, 2, 'm1', '{}');
    INSERT INTO attempts VALUES (1, 5, 1, 'm1', 'launch_token', '{}', 1, 2),
      (2, 6, 1, 'm1', 'launch_token', '{}', 2, 2);
    INSERT INTO outcomes (attempt, time, state) VALUES (1, 5, 'success'), (2, 6, 'not_sent')`);
  older.close();
  await (await openLedger({ file })).close();
  const migrated = new DatabaseSync(file);
  expect(migrated.prepare('SELECT id, complete FROM runs').all()).toEqual([
    { id: 1, complete: 1 },
    { id: 2, complete: 0 },
  ]);
  migrated.close();
});

describe('the migration of an older ledger', () => {
  test('happens once if two processes open it at the same time, and both can write', async () => {
    const file = olderFile('first');
    const children = [startChild(['some', file, 20]), startChild(['some', file, 20])];
    await Promise.all(children.map((child) => child.heard('done')));
    const ledger = await openTemporary(file);
    expect(await listOf(ledger.attempts())).toHaveLength(6 + 40);
    expect(await ledger.health()).toMatchObject({ schema: SCHEMA_VERSION, faults: [] });
  });

  test.each(['first', 'second'] as const)(
    'of the %s version leaves it unchanged or migrated if a kill interrupts it at any moment',
    async (version) => {
      const file = olderFile(version);
      const database = readFileSync(file);
      const opened = await openLedger({ file });
      const [before, log] = [await listOf(opened.attempts()), readFileSync(`${file}-wal`)];
      await opened.close();
      expect(log.length).toBeGreaterThan(0);
      for (const end of walCuts(log)) {
        writeFileSync(file, database);
        writeFileSync(`${file}-wal`, log.subarray(0, end));
        const ledger = await openLedger({ file });
        expect(await listOf(ledger.attempts())).toEqual(before);
        expect(await ledger.health()).toMatchObject({ schema: SCHEMA_VERSION, faults: [] });
        await ledger.close();
      }
    },
  );
});
