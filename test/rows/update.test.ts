import { runInNewContext } from 'node:vm';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as lectern from '../../src/index.ts';
import { keepImage } from '../../src/rows/images.ts';
import { withRowLock } from '../../src/rows/lock.ts';
import { isSameRow, parseStoredRow } from '../../src/rows/row.ts';
import { Clock, openTemporary } from '../ledger/support.ts';
import { startEmulator } from '../support/emulator.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';

type State = Record<string, unknown>;

/** A member row of an emulator, which has this content. */
async function startRow(text = '{}') {
  const emulator = await startEmulator();
  const claims = await emulator.launch({ role: 'student' });
  const client = lectern.createClient(lectern.credentialOf(claims));
  atEnd(() => client.close());
  const row = lectern.openRow(client, claims, 'member');
  await client.putRow(row.url, new TextEncoder().encode(text));
  const stored = async (): Promise<string> => (await lectern.readRow(row)).text;
  const requests = async (): Promise<string[]> =>
    (await emulator.control('GET requests')).requests.map(({ method }) => method);
  return { row, stored, requests };
}

async function openLedger(file = join(temporaryFolder(), 'ledger.sqlite')) {
  const ledger = await lectern.openLedger({ file });
  atEnd(() => ledger.close());
  return ledger;
}

const increment = (state: State): State => ({ ...state, count: Number(state.count ?? 0) + 1 });

function times<Value>(count: number, act: (index: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}

describe('changes of one row at the same time', () => {
  test.each([
    ['with a ledger', true],
    ['without a ledger', false],
  ])('20 concurrent increments %s all arrive', async (_, isKept) => {
    const { row, stored } = await startRow();
    const ledger = isKept ? await openLedger() : undefined;
    const results = await times(20, () => lectern.updateRow(row, increment, { ledger }));
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(20).fill('written'));
    expect(await stored()).toBe('{"count":20}');
  });

  test('all increments through two handles of one ledger file are stored', async () => {
    const { row, stored } = await startRow();
    const file = join(temporaryFolder(), 'ledger.sqlite');
    const ledgers = [await openLedger(file), await openLedger(file)];
    await times(10, (index) => lectern.updateRow(row, increment, { ledger: ledgers[index % 2] }));
    expect(await stored()).toBe('{"count":10}');
  });

  test('an update that fails lets the next one continue', async () => {
    const { row, stored } = await startRow();
    const failed = lectern.updateRow(row, () => Promise.reject(new Error('no idea')));
    const next = lectern.updateRow(row, increment);
    await expect(failed).rejects.toThrow('no idea');
    expect((await next).outcome).toBe('written');
    expect(await stored()).toBe('{"count":1}');
  });

  test('a lock that cannot be released does not hold up the next write', async () => {
    const row = { url: 'https://service.example/row', label: 'member' };
    const release = (): void => {
      throw new Error('the file was removed');
    };
    const locks = { lockRow: async () => ({ release }) };
    await expect(withRowLock(row, { locks }, async () => 1)).rejects.toThrow('was removed');
    expect(await withRowLock(row, {}, async () => 2)).toBe(2);
  });

  test('patchRow waits for an update of the same row', async () => {
    const { row, stored } = await startRow();
    const [first] = await Promise.all([
      lectern.updateRow(row, increment),
      lectern.patchRow(row, [{ op: 'replace', path: '/count', value: 10 }]),
    ]);
    expect(first.outcome).toBe('written');
    expect(await stored()).toBe('{"count":10}');
  });

  test('a row that is being updated does not hold up another row', async () => {
    const [held, free] = [await startRow(), await startRow()];
    const ledger = await openLedger();
    const end = new AbortController();
    const waiting = lectern.updateRow(
      held.row,
      async (state) => {
        await once(end.signal, 'abort');
        return increment(state);
      },
      { ledger },
    );
    await lectern.updateRow(free.row, increment, { ledger });
    expect(await free.stored()).toBe('{"count":1}');
    end.abort();
    await waiting;
    expect(await held.stored()).toBe('{"count":1}');
  });

  test('a signal ends the wait for another update, and nothing is sent', async () => {
    const { row, stored } = await startRow();
    const [begun, end, stop] = [
      new AbortController(),
      new AbortController(),
      new AbortController(),
    ];
    const first = lectern.updateRow(row, async (state) => {
      begun.abort();
      await once(end.signal, 'abort');
      return increment(state);
    });
    await (begun.signal.aborted || once(begun.signal, 'abort'));
    const second = lectern.updateRow(row, increment, { signal: stop.signal });
    const third = lectern.updateRow(row, increment);
    stop.abort();
    await expect(second).rejects.toBeInstanceOf(lectern.InterruptedError);
    end.abort();
    await Promise.all([first, third]);
    expect(await stored()).toBe('{"count":2}');
  });

  test('writeRow leaves a row alone that has changed since it was read', async () => {
    const { row, stored, requests } = await startRow('{"a":1}');
    const before = await lectern.readRow(row);
    await lectern.updateRow(row, (state) => ({ ...state, b: 2 }));
    const sent = (await requests()).length;
    const write = { command: 'script', method: 'PUT', body: '{"a":3}', before, after: undefined };
    await expect(lectern.writeRow(row, write as lectern.RowWrite)).rejects.toMatchObject({
      name: 'ChangedError',
      code: 'row.changed',
    });
    expect((await requests()).slice(sent)).toEqual(['GET']);
    expect(await stored()).toBe('{"a":1,"b":2}');
  });
});

