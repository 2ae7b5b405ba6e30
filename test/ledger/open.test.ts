import { DatabaseSync } from '@photostructure/sqlite';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/sqlite/database.ts';
import { toTemplate } from '../../src/ledger/address.ts';
import { RunClaimedError } from '../../src/ledger/error.ts';
import { byPages, paginate } from '../../src/ledger/pages.ts';
import { ledgerError } from '../../src/ledger/sqlite/error.ts';
import { openLedgerFile } from '../../src/ledger/sqlite/open.ts';
import { LedgerError, openLedger } from '../../src/ledger/index.ts';
import type { AttemptWrites } from '../../src/ledger/reader.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.ts';
import { sqliteAttempts, sqliteTargets } from '../../src/ledger/sqlite/attempts.ts';
import { GroupCommit } from '../../src/sqlite/writer.ts';
import {
  intentFor,
  listOf,
  openTemporary,
  recorded,
  rejection,
  rowsOf,
  storedRun,
  temporaryFile,
} from './support.ts';

const posix = test.skipIf(process.platform === 'win32');

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('the files', () => {
  posix('belong to the owner alone, whatever the umask', async () => {
    const file = temporaryFile();
    const ledger = await openTemporary(file);
    const run = await storedRun(ledger, rowsOf(1));
    await ledger.claimRun(run.id, 1);

    const names = readdirSync(dirname(file), { recursive: true }).map(String).sort();
    expect(names).toEqual([
      'ledger.sqlite',
      'ledger.sqlite-locks',
      `ledger.sqlite-locks/run-${run.id}`,
      'ledger.sqlite-shm',
      'ledger.sqlite-wal',
    ]);
    expect(modeOf(dirname(file))).toBe('700');
    for (const name of names) {
      expect(modeOf(`${dirname(file)}/${name}`)).toBe(name.endsWith('-locks') ? '700' : '600');
    }
    expect((await ledger.health()).private).toBe(true);
  });

  posix('get stricter permissions if theirs are too loose', async () => {
    const file = temporaryFile();
    const first = await openTemporary(file);
    await first.intend(intentFor('m1'));
    const paths = [file, `${file}-wal`, `${file}-shm`];
    for (const path of paths) chmodSync(path, 0o644);
    chmodSync(dirname(file), 0o755);
    expect((await first.health()).private).toBe(false);

    await openTemporary(file);
    expect([dirname(file), ...paths].map(modeOf)).toEqual(['700', '600', '600', '600']);
    expect((await first.health()).private).toBe(true);
  });
});

/** Runs SQL in a file, outside a ledger. */
function alter(file: string, sql: string): void {
  const connection = new DatabaseSync(file);
  connection.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  connection.close();
}

/** What may be in the place of a ledger, which is there first, and what the error says of it. */
type Odd = readonly [name: string, make: (file: string) => void, fault: string, words: RegExp];
const sql = (text: string) => (file: string) => alter(file, text);
const ODD: readonly Odd[] = [
  ['of a newer version', sql('PRAGMA user_version = 99'), 'newer', /schema 99.*update lectern/],
  ['of version 0, with tables', sql('PRAGMA user_version = 0'), 'corrupt', /schema 0.*aside/],
  ['of a negative version', sql('PRAGMA user_version = -1'), 'corrupt', /schema -1.*aside/],
  ['of another program', sql('PRAGMA application_id = 7'), 'foreign', /not a ledger: choose ano/],
  [
    'a database without a ledger',
    (file) => (rmSync(file), alter(file, 'CREATE TABLE theirs (x)')),
    'foreign',
    /not a ledger/,
  ],
  [
    'a text',
    (file) => writeFileSync(file, 'not a database '.repeat(400)),
    'corrupt',
    /not an SQLite file.*aside/,
  ],
  [
    'a symbolic link',
    (file) => (renameSync(file, `${file}-`), symlinkSync(`${file}-`, file)),
    'foreign',
    /symbolic link.*use the file itself/,
  ],
  [
    'a ledger whose log is a symbolic link',
    (file) => (rmSync(`${file}-wal`, { force: true }), symlinkSync(file, `${file}-wal`)),
    'foreign',
    /symbolic link/,
  ],
  [
    'a log without its ledger',
    (file) => (truncateSync(file), writeFileSync(`${file}-wal`, Buffer.alloc(4152, 1))),
    'foreign',
    /log of the ledger exists, but the ledger does not/,
  ],
  ['a named pipe', (file) => (rmSync(file), execFileSync('mkfifo', [file])), 'foreign', /pipe/],
  ['a folder', (file) => (rmSync(file), mkdirSync(file)), 'foreign', /it is a folder/],
  ...(process.getuid?.() === 0
    ? [
        [
          'of another user',
          (file) => chownSync(file, 12_345, 12_345),
          'foreign',
          /another user/,
        ] as Odd,
      ]
    : []),
  [
    'a file whose folder is a file',
    (file) => (rmSync(dirname(file), { recursive: true }), writeFileSync(dirname(file), '')),
    'other',
    /ENOTDIR/,
  ],
];

