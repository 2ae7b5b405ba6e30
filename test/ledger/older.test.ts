import { DatabaseSync } from '@photostructure/sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/index.ts';
import {
  APPLICATION_ID,
  MIGRATIONS,
  OLDEST_VERSION,
  SCHEMA_VERSION,
} from '../../src/ledger/sqlite/schema.ts';
import { walCuts } from '../support/wal.ts';
import { listOf, openTemporary, temporaryFile } from './support.ts';

/** A ledger of lectern 1.0.0, with two runs. */
function olderFile(version = OLDEST_VERSION): string {
  const file = temporaryFile();
  mkdirSync(dirname(file));
  const older = new DatabaseSync(file);
  older.exec(`${MIGRATIONS[0]}
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version};
    INSERT INTO targets (id, url) VALUES (1, 'https://a.example/‹member›');
    INSERT INTO runs (id, time, target, credential, source, options, rows, digest, complete)
      VALUES (1, 5, '{}', 'launch_token', 'a.csv', '{}', 1, 'd', 1),
        (2, 6, '{}', 'launch_token', 'b.csv', '{}', 1, 'd', 0);
    INSERT INTO run_rows VALUES (1, 2, 'm1', '{}'), (2, 2, 'm1', '{}');
    INSERT INTO attempts VALUES (1, 5, 1, 'm1', 'launch_token', '{}', 1, 2),
      (2, 6, 1, 'm1', 'launch_token', '{}', 2, 2);
    INSERT INTO outcomes (attempt, time, state, http, reason, text)
      VALUES (1, 5, 'success', 200, NULL, '{}'), (2, 6, 'not_sent', 429, 'too many', NULL);
    INSERT INTO blobs VALUES ('hash', x'7b7d');
    INSERT INTO images (time, row, url, command, before_sha256, outcome)
      VALUES (7, 'context', 'https://a.example/row', 'storage patch', 'hash', 'written')`);
  older.close();
  return file;
}

test('a ledger of lectern 1.0.0 can be read', async () => {
  const ledger = await openTemporary(olderFile());
  expect(await listOf(ledger.rows(1))).toMatchObject([{ member: 'm1', state: 'success' }]);
  expect(await listOf(ledger.rows(2))).toMatchObject([
    { state: 'not_sent', outcome: { kind: 'not_sent', reason: 'too many', http: 429 } },
  ]);
  expect(await ledger.images()).toMatchObject([{ row: 'context', bytes: 2, outcome: 'written' }]);
  expect(await ledger.health()).toMatchObject({ schema: SCHEMA_VERSION, faults: [] });
});

test('a ledger from before lectern 1.0.0 is refused', async () => {
  const message = /schema 3, of no lectern since 1\.0\.0: move it aside/;
  await expect(openLedger({ file: olderFile(3) })).rejects.toThrow(message);
});

describe('the migration of an older ledger', () => {
  test('leaves it unchanged or migrated if a kill interrupts it at any moment', async () => {
    const file = olderFile();
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
  });
});
