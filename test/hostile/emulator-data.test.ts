import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Launch } from '../emulator/subject.ts';
import { send } from '../emulator/wire.ts';
import { lectern } from '../support/lectern.ts';
import {
  type EmulatorProcess,
  smallDisk,
  startProcess,
  withoutMount,
  looseBlobs,
} from './emulator-process.ts';
import { hostileCases, IS_LONG } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Emulator');

const random = seededRandom();

/** The writes that were acknowledged to a worker. */
interface Acknowledged {
  row: number;
  readonly attempts: string[];
  readonly files: Map<string, number>;
}

const newlyAcknowledged = (): Acknowledged => ({ row: 0, attempts: [], files: new Map() });

const fileText = (key: string, count: number): string => `${key} ${count} `.repeat(3000);

/** Writes once of each kind under a key of its own; records acknowledged writes. Returns the statuses. */
async function write(
  launch: Launch,
  key: string,
  count: number,
  done: Acknowledged,
): Promise<number[]> {
  const operations = [{ op: 'add', path: `/${key}`, value: count }];
  const patched = await launch.patch(launch.row('member'), operations);
  if (patched.status === 204) done.row = count;
  const graded = await launch.grade({ score: 0.5 });
  if (graded.status === 200) done.attempts.push(graded.json().id);
  const uploaded = await launch.upload('member', key, fileText(key, count));
  if (uploaded.status === 204) done.files.set(key, count);
  return [patched.status, graded.status, uploaded.status];
}

/** Whether everything that was acknowledged is there. */
async function verify(
  emulator: EmulatorProcess,
  launch: Launch,
  workers: ReadonlyMap<string, Acknowledged>,
): Promise<void> {
  const row = (await launch.get(launch.row('member'))).json<Record<string, number>>();
  const { attempts } = await emulator.control('state');
  const kept = new Set(attempts.map(({ id }) => id));
  for (const [key, done] of workers) {
    if (done.row > 0) expect(row[key]).toBeGreaterThanOrEqual(done.row);
    expect(done.attempts.filter((id) => !kept.has(id))).toEqual([]);
    for (const [file, count] of done.files) {
      const record = (await launch.get(launch.file('member', file))).json();
      const { text } = await send('GET', record.url);
      const found = Number(text.split(' ')[1]);
      expect(text).toBe(fileText(file, found));
      expect(found).toBeGreaterThanOrEqual(count);
    }
  }
}

hostile(
  {
    tried: 'kill -9 during writes of 12 clients, and a start on the same data',
    times: { short: 1, long: 100 },
  },
  async () => {
    const workers = new Map<string, Acknowledged>();
    let emulator = await startProcess();
    const launch = await emulator.launch();
    for (let life = 1; life <= (IS_LONG ? 2 : 1); life++) {
      let rounds = 5 + Math.floor(random() * 60);
      let killed: Promise<unknown> | undefined;
      await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const key = `worker${index}`;
          const done = workers.get(key) ?? newlyAcknowledged();
          workers.set(key, done);
          try {
            for (let count = life * 1_000_000; ; count++) {
              await write(launch, key, count, done);
              if (--rounds === 0) killed = emulator.stop('SIGKILL');
            }
          } catch {
            // The connection was cut.
          }
        }),
      );
      await killed;
      const { data, url } = emulator;
      emulator = await startProcess({ data });
      expect(emulator.url).toBe(url);
      await verify(emulator, launch, workers);
      await expectNoOrphans(emulator);
    }
    const attempts = [...workers.values()].flatMap((done) => done.attempts);
    expect(attempts.length).toBeGreaterThan(1);
  },
);

/** Writes until next to nothing is taken any more. */
async function fill(launch: Launch): Promise<Map<string, Acknowledged>> {
  const workers = new Map<string, Acknowledged>();
  let refused = 0;
  for (let count = 1; refused < 12 && count < 3000; count++) {
    const key = `k${count % 90}`;
    const done = workers.get(key) ?? newlyAcknowledged();
    workers.set(key, done);
    const statuses = await write(launch, key, count, done);
    // What cannot be kept is said so, and nothing else goes wrong.
    for (const status of statuses) expect([200, 204, 503]).toContain(status);
    if (statuses.includes(503)) refused++;
  }
  expect(refused).toBe(12);
  return workers;
}

/** What is stored of files is what there are records of. */
async function expectNoOrphans(emulator: EmulatorProcess): Promise<void> {
  await expect.poll(() => looseBlobs(emulator)).toBe(0);
}

hostile(
  {
    tried:
      'a disk that becomes full during writes of rows, grades and files, and free space afterwards',
    times: { short: 1, long: 10 },
    cannotRun: withoutMount,
  },
  async () => {
    const disk = smallDisk(5);
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(1024 * 1024));
    const emulator = await startProcess({ data: join(disk, 'data') });
    const launch = await emulator.launch();
    const workers = await fill(launch);
    await verify(emulator, launch, workers);
    const second = await lectern(['emulator', 'start', '--data', join(disk, 'other')]);
    expect([second.exit, second.stderr]).toEqual([1, expect.stringMatching(/full|ENOSPC/)]);
    rmSync(filler);
    await write(launch, 'k1', 5000, workers.get('k1') ?? newlyAcknowledged());
    expect(await write(launch, 'k1', 5001, workers.get('k1') ?? newlyAcknowledged())).toEqual([
      204, 200, 204,
    ]);
    await expectNoOrphans(emulator);
    expect(await emulator.stop('SIGKILL')).toMatchObject({ end: 'SIGKILL' });
    const again = await startProcess({ data: emulator.data });
    await verify(again, launch, workers);
    expect(await again.stop('SIGTERM')).toMatchObject({ end: 0 });
    expect(emulator.stderr() + again.stderr()).toBe('');
  },
);
