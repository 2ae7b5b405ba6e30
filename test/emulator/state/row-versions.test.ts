import { expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated } from '../subject.ts';

const ROW = 'member/essay/member-111';

async function serve(options: Parameters<typeof emulated>[0] = {}) {
  const { served, launch, operate } = await emulated(options);
  const versions = async (): Promise<[by: string, text: string][]> => {
    const answer = await operate('GET', `row/versions?row=${ROW}`);
    const known = answer.json<Answers['GET row/versions']>().versions;
    const textOf = async (number: number) =>
      (await operate('GET', `row?row=${ROW}&version=${number}`)).text;
    return Promise.all(known.map(async ({ number, by }) => [by, await textOf(number)]));
  };
  return { served, launch, versions };
}

test('versions survive a restart', async () => {
  const data = `${temporaryFolder()}/data`;
  const first = await serve({ data });
  const student = await first.launch();
  await student.put(student.row('member'), { a: 1 });
  await first.served.close();
  const { launch, versions } = await serve({ data });
  expect(await versions()).toEqual([['PUT', '{"a":1}']]);
  const again = await launch();
  await again.patch(again.row('member'), [{ op: 'add', path: '/b', value: 2 }]);
  expect(await versions()).toEqual([
    ['PATCH', '{"a":1,"b":2}'],
    ['PUT', '{"a":1}'],
  ]);
});

test('a row that chaos changed has that change among its versions', async () => {
  const { launch, versions } = await serve({ chaos: { seed: 'rows', share: 1 } });
  let seen = await versions();
  for (let calls = 0; calls < 500 && seen.length === 0; calls++) {
    const student = await launch();
    await student.get(student.row('member')).catch(() => {});
    seen = await versions();
  }
  expect(seen).toEqual([['chaos', '{"written_by_another_session_1":true}']]);
});

test('the first of twenty-one versions is dropped, and the numbers continue', async () => {
  const { launch, versions } = await serve();
  const student = await launch();
  for (let step = 1; step <= 21; step++) await student.put(student.row('member'), { step });
  const known = await versions();
  expect([known.length, known[0], known.at(-1)]).toEqual([
    20,
    ['PUT', '{"step":21}'],
    ['PUT', '{"step":2}'],
  ]);
});

test('at most 32 MB of versions are kept, and the newest of each row', async () => {
  const { launch, versions, served } = await serve();
  const student = await launch();
  await student.put(student.row('member'), { a: 0 });
  await student.put(student.row('member'), { a: 1 });
  const staff = await launch({ role: 'instructor' });
  const text = 'x'.repeat(1000 * 1000);
  for (let step = 0; step < 18; step++) {
    for (const kind of ['context', 'location'] as const) {
      await staff.put(staff.row(kind), { text, step });
    }
  }
  expect(await versions()).toEqual([['PUT', '{"a":1}']]);
  const { store } = served.emulator.state;
  const bytes = store.value('SELECT sum(length(body)) FROM row_versions');
  expect(bytes).toBeGreaterThan(29 * 1024 * 1024);
  expect(bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
});
