import { beforeEach, describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { emulated, emulatedOnce } from '../subject.ts';
import { send } from '../wire.ts';

type Found = Answers['GET requests'];

const subject = emulatedOnce();

const search = (filter: string, more: object = {}): Promise<Found> => {
  const query = new URLSearchParams({ filter, ...more });
  return subject.control(`requests?${query}` as 'requests');
};
const linesOf = ({ requests }: Found): string[] =>
  requests.map(({ method, about, member_name: name }) => [method, about, name].join(' '));

describe('an entry of the traffic', () => {
  test('names the owner of the row, files or grade, and the caller', async () => {
    const student = await subject.launch({ member: 'member-113' });
    const staff = await subject.launch({ role: 'instructor' });
    await student.get(student.row('member'));
    await student.get(student.row('context'));
    await student.get(student.file('member_location', 'a.txt'));
    await staff.grade({ score: 1 }, student.submit);
    await send('GET', `${subject.served.url}/apps/me`);
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
    await send('GET', `${subject.served.url}/apps/me?from=Chidi`);
  });

  test.each([
    ['method:put', ['PUT member row Chidi Costa', 'PUT context row ']],
    ['status:403', ['PUT context row ']],
    ['status:4xx', ['PUT context row ', 'GET  ']],
    ['status:403 and method:PUT', ['PUT context row ']],
    [
      'person:CHIDI',
      ['PUT member row Chidi Costa', 'PUT context row ', 'GET member row Chidi Costa'],
    ],
    ['person:"chidi costa" method:GET', ['GET member row Chidi Costa']],
    ['person:member-101', ['GET member row Chidi Costa', 'GET location row ']],
    ['person:member-1', linesOfPeople()],
    ['chidi', [...linesOfPeople().slice(0, 3), 'GET  ']],
    ['not allowed', ['PUT context row ']],
    ['"no token"', ['GET  ']],
  ])('for %s finds the requests that match all words', async (filter, lines) => {
    const found = await search(filter);
    expect(linesOf(found)).toEqual(lines);
    expect(found).toMatchObject({ found: lines.length, kept: 5, total: 5, next: null });
  });

  test('prefers the member with that ID to those whose ID begins with it', async () => {
    const students = Array.from({ length: 12 }, (_, index) => `s-${index}`);
    const members = students.map((id) => ({ id }));
    const course = { id: 'c', members, locations: [{ id: 'l', tool: 'quiz' }] };
    const seed = { tools: [{ id: 'quiz' }], courses: [course] };
    const { control, launch } = await emulated({ seed });
    for (const member of ['s-1', 's-11']) {
      const one = await launch({ member });
      await one.get(one.row('member'));
    }
    const { requests } = await control('requests?filter=person:S-1' as 'requests');
    expect(requests.map(({ member }) => member)).toEqual(['s-1']);
  });

  test('does not find a token', async () => {
    const { token } = await subject.launch();
    await send('GET', `${subject.served.url}/cb?code=${token}`);
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

test('requests are listed in pages, with the total', async () => {
  for (let sent = 0; sent < 131; sent++) {
    // Without a socket, and without a finding.
    const request = { method: 'POST', target: `/.well-known/${sent}`, headers: {} };
    const body = new Uint8Array();
    await subject.served.emulator.handle({ ...request, body, origin: 'api' });
  }
  expect(await search('')).toMatchObject({ found: 131, kept: 131, missed: 0, total: 131 });
  const pathsOf = ({ requests }: Found) => requests.map(({ path }) => path);
  const last = await search('path:known/1', { limit: 20 });
  const expected = Array.from({ length: 20 }, (_, index) => `/.well-known/${111 + index}`);
  expect([pathsOf(last), last.found]).toEqual([expected, 42]);
  const before = await search('path:known/1', { limit: 20, before: last.next });
  expect([pathsOf(before).at(-1), before.found]).toEqual(['/.well-known/110', 42]);
  const pages: Found[] = [];
  for (let next: number | null = 1e9; next !== null; next = pages.at(-1)?.next ?? null) {
    pages.push(await search('', { limit: 50, before: next }));
  }
  expect(pages.flatMap(({ requests }) => requests)).toHaveLength(131);
  const newer = await search('', { after: last.requests.at(-2)?.number });
  expect(pathsOf(newer)).toEqual(['/.well-known/130']);
});
