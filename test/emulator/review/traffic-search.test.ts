import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answers, Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { START, subjectOf, type Subject } from '../subject.ts';
import { send } from '../wire.ts';

type Found = Answers['GET requests'];

let served: Served;
let subject: Subject;

beforeAll(async () => {
  const options = { controlToken: 'control', pid: 1, now: () => START };
  served = await serveSeeded(options);
  subject = subjectOf(served);
});
beforeEach(() => subject.control('reset', {}));
afterAll(() => served.close());

const search = (filter: string, more: object = {}): Promise<Found> => {
  const query = new URLSearchParams({ filter, ...more });
  return subject.control(`requests?${query}` as 'requests');
};
const oneOf = (number = 0) => subject.control(`request?number=${number}` as 'request');
const linesOf = ({ requests }: Found): string[] =>
  requests.map(({ method, about, member_name: name }) => [method, about, name].join(' '));
/** Makes requests that cause no finding, without a socket. */
const flood = async (count: number, body = new Uint8Array()): Promise<void> => {
  for (let sent = 0; sent < count; sent++) {
    const target = `/.well-known/${sent}`;
    await served.emulator.handle({ method: 'POST', target, headers: {}, body, origin: 'api' });
  }
};

describe('an entry of the traffic', () => {
  test('names the owner of the row, files or grade, and the caller', async () => {
    const student = await subject.launch({ member: 'member-113' });
    const staff = await subject.launch({ role: 'instructor' });
    await student.get(student.row('member'));
    await student.get(student.row('context'));
    await student.get(student.file('member_location', 'a.txt'));
    await staff.grade({ score: 1 }, student.submit);
    await send('GET', `${served.url}/apps/me`);
    const chidi = { member: 'member-113', member_name: 'Chidi Costa' };
    const byChidi = { caller: 'member-113', caller_name: 'Chidi Costa' };
    const nothing = { member: null, member_name: '', caller: null, caller_name: '' };
    expect((await search('')).requests).toMatchObject([
      { about: 'member row', ...chidi, ...byChidi },
      { about: 'context row', member: null, ...byChidi },
      { about: 'member_location file', ...chidi, ...byChidi },
      { about: 'grade', ...chidi, caller: 'member-101', caller_name: 'Mara Lindqvist' },
      { about: null, ...nothing, credential: null },
    ]);
  });

  test('states why an attempt failed inside a 200', async () => {
    const { grade, claims } = await subject.launch({ member: 'member-113' });
    await subject.control('lms', { refuse: { members: [claims.user.member], status: 422 } });
    const { data } = (await grade({ score: 1 })).json();
    await subject.control('lms', { ok: true });
    await grade({ score: 0.5 });
    expect((await search('')).requests).toMatchObject([
      { status: 200, failure: data.error },
      { status: 200, failure: null },
    ]);
    expect(data.error).not.toBe('');
  });
});

describe('a search', () => {
  beforeEach(async () => {
    const chidi = await subject.launch({ member: 'member-113' });
    const staff = await subject.launch({ role: 'instructor' });
    await chidi.put(chidi.row('member'), { a: 1 });
    await chidi.put(chidi.row('context'), {});
    await staff.get(chidi.row('member'));
    await staff.get(staff.row('location'));
    await send('GET', `${served.url}/apps/me?from=Chidi`);
  });

  test.each([
    ['method:put', ['PUT member row Chidi Costa', 'PUT context row ']],
    ['status:403', ['PUT context row ']],
    ['status:4xx', ['PUT context row ', 'GET  ']],
    ['status:403 and method:PUT', ['PUT context row ']],
    ['status:403 method:get', []],
    [
      'person:CHIDI',
      ['PUT member row Chidi Costa', 'PUT context row ', 'GET member row Chidi Costa'],
    ],
    ['person:"chidi costa" method:GET', ['GET member row Chidi Costa']],
    ['person:member-101', ['GET member row Chidi Costa', 'GET location row ']],
    ['person:member-1', linesOfPeople()],
    ['path:/APPS/', ['GET  ']],
    ['path:apps person:chidi', []],
    ['chidi', [...linesOfPeople().slice(0, 3), 'GET  ']],
    ['not allowed', ['PUT context row ']],
    ['"no token"', ['GET  ']],
    ['nothing-of-that-name', []],
  ])('for %s finds the requests that match all words', async (filter, lines) => {
    const found = await search(filter);
    expect(linesOf(found)).toEqual(lines);
    expect(found).toMatchObject({ found: lines.length, kept: 5, total: 5, next: null });
  });

  test('prefers the member with that ID to those whose ID begins with it', async () => {
    const students = Array.from({ length: 12 }, (_, index) => `s-${index}`);
    const seed = {
      tools: [{ id: 'quiz' }],
      courses: [
        {
          id: 'c',
          members: students.map((id) => ({ id })),
          locations: [{ id: 'l', tool: 'quiz' }],
        },
      ],
    };
    const other = await serveSeeded({ controlToken: 'control', pid: 1, seed });
    try {
      const tool = subjectOf(other);
      for (const member of ['s-1', 's-11']) {
        const launch = await tool.launch({ member });
        await launch.get(launch.row('member'));
      }
      const { requests } = await tool.control('requests?filter=person:S-1' as 'requests');
      expect(requests.map(({ member }) => member)).toEqual(['s-1']);
    } finally {
      await other.close();
    }
  });

  test('does not find a token', async () => {
    const { token } = await subject.launch();
    await send('GET', `${served.url}/cb?code=${token}`);
    expect((await search(token.slice(0, 20))).found).toBe(0);
    expect((await search('path:/cb')).found).toBe(1);
  });
});

