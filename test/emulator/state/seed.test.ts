import { normalize } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import {
  checkSeed,
  createEmulator,
  EXAMPLE_SEED,
  SeedError,
  type Seed,
} from '../../../src/emulator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated } from '../subject.ts';

/** A valid seed with one part replaced. */
const KEY = { id: 'a', api_key: 'key_a' };
function seedWith(change: {
  tool?: object;
  more?: object[];
  course?: object;
  member?: object;
  location?: object;
}) {
  return {
    tools: [
      { id: 'quiz', versions: [{ number: 1 }, { number: 3 }], current: 3, ...change.tool },
      { id: 'hosted', hosted: true },
      ...(change.more ?? []),
    ],
    courses: [
      { id: 'old', locations: [{ id: 'old-1', tool: 'quiz' }] },
      {
        id: 'new',
        copy_of: 'old',
        codes: { quiz: '1', hosted: 'current' },
        members: [
          { id: 'm-1', user: 'u-1', groups: ['instructor'] },
          { id: 'm-2', user: 'u-2', ...change.member },
        ],
        students: 2,
        locations: [
          { id: 'new-1', tool: 'quiz', copy_of: 'old-1', points: 2.5, ...change.location },
        ],
        ...change.course,
      },
    ],
  };
}

describe('a valid seed', () => {
  test('without a current version has the last published one', () => {
    const inReview = { number: 5, visibility: 'public', state: 'in_review' } as const;
    const tools = [{ id: 'quiz', versions: [{ number: 3 }, inReview] }];
    const locations = [{ id: 'one', tool: 'quiz' }];
    const emulator = createEmulator({
      seed: { tools, courses: [{ id: 'c', students: 1, locations }] },
    });
    expect(emulator.launch()).toMatchObject({ version: { number: 3 } });
  });

  test.each([
    ['the base of these tests', seedWith({})],
    ['a minimal one', { tools: [{ id: 't' }], courses: [{ id: 'c' }] }],
    [
      'one with rows of each kind',
      {
        ...seedWith({}),
        rows: [
          { row: 'context/quiz/new', data: { a: 1 } },
          { row: 'location/quiz/new-1', data: '{"a": 1.10}' },
          { row: 'member/quiz/m-1', files: [{ key: 'a.txt', size: 0 }] },
          { row: 'member_location/quiz/new-1/new-student-2' },
        ],
      },
    ],
  ])('passes the check: %s', (_name, seed) => {
    expect(checkSeed(seed)).toEqual([]);
  });
});

