import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { walCuts } from '../../support/wal.ts';
import { emulated } from '../subject.ts';
import { makeOlder, query } from './older.ts';

const LOCATION = 'moon-diary';

const BODIES = {
  json: 'SELECT key, hex(body) FROM rows ORDER BY key',
  record:
    'SELECT key, hex(body) FROM rows JOIN row_versions ON row = key AND number = version ORDER BY key',
};

/** What people have put into a folder, of an older version or of this one. */
function contentsOf(data: string, json: 'record' | 'json' = 'record') {
  return {
    rows: query(data, BODIES[json]),
    attempts: query(
      data,
      `SELECT sequence, location, member, submitted, ${json} AS record FROM attempts`,
    ),
  };
}

/** The numbers of records in some tables, by version. */
const COUNTS = {
  older: (table: string) => `SELECT count(*) AS n FROM records WHERE collection = '${table}'`,
  current: (table: string) => `SELECT count(*) AS n FROM ${table}`,
};

function countsOf(data: string, version: keyof typeof COUNTS) {
  const tables = ['tools', 'courses', 'locations', 'members', 'files'];
  return tables.map((table) => [table, query(data, COUNTS[version](table))]);
}

describe('the data of lectern 1.0.0', () => {
  test('is served unchanged, twice', async () => {
    const data = temporaryFolder();
    makeOlder(data);
    const [before, counts] = [contentsOf(data, 'json'), countsOf(data, 'older')];
    for (let each = 0; each < 2; each += 1) {
      const { control, launch: launched, close } = await emulated({ data });
      const { gradebook, attempts, files } = await control('state');
      expect(gradebook).toMatchObject([
        { location: LOCATION, payload: { scoreGiven: 17, comment: '' } },
      ]);
      expect(attempts).toMatchObject([{ status: 'success', score: 0.85 }]);
      expect(files).toHaveLength(1);
      expect((await control('summary')).attempts_failed).toBe(0);
      const launch = await launched({ role: 'instructor', location: LOCATION });
      const file = await launch.get(launch.file('location', 'hello.txt'));
      expect(file.status).toBe(200);
      await control('token/end', { token: launch.token });
      await close();
      expect(contentsOf(data)).toEqual(before);
      expect(countsOf(data, 'current')).toEqual(counts);
      expect(query(data, 'PRAGMA foreign_key_check')).toEqual([]);
      expect(query(data, 'PRAGMA user_version')).toEqual([{ user_version: 4 }]);
      expect(query(data, 'PRAGMA auto_vacuum')).toEqual([{ auto_vacuum: 2 }]);
      expect(readdirSync(data)).not.toContain('files');
    }
  });

  test('is unchanged or migrated after a kill at any moment of its migration', async () => {
    const data = temporaryFolder();
    makeOlder(data);
    const before = contentsOf(data, 'json');
    const database = readFileSync(join(data, 'emulator.db'));
    const { close } = await emulated({ data });
    const log = readFileSync(join(data, 'emulator.db-wal'));
    await close();
    expect(log.length).toBeGreaterThan(0);
    for (const end of walCuts(log)) {
      writeFileSync(join(data, 'emulator.db'), database);
      writeFileSync(join(data, 'emulator.db-wal'), log.subarray(0, end));
      const again = await emulated({ data });
      expect((await again.control('state')).gradebook).toHaveLength(1);
      await again.close();
      expect(contentsOf(data)).toEqual(before);
    }
  });
});

test('the data folder of a newer version is refused and left as it is', async () => {
  const data = temporaryFolder();
  await (await emulated({ data })).close();
  const [known] = query<{ user_version: number }>(data, 'PRAGMA user_version');
  query(data, 'PRAGMA user_version = 99');
  const before = contentsOf(data);
  await expect(emulated({ data })).rejects.toThrow(
    /newer lectern \(version 99, this one knows 4\): update lectern$/,
  );
  expect(contentsOf(data)).toEqual(before);
  // Nor is it locked.
  query(data, `PRAGMA user_version = ${known?.user_version}`);
  await emulated({ data });
});