describe('the value that the callback returns', () => {
  class Theme {
    name = 'dark';
  }
  const LONG = 'x'.repeat(200);
  const loop: State = {};
  loop.self = loop;
  const deep: State = {};
  for (let level = 0, at = deep; level < 3000; level++) at = at.in = {};

  const REFUSED: [name: string, value: unknown, code: string, words: string][] = [
    ['NaN', { a: { b: [1, Number.NaN] } }, 'body.syntax', '/a/b/1'],
    ['Infinity', { 'a/b': Number.POSITIVE_INFINITY }, 'body.syntax', '/a~1b'],
    ['-Infinity', { a: Number.NEGATIVE_INFINITY }, 'body.syntax', '/a'],
    ['undefined in an array', { a: [undefined] }, 'body.syntax', '/a/0'],
    ['a hole in an array', { a: Array(1) }, 'body.syntax', '/a/0'],
    ['a function', { a: () => 1 }, 'body.syntax', '/a'],
    ['a symbol', { a: Symbol('a') }, 'body.syntax', '/a'],
    ['a bigint', { a: 1n }, 'body.syntax', '/a'],
    ['a Map', { a: new Map([['b', 1]]) }, 'body.syntax', '/a'],
    ['an object of a class', { a: new Theme() }, 'body.syntax', '/a'],
    ['an object that contains itself', loop, 'body.syntax', '/self'],
    ['NaN in 200 characters', { [LONG.slice(1)]: Number.NaN }, 'body.syntax', `/${LONG.slice(1)}"`],
    ['NaN in 201 characters', { [LONG]: Number.NaN }, 'body.syntax', `/${LONG.slice(1)}…`],
    ['3,000 levels of objects', deep, 'body.syntax', '1000'],
    ['an array as the row', [1], 'body.not_object', 'an array'],
    ['undefined as the row', undefined, 'body.not_object', 'undefined'],
    ['null as the row', null, 'body.not_object', 'null'],
    ['a number as the row', 3, 'body.not_object', 'a number'],
  ];
  test('is refused if it is no JSON object, and nothing is sent', async () => {
    const { row, requests } = await startRow('{"a":1}');
    const sent = (await requests()).length;
    for (const [name, value, code, words] of REFUSED) {
      const error = await lectern.updateRow(row, () => value as object).catch((each) => each);
      expect(error, name).toBeInstanceOf(lectern.InvalidError);
      expect(error, name).toMatchObject({ code, message: expect.stringContaining(words) });
    }
    expect((await requests()).slice(sent)).toEqual(REFUSED.map(() => 'GET'));
  });

  test('may have undefined members, which are removed, dates, and objects of another realm', async () => {
    const { row, stored } = await startRow('{"a":1,"b":2}');
    // Jest runs tests in such a realm.
    const b: unknown = runInNewContext('({ c: [1] })');
    await lectern.updateRow(row, (state) => ({ ...state, a: undefined, b, at: new Date(0) }));
    expect(await stored()).toBe('{"b":{"c":[1]},"at":"1970-01-01T00:00:00.000Z"}');
  });

  test('may have 1,000 levels, the limit of reading', async () => {
    const { row, stored } = await startRow('{"a":1.10}');
    const wanted = `{"a":1.10,"b":${'[{"c":'.repeat(495)}1${'}]'.repeat(495)}}`;
    await lectern.updateRow(row, () => JSON.parse(wanted) as object);
    expect(await stored()).toBe(wanted);
    await lectern.updateRow(row, () => JSON.parse(wanted.replace('1}', '2}')) as object);
    expect(await stored()).toBe(wanted.replace('1}', '2}'));
  });

  test('may be the same value again: nothing is sent', async () => {
    const { row, requests } = await startRow('{"a":1e400,"b":-0,"c":1.10}');
    const sent = (await requests()).length;
    expect(await lectern.updateRow(row, (state) => state)).toEqual({
      outcome: 'unchanged',
      image: undefined,
    });
    expect((await requests()).slice(sent)).toEqual(['GET']);
  });
});

describe('patchRow', () => {
  test.each([
    ['NaN', Number.NaN],
    ['a number in an array', [1, Number.POSITIVE_INFINITY]],
  ])('refuses %s as a value, and sends nothing', async (_, value) => {
    const { row, requests } = await startRow('{"a":1}');
    const sent = (await requests()).length;
    const patch = lectern.patchRow(row, [{ op: 'replace', path: '/a', value }]);
    await expect(patch).rejects.toMatchObject({ name: 'InvalidError', code: 'body.syntax' });
    expect((await requests()).slice(sent)).not.toContain('PATCH');
  });
});