function linesOfPeople(): string[] {
  return [
    'PUT member row Chidi Costa',
    'PUT context row ',
    'GET member row Chidi Costa',
    'GET location row ',
  ];
}

describe('the traffic keeps', () => {
  test('requests in pages, with the total, and lists 10,000 without a limit', async () => {
    await flood(10_031);
    const all = await search('');
    expect(all).toMatchObject({ found: 10_031, kept: 10_031, missed: 0, total: 10_031 });
    expect(all.requests[0]?.path).toBe('/.well-known/31');
    expect(all.requests).toHaveLength(10_000);
    const last = await search('path:known/10', { limit: 20 });
    expect(last.requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `/.well-known/${10_011 + index}`),
    );
    expect(last.found).toBe(142);
    const before = await search('path:known/10', { limit: 20, before: last.next });
    expect(before.requests.at(-1)?.path).toBe('/.well-known/10010');
    expect(before.found).toBe(142);
    const pages: Found[] = [];
    for (let next: number | null = 1e9; next !== null; next = pages.at(-1)?.next ?? null) {
      pages.push(await search('', { limit: 4000, before: next }));
    }
    expect(pages.flatMap(({ requests }) => requests)).toHaveLength(10_031);
    const newer = await search('', { after: last.requests.at(-2)?.number });
    expect(newer.requests.map(({ path }) => path)).toEqual(['/.well-known/10030']);
  });

  test('headers and bodies of the latest 10,000, and the facts of those that a finding cites later', async () => {
    const [one, other] = [
      await subject.launch({ role: 'instructor' }),
      await subject.launch({ role: 'assistant' }),
    ];
    await one.put(one.row('context'), { title: 'A' });
    await other.put(other.row('context'), { title: 'B' });
    await flood(10_000);
    await one.put(one.row('context'), { title: 'C' });
    const { findings } = await subject.control('report');
    const { requests } = await search('method:PUT');
    const [first, second, last] = requests.map(({ number }) => number);
    expect(findings).toMatchObject([
      { code: 'request.value_overwritten', requests: [second, last] },
    ]);
    expect(await oneOf(second)).toMatchObject({ caller_name: 'Tomas Okafor', captured: null });
    expect((await oneOf(last)).captured?.request.body?.text).toBe('{"title":"C"}');
    expect(first).toBeLessThan(second ?? 0);
  });

  test('16 MB of bodies, and reports which were dropped', async () => {
    await flood(300, new Uint8Array(70_000).fill(97));
    const { requests } = await search('');
    expect(requests).toHaveLength(300);
    const bodyOf = async (at: number) => {
      const number = requests.at(at)?.number;
      const whole = await oneOf(number);
      return whole.captured?.request.body;
    };
    expect(await bodyOf(0)).toEqual({ text: null, bytes: 70_000, cut: true, dropped: true });
    const text = 'a'.repeat(65_536);
    expect(await bodyOf(-1)).toEqual({ text, bytes: 70_000, cut: true, dropped: false });
  });
});