test('an invalid seed with a wrong shape has the faults of its names too, and no others', () => {
  const seed = {
    tools: [
      { id: 'quiz', name: 5 },
      { id: 'poll', pilot: 9, colour: 'red' },
    ],
    courses: [
      {
        id: 'a',
        students: 'many',
        locations: [{ id: 'l' }, { id: 'm', tool: 'quizz' }, 'n', { id: 'o', tool: 7 }],
      },
      { id: 'a' },
    ],
  };
  const shape = [
    '/tools/0/name',
    '/tools/1/colour',
    '/courses/0/students',
    '/courses/0/locations/0',
    '/courses/0/locations/2',
    '/courses/0/locations/3/tool',
  ];
  const names = ['/tools/1/pilot', '/courses/1/id', '/courses/0/locations/1/tool'];
  expect(
    checkSeed(seed)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual([...shape, ...names].toSorted());
});

function expectFault(seed: unknown, path: string, message: RegExp): void {
  const faults = checkSeed(seed);
  expect(faults.map((fault) => fault.path)).toContain(path);
  expect(faults.find((fault) => fault.path === path)?.message).toMatch(message);
  expect(faults.every(({ hint }) => hint !== '')).toBe(true);
}

const row = 'member/quiz/m-1';
const small = { key: 'a', size: 1 };
const size = 25 * 1024 * 1024;
const larger = { key: 'a', size: size + 1 };
const five = [0, 1, 2, 3, 4].map((n) => ({ key: `k${n}`, size }));
test.each<[string, unknown[], string, RegExp]>([
  ['no object', [5], '/rows/0', /must be an object/],
  ['an unknown member', [{ row: 'member/quiz/m-9' }], '/rows/0/row', /no row/],
  ['a tool without a placement', [{ row: 'context/hosted/new' }], '/rows/0/row', /no row/],
  ['a row twice', [{ row }, { row }], '/rows/1', /at \/rows\/0/],
  ['data that is a list', [{ row, data: '[]' }], '/rows/0/data', /JSON object/],
  ['too much data', [{ row, data: { a: 'x'.repeat(524_288) } }], '/rows/0/data', /512 KB/],
  ['a bad key', [{ row, files: [{ key: '..', size: 1 }] }], '/rows/0/files/0/key', /key/],
  ['a file twice', [{ row, files: [small, small] }], '/rows/0/files/1/key', /duplicate/],
  ['too large a file', [{ row, files: [larger] }], '/rows/0/files/0/size', /26214400/],
  ['too many bytes', [{ row, files: five }], '/rows/0/files/4', /100 MB/],
])('an invalid row of a seed is reported: %s', (_name, rows, path, message) =>
  expectFault({ ...seedWith({}), rows }, path, message),
);

describe('an invalid seed', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['not an object', [], '', /must be an object, not an array/],
    ['an empty object', {}, '', /tools is missing/],
    ['no courses', { tools: [{ id: 't' }], courses: [] }, '/courses', /at least 1/],
    [
      'a key twice',
      seedWith({ more: [KEY, { ...KEY, id: 'b' }] }),
      '/tools/3/api_key',
      /duplicate/,
    ],
    ['an unknown field', { ...seedWith({}), 'a/b': 1 }, '/a~1b', /unknown field "a\/b"/],
  ])('is reported: %s', (_name, seed, path, message) => expectFault(seed, path, message));

  type Part = 'tool' | 'course' | 'member' | 'location';
  const PLACES: Record<Part, string> = {
    tool: '/tools/0',
    course: '/courses/1',
    member: '/courses/1/members/1',
    location: '/courses/1/locations/0',
  };
  const twice = [{ number: 3 }, { number: 3 }];
  const secret = [{ number: 3, visibility: 'secret' }];

  test.each<[part: Part, change: object, path: string, message: RegExp]>([
    ['tool', { id: 'a/b' }, '/id', /must be an ID/],
    ['tool', { id: 'hosted' }, '/../1/id', /at \/tools\/0/],
    ['tool', { api_key: 'a b' }, '/api_key', /a key/],
    ['tool', { api_key: 'a', hosted: true }, '/api_key', /a hosted tool has no API key/],
    ['tool', { callback: 'https://a.example', hosted: true }, '/callback', /no server/],
    ['tool', { callback: 'http://127.0.0.1.example.com/' }, '/callback', /a URL of the tool/],
    ['tool', { current: 2 }, '/current', /no version 2/],
    ['tool', { versions: twice }, '/versions/1', /duplicate of/],
    ['tool', { versions: secret }, '/versions/0/visibility', /one of private, unlisted, public/],
    ['course', { id: 'old' }, '/id', /duplicate of/],
    ['course', { id: 'x', copy_of: 'x' }, '/copy_of', /itself/],
    ['course', { copy_of: 'x' }, '/copy_of', /no course x/],
    ['course', { students: 1e9 }, '/students', /whole/],
    ['course', { codes: { x: '1' } }, '/codes/x', /no tool x/],
    ['course', { codes: { quiz: 'pilot' } }, '/codes/quiz', /no version pilot/],
    ['member', { id: 'm-1' }, '/id', /duplicate of/],
    ['member', { user: 'u-1' }, '/user', /duplicate of/],
    ['member', { user: 'user-of-new-student-2' }, '/user', /duplicate of/],
    ['member', { id: 'new-student-2' }, '/../../students', /duplicate of/],
    ['location', { id: 'old-1' }, '/id', /duplicate of/],
    ['location', { points: 0 }, '/points', /greater than 0/],
    ['location', { copy_of: 'x' }, '/copy_of', /no location x/],
    ['location', { tool: 'hosted' }, '/copy_of', /no location old-1 of the tool/],
  ])('is reported: a %s with %j', (part, change, path, message) => {
    expectFault(seedWith({ [part]: change }), normalize(PLACES[part] + path), message);
  });

  test('creates no emulator', () => {
    const make = () => createEmulator({ seed: { tools: [], courses: [] } });
    expect(make).toThrow(SeedError);
    expect(make).toThrow('invalid seed at /tools: must have at least 1 element');
  });
});