posix.each(ODD)('openLedger fails and does not change: %s', async (_, make, fault, words) => {
  const file = temporaryFile();
  await (await openLedger({ file, now: Date.now })).close();
  make(file);
  const bytes = (): Buffer | undefined =>
    existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
  const before = bytes();
  const error = await rejection(openLedger({ file, now: Date.now }));
  expect(error).toBeInstanceOf(LedgerError);
  expect([error, String(error)]).toEqual([
    expect.objectContaining({ fault }),
    expect.stringMatching(words),
  ]);
  expect(String(error)).toContain(file);
  expect(bytes()).toEqual(before);
});

test('a damaged ledger is reported by the check and by every read', async () => {
  const file = temporaryFile();
  const ledger = await openLedger({ file, now: Date.now });
  await Promise.all(rowsOf(2000).map(({ member }) => ledger.intend(intentFor(member))));
  await ledger.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length / 4, (bytes.length / 4) * 3);
  writeFileSync(file, bytes);

  const damaged = await openTemporary(file);
  const { faults, counts } = await damaged.health();
  expect(faults.length).toBeGreaterThan(0);
  expect(counts).toBeUndefined();
  const error = await rejection(listOf(damaged.attempts()));
  expect(error).toMatchObject({ fault: 'corrupt', file });
});

test('a run with damaged columns, and a table that is missing, are reported as damage', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  await storedRun(ledger, rowsOf(1));
  alter(file, `UPDATE runs SET target = '{'; DROP TABLE images`);
  const error = await rejection(ledger.runs());
  expect(error).toMatchObject({ fault: 'corrupt', message: expect.stringContaining('of a run') });
  const faults = [expect.stringContaining('no such table: images')];
  expect(await ledger.health()).toMatchObject({ faults, counts: undefined });
});

test('the health of a ledger counts the records', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  await storedRun(ledger, rowsOf(3));
  await ledger.storeOutcome(await ledger.intend(intentFor('m1')), recorded());
  await ledger.intend(intentFor('m2'));
  await ledger.keepImage({
    row: 'context',
    url: 'https://a',
    command: 'x',
    before: Buffer.from('1'),
  });
  expect(await ledger.health()).toEqual({
    file,
    bytes: statSync(file).size + statSync(`${file}-wal`).size,
    schema: SCHEMA_VERSION,
    faults: [],
    private: true,
    counts: { attempts: 2, inDoubt: 1, runs: 1, rows: 3, images: 1 },
  });
});

