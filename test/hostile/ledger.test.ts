import { DatabaseSync } from '@photostructure/sqlite';
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { type Ledger, LedgerError, openLedger } from '../../src/ledger/index.ts';
import { file, members } from '../cli/grade/bulk.ts';
import { intentFor, listOf, recorded, rowsOf, storedRun } from '../ledger/support.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { launchFile, startService } from '../support/service.ts';
import { hostileCases } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Disk');

const random = seededRandom();

const ATTEMPTS = 40;

/** A ledger with attempts, a run and a before-image, which `use` has open. */
async function filled(use: (file: string) => void = () => {}): Promise<string> {
  const path = join(temporaryFolder(), 'home', 'ledger.sqlite');
  const ledger = await openLedger({ file: path, now: Date.now });
  const attempt = async (each: number): Promise<void> =>
    ledger.storeOutcome(await ledger.intend(intentFor(`m${each}`)), recorded());
  await Promise.all(Array.from({ length: ATTEMPTS - 5 }, (_, each) => attempt(each)));
  for (let each = ATTEMPTS - 5; each < ATTEMPTS; each += 1) await attempt(each);
  await storedRun(ledger, rowsOf(20));
  const before = Buffer.from('{"a":1}');
  await ledger.keepImage({ row: 'member', url: 'https://a/b', command: 'storage put', before });
  use(path);
  await ledger.close();
  return path;
}

/** A ledger without the files that SQLite's package leaves until garbage is collected. */
async function closed(): Promise<string> {
  const path = copyOf(await filled());
  alter(path, 'PRAGMA wal_checkpoint');
  return path;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let reads = 0;

/** Reads all there is; what is damaged may be refused, and only as such. */
async function readAll(path: string): Promise<number | LedgerError> {
  // SQLite's package keeps the files of a closed ledger open until its statements are collected.
  reads += 1;
  if (reads % 500 === 0) {
    collectGarbage();
    // What was collected is finalised in a turn of its own.
    await new Promise(setImmediate);
  }
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedger({ file: path, now: Date.now });
    const attempts = await listOf(ledger.attempts());
    for (const { id } of await ledger.runs()) await listOf(ledger.rows(id));
    for (const { id } of await ledger.images()) await ledger.image(id);
    await ledger.knownGrades(attempts);
    await ledger.health();
    return attempts.length;
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  } finally {
    await ledger?.close();
  }
}

function copyOf(path: string): string {
  const folder = join(temporaryFolder(), 'home');
  mkdirSync(folder);
  for (const name of readdirSync(dirname(path), { withFileTypes: true })) {
    if (name.isFile()) copyFileSync(join(dirname(path), name.name), join(folder, name.name));
  }
  return join(folder, 'ledger.sqlite');
}

hostile(
  {
    tried: 'a ledger whose log is truncated after each byte of its last two pages',
    size: { short: 60, long: 8240 },
    limitMs: { short: 120_000, long: 600_000 },
  },
  async ({ size }) => {
    let torn = '';
    await filled((path) => (torn = copyOf(path)));
    const whole = statSync(`${torn}-wal`).size;
    let before = ATTEMPTS;
    for (let cut = 1; cut <= size; cut += 1) {
      const copy = copyOf(torn);
      truncateSync(`${copy}-wal`, whole - cut);
      const read = await readAll(copy);
      expect(read, `${cut} bytes less`).toBeTypeOf('number');
      // What is left is a state that the ledger was in.
      expect(read).toBeLessThanOrEqual(before);
      before = read as number;
    }
    expect(before).toBeGreaterThan(ATTEMPTS - 5);
  },
);

hostile(
  {
    tried: 'a ledger with bytes of its file or its log overwritten at random',
    times: { short: 15, long: 5000 },
  },
  async ({ repetition }) => {
    let path = '';
    const whole = await filled((open) => (path = copyOf(open)));
    if (repetition % 2 === 0) path = whole;
    const target = repetition % 2 === 0 ? path : `${path}-wal`;
    const bytes = readFileSync(target);
    for (let each = 0; each < 1 + (repetition % 50); each += 1) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    }
    writeFileSync(target, bytes);
    const read = await readAll(path);
    if (typeof read === 'number') expect(read).toBeLessThanOrEqual(ATTEMPTS);
    else expect(['corrupt', 'foreign', 'newer', 'io', 'other']).toContain(read.fault);
  },
);

function alter(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

/** Every command that needs the ledger refuses it, says why and gives a hint, and sends nothing. */
async function isRefused(path: string, words: RegExp): Promise<void> {
  const home = dirname(path);
  const before = snapshotOf(home);
  const { origin, requests } = await startService((_, response) => void response.end('{}'));
  const launch = ['-l', launchFile(origin)];
  const commands = [
    ['grade', 'submit', '--score', '1', ...launch],
    ['grade', 'log'],
    ['grade', 'submit', '--from', file(members(3)), '--yes', ...launch],
    ['storage', 'history'],
    ['grade', 'runs'],
  ];
  for (const args of commands) {
    const { exit, stdout, stderr } = await lectern(args, { home });
    expect([exit, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(words);
    expect(stderr.match(/^lectern: /gm)).toHaveLength(1);
  }
  const doctor = await lectern(['doctor'], { home });
  expect(doctor.exit).toBe(1);
  expect(doctor.stdout.split('\n').find((line) => line.startsWith('ledger\twrong'))).toMatch(words);
  expect(requests).toEqual([]);
  expect(snapshotOf(home)).toEqual(before);
}

/** What lies in a folder, byte for byte, but for what SQLite makes to look at it. */
function snapshotOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/-(wal|shm|locks)$/.test(name))
    .map((each) => {
      const path = join(folder, each.name);
      const bytes = each.isFile() ? readFileSync(path).toString('base64') : '';
      return `${each.name} ${statSync(path).mode} ${bytes}`;
    });
}

hostile({ tried: 'a ledger of a newer version' }, async () => {
  const path = await closed();
  alter(path, 'PRAGMA user_version = 99');
  await isRefused(path, /newer.*update lectern/);
});

hostile(
  {
    tried: 'a ledger of another user',
    cannotRun: () => (process.getuid?.() === 0 ? undefined : 'only root gives files away'),
  },
  async () => {
    const path = await closed();
    chownSync(path, 12_345, 12_345);
    await isRefused(path, /belongs to another user.*\n.*LECTERN_HOME|another user.*LECTERN_HOME/);
  },
);