describe('the world', () => {
  test('of the example has a course of 200 students, three placements and one copied course', async () => {
    const { control, launch, provisionRequest } = await emulated({ seed: EXAMPLE_SEED });
    const { members, locations } = await control('state');
    const isIn = (course: string) => (each: { course: string }) => each.course === course;
    const first = members.filter(isIn('astronomy-2026'));
    const students = first.filter(({ groups }) => groups.includes('student'));
    expect([students.length, first.length]).toEqual([200, 203]);
    expect(locations.filter(isIn('astronomy-2026'))).toHaveLength(3);
    const staff = await launch({ role: 'instructor', tool: 'observations' });
    expect(staff.claims.version).toEqual({ number: 1, upgrade: 2 });
    const last = staff.submit.replace(staff.claims.user.member, String(students.at(-1)?.id));
    expect((await staff.grade({ score: 1 }, last)).json().status).toBe('success');
    const request = await provisionRequest();
    expect(request.claims.context).toBe('astronomy-2027');
    expect((await request.get(request.row('parent_location'))).text).toBe('{}');
    expect((await request.get(request.row('location'))).status).toBe(422);
  });

  test('of the example has the code of the default tool, also after a reset', async () => {
    const { control } = await emulated({ seed: EXAMPLE_SEED });
    for (const _ of ['start', 'reset']) {
      expect(await control('launch', {})).toMatchObject({ tool: 'reading-notes', hosted: true });
      const { codes } = await control('state');
      expect(codes).toMatchObject([{ tool: 'reading-notes', version: 1, files: 3 }]);
      await control('reset', {});
    }
  });

  test('equals the seed after a reset, also after a restart', async () => {
    const data = temporaryFolder();
    const seeds = [seedWith({}), undefined, { tools: [{ id: 'other' }], courses: [{ id: 'c' }] }];
    const seen: unknown[] = [];
    for (const seed of seeds as Seed[]) {
      const { served, control, close } = await emulated({ data, ...(seed && { seed }) });
      const tools = async () => (await control('state')).tools.map(({ id }) => id);
      const before = await tools();
      await control('reset', {});
      seen.push([served.emulator.isNew, before, await tools()]);
      await close();
    }
    expect(seen).toEqual([
      [true, ['quiz', 'hosted'], ['quiz', 'hosted']],
      [false, ['quiz', 'hosted'], ['quiz', 'hosted']],
      [false, ['quiz', 'hosted'], ['other']],
    ]);
  });

  test('keeps its order over a restart: the first tool is the same', async () => {
    const data = temporaryFolder();
    const seed = { tools: [{ id: 'z' }, { id: 'a' }], courses: [{ id: 'y' }, { id: 'b' }] };
    const first = await emulated({ data, seed });
    await first.control('tool', { action: 'suspend' });
    await first.close();
    const { tools } = await (await emulated({ data })).control('state');
    expect(tools.map(({ id, status }) => `${id} ${status}`)).toEqual(['z suspended', 'a active']);
  });
});