describe('numbers that JavaScript cannot represent', () => {
  const HUGE = '9007199254740993';

  test.each<[string, string, (state: State) => object, string]>([
    [
      'beside changes in the same object',
      `{"a":{"w":0,"x":1,"y":2,"big":${HUGE},"d":1.10}}`,
      ({ a }) => ({ a: { ...(a as State), w: 4, x: 5, y: 6 } }),
      `{"a":{"w":4,"x":5,"y":6,"big":${HUGE},"d":1.10}}`,
    ],
    [
      'after inserted elements',
      `{"list":[{"n":${HUGE}},{"n":1e400}]}`,
      ({ list }) => {
        const [one, two] = list as State[];
        return { list: [{ n: 1 }, one, { n: 2 }, two] };
      },
      `{"list":[{"n":1},{"n":${HUGE}},{"n":2},{"n":1e400}]}`,
    ],
    [
      'until null replaces them',
      '{"a":1e400,"b":1}',
      () => ({ a: null, b: 1 }),
      '{"a":null,"b":1}',
    ],
    [
      'beside arrays that become objects, and objects that become arrays',
      '{"a":[1.10],"b":{"c":1.10},"d":1.10}',
      ({ d }) => ({ a: { e: 2 }, b: [3], d }),
      '{"a":{"e":2},"b":[3],"d":1.10}',
    ],
  ])('keep their digits %s', async (_, before, change, after) => {
    const { row, stored } = await startRow(before);
    expect((await lectern.updateRow(row, change)).outcome).toBe('written');
    expect(JSON.parse(await stored())).toEqual(JSON.parse(after));
    expect((await stored()).match(/[0-9.e]+/g)?.sort()).toEqual(after.match(/[0-9.e]+/g)?.sort());
  });

  test('are rejected with their position if they move, and nothing is sent', async () => {
    const { row, requests } = await startRow(`{"a":${HUGE},"b":1}`);
    const sent = (await requests()).length;
    const moved = lectern.updateRow(row, ({ a }) => ({ b: 1, inner: { a } }));
    await expect(moved).rejects.toMatchObject({
      name: 'InvalidError',
      code: 'body.lossy_number',
      message: expect.stringContaining('/inner/a'),
    });
    expect((await requests()).slice(sent)).toEqual(['GET']);
  });
});

test.each([
  [0, 0],
  [50, 1],
  [150_000, 1],
])('a row that another process writes for %d ms is written then', async (busyMs, expected) => {
  const { slept, waits, done } = await afterBusy(busyMs);
  expect({ slept, waits }).toEqual({ slept: busyMs, waits: expected });
  expect(await done).toBe('done');
});

test('a row that another process writes for longer than 150 seconds is refused', async () => {
  const { done } = await afterBusy(150_001);
  await expect(done).rejects.toThrow('for over 150 s; nothing was sent');
});

/** Locks a row that is free after some milliseconds, and locks it again. */
async function afterBusy(busyMs: number) {
  let [slept, waits] = [0, 0];
  const options = {
    locks: { lockRow: async () => (slept < busyMs ? undefined : { release: () => {} }) },
    clock: { sleep: async (ms: number) => void (slept += ms) },
    onWait: () => void (waits += 1),
  };
  const row = { url: `https://service.example/${busyMs}`, label: 'context' };
  const lock = (): Promise<string> => withRowLock(row, options, async () => 'done');
  const done = lock()
    .then(() => setImmediate())
    .then(lock);
  await done.catch(() => {});
  return { slept, waits, done };
}

test('the newest 100 before-images of a row are kept, for 90 days', async () => {
  const clock = new Clock();
  const ledger = await openTemporary(undefined, clock);
  const row = { url: 'https://service.example/row', label: 'context' };
  const before = parseStoredRow(Buffer.from('{"a":1}'));
  const after = before as lectern.Row;
  const keep = async (writes = 1): Promise<void> => {
    for (let at = 0; at < writes; at += 1) {
      await keepImage(ledger, row, { command: 'x', before, after });
    }
  };
  await keep(101);
  expect(await ledger.images()).toHaveLength(100);
  expect((await ledger.images())[0]).toMatchObject({ bytes: 7, afterBytes: 7 });
  clock.ms += 90 * 86_400_000;
  await keep();
  expect(await ledger.images()).toHaveLength(100);
  clock.ms += 1;
  await keep();
  expect(await ledger.images()).toHaveLength(2);
});

test.each([
  ['{"a":1}', ' {"a": 1}', true],
  ['{"a":1}', '{"a":1.0}', false],
  ['[1]', '[1]', true],
  ['[1]', '[1] ', false],
  ['[1]', '{}', false],
  ['{}', '[1]', false],
])('the rows %s and %s are the same: %s', (one, other, expected) => {
  const [first, second] = [one, other].map((text) => parseStoredRow(Buffer.from(text)));
  expect(first && second && isSameRow(first, second)).toBe(expected);
});
