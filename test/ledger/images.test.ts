import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type Ledger, type NewImage, openLedger } from '../../src/ledger/index.ts';
import { Clock, openTemporary, ORIGIN, temporaryFile } from './support.ts';

const URL = `${ORIGIN}/contexts/c1/storage`;

function imageOf(before: string | Uint8Array, more: Partial<NewImage> = {}): NewImage {
  const bytes = typeof before === 'string' ? Buffer.from(before) : before;
  return { row: 'context', url: URL, command: 'storage put', before: bytes, ...more };
}

async function ids(ledger: Ledger): Promise<number[]> {
  return (await ledger.images()).map(({ id }) => id);
}

test('an image is read back byte for byte', async () => {
  const clock = new Clock();
  const ledger = await openTemporary(undefined, clock);
  const before = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
  const after = Buffer.from('{"n":1.10}');
  const id = await ledger.keepImage(imageOf(before, { url: `${URL}?signature=s`, after }));

  const image = await ledger.image(id);
  expect(Buffer.from(image?.before ?? []).equals(before)).toBe(true);
  expect(Buffer.from(image?.after ?? []).equals(after)).toBe(true);
  const { before: _, after: __, ...record } = image ?? {};
  expect(await ledger.images()).toEqual([record]);
  expect(record).toMatchObject({
    id,
    time: clock.ms,
    row: 'context',
    url: expect.stringMatching(/^https:.+~[0-9a-f]{12}$/),
    origin: ORIGIN,
    command: 'storage put',
    bytes: 1024,
    sha256: '785b0751fc2c53dc14a4ce3d800e69ef9ce1009eb327ccf458afe09c242c26c9',
    afterBytes: 10,
  });
});

test('an image of an empty row is stored, and an unknown image is not found', async () => {
  const ledger = await openTemporary();
  const id = await ledger.keepImage(imageOf(''));
  expect(await ledger.image(id)).toMatchObject({ bytes: 0, before: new Uint8Array() });
  expect((await ledger.image(id))?.after).toBeUndefined();
  expect(await ledger.image(id + 1)).toBeUndefined();
});

test('images are listed by row and URL, newest first', async () => {
  const ledger = await openTemporary();
  await ledger.keepImage(imageOf('1'));
  await ledger.keepImage(imageOf('2', { row: 'member', url: `${ORIGIN}/m1` }));
  await ledger.keepImage(imageOf('3', { row: 'member', url: `${ORIGIN}/m2` }));
  await ledger.keepImage(imageOf('4'));

  const list = async (filter: Parameters<Ledger['images']>[0]) =>
    (await ledger.images(filter)).map(({ id }) => id);
  expect(await list({})).toEqual([4, 3, 2, 1]);
  expect(await list({ row: 'member' })).toEqual([3, 2]);
  expect(await list({ url: `${ORIGIN}/m1` })).toEqual([2]);
  // Two rows may differ only in their query.
  expect(await list({ url: `${ORIGIN}/m1?s=1` })).toEqual([]);
  expect(await list({ row: 'context', url: URL, limit: 1 })).toEqual([4]);
});

test('equal bytes are stored once, and for as long as an image uses them', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  const megabyte = `"${'x'.repeat(1_000_000)}"`;
  for (let each = 0; each < 20; each += 1) {
    await ledger.keepImage(imageOf(megabyte, { after: Buffer.from(megabyte) }));
  }
  expect((await ledger.health()).bytes).toBeLessThan(4_000_000);
  await ledger.pruneImages({ keep: 1, maxAgeMs: Infinity });
  expect((await ledger.image(20))?.before).toHaveLength(1_000_002);
});

test('pruning keeps the newest images of each URL, and none older than the maximum age', async () => {
  const clock = new Clock();
  const ledger = await openTemporary(undefined, clock);
  for (const text of ['1', '2', '3']) await ledger.keepImage(imageOf(text));
  await ledger.keepImage(imageOf('4', { url: `${ORIGIN}/other` }));
  clock.ms += 1000;
  await ledger.keepImage(imageOf('5'));

  expect(await ledger.pruneImages({ keep: 2, maxAgeMs: 1000 })).toBe(2);
  expect(await ids(ledger)).toEqual([5, 4, 3]);
  expect(await ledger.pruneImages({ keep: 2, maxAgeMs: 999 })).toBe(2);
  expect(await ids(ledger)).toEqual([5]);
  clock.ms += 1_000_000;
  expect(await ledger.pruneImages({ keep: 2, maxAgeMs: 999 })).toBe(0);
});

const DAY = 24 * 60 * 60 * 1000;
const YEARS = 4 * 365 * DAY;

test.each([
  { name: 'a clock four years ahead', steps: [[YEARS, DAY]], kept: 3 },
  {
    name: 'a clock that was set back later',
    steps: [
      [YEARS, DAY],
      [-YEARS, DAY],
    ],
    kept: 4,
  },
  { name: 'a hundred days', steps: [[100 * DAY, 100 * DAY]], kept: 1 },
  { name: 'a hundred days and a restart', steps: [[100 * DAY, -DAY]], kept: 1 },
])('of two images and one more after $name, $kept are kept', async ({ steps, kept }) => {
  const clock = new Clock();
  let uptime = 2 * DAY;
  const ledger = await openLedger({ file: temporaryFile(), now: clock.now, uptime: () => uptime });
  onTestFinished(() => ledger.close());
  const limits = { keep: 100, maxAgeMs: 90 * DAY };
  for (const text of ['1', '2']) await ledger.keepImage(imageOf(text));
  for (const [wall, up] of steps as [number, number][]) {
    clock.ms += wall;
    uptime += up;
    await ledger.keepImage(imageOf('3'));
    await ledger.pruneImages(limits);
  }
  expect(await ids(ledger)).toHaveLength(kept);
});

test('a cleared image is in no file of the ledger', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  const kept = await ledger.intend({ url: URL, member: 'kept', credential: 'api_key', body: '{}' });
  await ledger.keepImage(imageOf(`{"name":"MARIE-CURIE${'.'.repeat(9000)}"}`));
  expect(await ledger.clearImages()).toBe(1);

  expect(await ledger.images()).toEqual([]);
  for (const each of [file, `${file}-wal`]) {
    expect(readFileSync(each).includes('MARIE-CURIE')).toBe(false);
  }
  await ledger.storeOutcome(kept, { kind: 'not_sent', reason: 'still writable' });
});

test('a row write is in doubt until its outcome is stored', async () => {
  const ledger = await openTemporary();
  const [first, second] = [
    await ledger.keepImage(imageOf('1')),
    await ledger.keepImage(imageOf('2')),
  ];
  await ledger.setImageOutcome(first, 'written');
  const outcomes = async () => (await ledger.images()).map(({ outcome }) => outcome);
  expect(await outcomes()).toEqual(['in_doubt', 'written']);
  await ledger.setImageOutcome(second, 'refused');
  expect((await ledger.image(second))?.outcome).toBe('refused');
});

test('a row is locked by one process until that releases it', async () => {
  const file = temporaryFile();
  const [one, other] = [await openTemporary(file), await openTemporary(file)];
  const claim = await one.lockRow(`${URL}?signature=1`);
  expect(await other.lockRow(`${URL}?signature=1`)).toBeUndefined();
  expect(await one.lockRow(`${URL}?signature=1`)).toBeUndefined();
  claim?.release();
  claim?.release();
  const again = await other.lockRow(`${URL}?signature=1`);
  expect(again).toBeDefined();
  await other.close();
  expect(await one.lockRow(`${URL}?signature=1`)).toBeDefined();
});