describe('closing', () => {
  test('writes pending work, and may be called twice', async () => {
    const file = temporaryFile();
    const ledger = await openTemporary(file);
    const pending = ledger.intend(intentFor('m1'));
    await ledger.close();
    await ledger.close();
    expect(await pending).toEqual({ id: 1 });
    expect(await listOf((await openTemporary(file)).attempts())).toHaveLength(1);
  });

  test('leaves nothing in the write-ahead log', async () => {
    const file = temporaryFile();
    const ledger = await openTemporary(file);
    await ledger.intend(intentFor('m1'));
    await ledger.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  test('makes every other call fail with a clear message', async () => {
    const ledger = await openTemporary();
    await ledger.close();
    for (const call of [
      () => ledger.intend(intentFor('m1')),
      () => ledger.runs(),
      () => ledger.images(),
      () => ledger.health(),
      () => listOf(ledger.attempts()),
    ]) {
      expect(await rejection(call())).toMatchObject({ fault: 'closed' });
    }
  });
});

describe('a full disk', () => {
  /** The real thing from SQLite's point of view: the file may have no more pages. */
  async function nearlyFull(): Promise<{ database: Database; attempts: AttemptWrites }> {
    const database = await openLedgerFile(temporaryFile());
    const pages = Number(database.value('PRAGMA page_count'));
    database.value(`PRAGMA max_page_count = ${pages + 20}`);
    const targets = sqliteTargets(database);
    const writer = new GroupCommit(database, () => targets.forget());
    return { database, attempts: sqliteAttempts({ database, writer, targets, now: Date.now }) };
  }

  test('is reported, and each attempt is stored completely or not at all', async () => {
    const { database, attempts } = await nearlyFull();
    const body = JSON.stringify({ comment: 'x'.repeat(3000) });
    const results = await Promise.allSettled(
      rowsOf(60).map(({ member }) => attempts.intend(intentFor(member, { body }))),
    );
    const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) {
      expect(reason).toMatchObject({ fault: 'full', cause: expect.any(Error) });
      expect(String(reason)).toContain('the disk is full');
    }
    const acknowledged = results.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.id] : [],
    );
    const kept = database.all<{ id: number }>('SELECT id FROM attempts ORDER BY id');
    expect(kept.map(({ id }) => id)).toEqual(acknowledged);
    expect(database.value('PRAGMA integrity_check')).toBe('ok');

    database.value('PRAGMA max_page_count = 10000');
    await attempts.intend(intentFor('again', { body }));
    database.close();
  });
});

test.each([
  ['https://h/c/m1/x/m1', 'https://h/c/m1/x/‹member›'],
  ['https://h/c/m1/m10', 'https://h/c/‹member›/m10'],
  ['https://h/c/xm1', 'https://h/c/xm1'],
  ['https://h/m1?s=1', 'https://h/‹member›~9af974caa2f5'],
])('the address of %s is stored as %s', (url, expected) => {
  expect(toTemplate({ url, member: 'm1' })).toBe(expected);
});

test.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EROFS', 'denied'],
  ['ERR_INVALID_STATE', 'closed'],
  ['another', 'other'],
])('an error %s of the system is the fault %s', (code, fault) => {
  expect(ledgerError('f', Object.assign(new Error('why'), { code })).fault).toBe(fault);
});

test.each([
  [undefined, undefined, 'by another process: let it end, or stop it'],
  [12, undefined, 'by process 12: let it end, or stop it'],
  [12, 'one.example', 'by process 12 on one.example: join it with: lectern grade work 7'],
])('a run that is sent by process %s on %s names it', (pid, host, words) => {
  expect(new RunClaimedError('f', 7, pid, host).message).toContain(`run 7 is being sent ${words}`);
});

test.each([
  [
    4,
    [
      [0, 1],
      [2, 3],
    ],
  ],
  [5, [[0, 1], [2, 3], [4]]],
])('%d rows are collected into pages of two', async (count, pages) => {
  expect(await listOf(paginate(Array(count).keys(), 2))).toEqual(pages);
});

test.each([
  [undefined, [0, 1, 2], 1],
  [2, [0, 1], 1],
  [0, [], 0],
])('rows up to the limit %s are read without another page', async (limit, rows, expected) => {
  let pages = 0;
  const page = (after: number, count: number): number[] => {
    pages += 1;
    return [0, 1, 2].filter((row) => row > after).slice(0, count);
  };
  const read = byPages<number>({ page, keyOf: (row) => row, start: -1, limit });
  expect(await listOf(read)).toEqual(rows);
  expect(pages).toBe(expected);
});
