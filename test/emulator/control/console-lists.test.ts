import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import { type Emulated, emulated, emulatedOnce, type Launch } from '../subject.ts';

const emulator = emulatedOnce();

const ask = async <Name extends keyof Answers>(
  name: Name,
  query = '',
  { operate }: Emulated = emulator,
): Promise<Answers[Name]> =>
  (await operate('GET', `${name.replace('GET ', '')}${encodeURI(query)}`)).json<Answers[Name]>();

/** Staff who grade, and attempts of three people at two placements, one of them refused. */
async function graded(): Promise<Launch> {
  const staff = await emulator.launch({ role: 'instructor', location: 'essay-1' });
  const own = staff.claims.user.member;
  const grade = (member: string, comment: string, submit = staff.submit) =>
    staff.grade({ score: 0.5, comment }, submit.replace(own, member));
  await grade('member-111', 'Größe "zählt"');
  await grade('member-112', 'a comment');
  await grade('member-111', 'again');
  const other = await emulator.launch({ role: 'instructor', location: 'essay-2' });
  await grade('member-113', 'elsewhere', other.submit);
  await emulator.control('lms', { refuse: { status: 403, body: 'locked' } });
  await grade('member-112', 'late');
  return staff;
}

describe('attempts and the gradebook', () => {
  const cases: [query: string, comments: string[]][] = [
    ['', ['late', 'elsewhere', 'again', 'a comment', 'Größe "zählt"']],
    ['?search=größe', ['Größe "zählt"']],
    ['?search=refused', ['late']],
    ['?search=amina', ['again', 'Größe "zählt"']],
    ['?status=failed', ['late']],
    ['?search=bo berg&status=success', ['a comment']],
    ['?member=member-112', ['late', 'a comment']],
    ['?member=member-112&search=a comm', ['a comment']],
    ['?limit=2', ['late', 'elsewhere']],
  ];

  test('attempts are found by their text and by their member', async () => {
    await graded();
    const found: typeof cases = [];
    for (const [query] of cases) {
      const { items } = await ask('GET attempts', query);
      found.push([query, items.map(({ comment }) => comment)]);
    }
    expect(found).toEqual(cases);
  });

  test('a list rejects a page that it did not give', async () => {
    for (const list of ['attempts', 'gradebook', 'members', 'tokens', 'rows', 'file-sets'])
      for (const after of ['x', '-1', '1.5', '1e300', '9'.repeat(30)])
        expect((await emulator.operate('GET', `${list}?after=${after}`)).status).toBe(422);
  });

  test('the gradebook has the latest score that the LMS accepted, for each person and placement', async () => {
    await graded();
    const cells = async (query: string) =>
      (await ask('GET gradebook', query)).items.map(({ member, comment }) => [member, comment]);
    expect(await cells('')).toEqual([
      ['member-111', 'again'],
      ['member-112', 'a comment'],
      ['member-113', 'elsewhere'],
    ]);
    expect(await cells('?location=essay-2')).toEqual([['member-113', 'elsewhere']]);
    expect(await cells('?search=bo')).toEqual([['member-112', 'a comment']]);
  });

  test('a page stays below the size limit for a browser, and no entry is missing', async () => {
    const staff = await graded();
    await emulator.control('lms', { ok: true });
    const comment = 'x'.repeat(200_000);
    for (let number = 0; number < 9; number++) {
      await staff.grade({ score: 0.1, comment: `${number}${comment}` });
    }
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = `attempts?limit=500&after=${encodeURIComponent(after)}`;
      const answer = await emulator.operate('GET', page);
      expect(answer.bytes.length).toBeLessThan(1024 * 1024);
      const { items, next } = answer.json<Answers['GET attempts']>();
      seen.push(...items.map(({ id }) => id));
      after = next;
    }
    expect(new Set(seen).size).toBe(14);
    expect(seen).toHaveLength(14);
  });
});

test('rows are found by their name, a person, a placement or a course', async () => {
  const { student } = emulator;
  await student.put(student.row('member'), {});
  await student.put(student.row('member_location'), {});
  const found = async (search: string) =>
    (await ask('GET rows', `?search=${search}`)).items.map(({ row }) => row);
  const own = ['member/essay/member-111', 'member_location/essay/essay-1/member-111'];
  expect(await found('amina ab')).toEqual(own);
  expect(await found('first essay')).toEqual([
    own[1],
    'location/essay/essay-1',
    'location/essay/essay-102',
  ]);
  expect(await found('history 202')).toEqual([
    'context/essay/history-202',
    'location/essay/essay-history',
  ]);
  expect(await found('biology 101')).toEqual(expect.arrayContaining(own));
  expect(await found('nobody')).toEqual([]);
});

test('rows, rows with files and files are listed in the natural order of their names', async () => {
  const rows = ['location/essay/essay-2', 'location/essay/essay-102'];
  const request = await emulator.provisionRequest({ course: 'biology-102' });
  await request.call('PUT', request.claims.provision.location);
  for (const row of rows.toReversed()) {
    expect((await emulator.operate('POST', `row?row=${row}`, { body: '{"a":1}' })).status).toBe(
      200,
    );
  }
  const { student } = emulator;
  for (const key of ['10.txt', '9.txt']) await student.upload('member', key, 'text');
  const namesOf = async (list: 'GET rows' | 'GET file-sets') =>
    (await ask(list, '?search=essay-')).items.map(({ row }) => row);
  expect((await namesOf('GET rows')).slice(0, 2)).toEqual(rows);
  const sets = await namesOf('GET file-sets');
  expect(sets.filter((row) => rows.includes(row))).toEqual(rows);
  const { items } = await ask('GET files', '?row=member/essay/member-111');
  expect(items.map(({ key }) => key)).toEqual(['9.txt', '10.txt']);
  const sorted = await ask('GET files', '?row=member/essay/member-111&sort=-key&limit=1');
  expect(sorted).toMatchObject({ items: [{ key: '10.txt' }], next: expect.any(String), total: 2 });
});

test('a row that changed after it was read is not overwritten', async () => {
  const { student } = emulator;
  const row = 'row?row=member/essay/member-111';
  const read = await emulator.operate('GET', row);
  await student.put(student.row('member'), { theirs: 1 });
  const expected = encodeURIComponent(String(read.headers.etag));
  const late = await emulator.operate('POST', `${row}&expected=${expected}`, {
    body: '{"mine":1}',
  });
  expect([late.status, late.json().error]).toMatchObject([409, { code: 'row.changed' }]);
  expect((await emulator.operate('GET', row)).text).toBe('{"theirs":1}');
});

describe('the captured requests', () => {
  const bodyOf = async (number: number) =>
    (await ask('GET request', `?number=${number}`)).captured?.request.body ?? null;

  const latest = async () => (await ask('GET requests', '?limit=1')).requests[0];
  const replayed = async () => {
    const number = (await latest())?.number ?? 0;
    return { number, ...(await emulator.operate('POST', 'requests/replay', { json: { number } })) };
  };

  test('have up to 64 KB of a body, including a byte order mark, and 16 MB of bodies in total', async () => {
    const { student } = emulator;
    const row = student.row('member');
    const put = async (body: string): Promise<number> => {
      await student.call('PUT', row, { body });
      return (await latest())?.number ?? 0;
    };
    const first = await put('\uFEFF{}');
    expect(await bodyOf(first)).toEqual({
      text: '\uFEFF{}',
      bytes: 5,
      cut: false,
      dropped: false,
    });
    const large = await put(`{"a":"${'x'.repeat(100_000)}"}`);
    const stored = await bodyOf(large);
    expect([stored?.text?.length, stored?.bytes, stored?.cut]).toEqual([65_536, 100_008, true]);
    const body = `{"a":"${'y'.repeat(70_000)}"}`;
    await Promise.all(Array.from({ length: 256 }, () => student.call('PUT', row, { body })));
    expect(await bodyOf(large)).toEqual({ text: null, bytes: 100_008, cut: true, dropped: true });
  });

  test('of a download have an empty request body', async () => {
    const { student } = emulator;
    await student.upload('member', 'notes.txt', 'hello');
    const file = await student.get(student.file('member', 'notes.txt'));
    await fetch(file.json<{ url: string }>().url);
    const request = await latest();
    expect(request?.about).toBe('download');
    expect(await bodyOf(request?.number ?? 0)).toMatchObject({ text: '', bytes: 0 });
  });

  test.each([
    ['whose body was cut', () => `{"a":"${'x'.repeat(70_000)}"}`, 'replay.not_kept'],
    ['with a token in its body', (token: string) => JSON.stringify({ token }), 'replay.redacted'],
  ])('are not sent again, a request %s', async (_, bodyWith, code) => {
    const { student } = emulator;
    await student.call('PUT', student.row('member'), { body: bodyWith(student.token) });
    const { status, json } = await replayed();
    expect([status, json().error]).toMatchObject([422, { code }]);
  });

  test('are sent again with the credential of their caller', async () => {
    const { student } = emulator;
    await student.put(student.row('member'), { a: 1 });
    const { number, json } = await replayed();
    expect(json()).toEqual({ number: number + 1, status: 204 });
  });
});

test('GET requests returns the requested number of latest requests, at most one page', async () => {
  const { student } = emulator;
  const long = `${student.row('member')}&x=${'x'.repeat(1900)}`;
  await Promise.all(Array.from({ length: 600 }, () => student.get(long)));
  const { requests } = await ask('GET requests', '?limit=3');
  const last = (await ask('GET summary')).requests;
  expect(requests.map(({ number }) => number)).toEqual([last - 2, last - 1, last]);
  const answer = await emulator.operate('GET', 'requests?limit=1000');
  expect(answer.bytes.length).toBeLessThan(1024 * 1024);
  expect(answer.json<Answers['GET requests']>().requests.at(-1)?.number).toBe(last);
  expect((await emulator.operate('GET', 'requests?limit=0')).status).toBe(422);
});

test('a search finds an ID by the start of a word in it, but not by the middle of a random ID', async () => {
  const members = [{ id: '8b96ada3', family_name: 'Moon' }];
  const locations = [{ id: 'quiz-1', tool: 'quiz' }];
  const seed = { tools: [{ id: 'quiz' }], courses: [{ id: 'biology', members, locations }] };
  const other = await emulated({ seed });
  const membersFound = async (search: string) =>
    (await ask('GET members', `?search=${search}`, other)).items.map(({ id }) => id);
  expect(await membersFound('ada')).toEqual([]);
  expect(await membersFound('8b96')).toEqual(['8b96ada3']);
});

describe('the order of a list', () => {
  test('covers the whole list and its pages', async () => {
    await graded();
    const cases: [query: string, people: string[]][] = [
      ['?sort=name&limit=3', ['member-111', 'member-111', 'member-112']],
      ['?sort=-name&limit=2', ['member-113', 'member-112']],
      ['?sort=-name&search=elsewhere', ['member-113']],
    ];
    for (const [query, expected] of cases) {
      const { items } = await ask('GET attempts', query);
      expect([query, items.map(({ member }) => member)]).toEqual([query, expected]);
    }
  });

  test('is the same in pages of two', async () => {
    await graded();
    await emulator.control('lms', { ok: true });
    // The second grade of this member is the first of its page.
    const { submit, ...staff } = await emulator.launch({ role: 'instructor', location: 'essay-2' });
    await staff.grade({ score: 0.5 }, submit.replace(staff.claims.user.member, 'member-112'));
    const lists = 'attempts? attempts?sort=-name attempts?sort=score gradebook? members?'
      .concat(
        ' gradebook?sort=points&search=essay-1 gradebook?sort=name tokens?sort=-seconds_left rows?',
      )
      .concat(' file-sets?sort=files members?course=biology-101');
    for (const list of lists.split(' ')) {
      const page = async (limit: number, after: string) => {
        const path = `${list}&limit=${limit}&after=${encodeURIComponent(after)}`;
        return (await emulator.operate('GET', path)).json<Answers['GET rows']>();
      };
      const whole = await page(500, '');
      const parts = [];
      for (let after: string | null = ''; after !== null;) {
        const { items, next, total } = await page(2, after);
        expect([list, total]).toEqual([list, whole.total]);
        parts.push(...items);
        after = next;
      }
      expect([list, parts]).toEqual([list, whole.items]);
    }
  });

  test('is rejected for a column that the list does not have', async () => {
    const { status, text } = await emulator.operate('GET', 'attempts?sort=colour');
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('sort must be one of name, location'),
    ]);
  });
});

test('a launch token is of the first external tool that is active now', async () => {
  const toolOf = async (): Promise<string> => {
    const { claims } = (await emulator.control('launch/token', {})) as { claims: Launch['claims'] };
    return claims.location.id;
  };
  expect(await toolOf()).toBe('essay-1');
  await emulator.control('tool', { tool: 'essay', action: 'suspend' });
  expect(await toolOf()).toBe('poll-1');
});

test('a launch is found by its ID, with its claims and how it ended', async () => {
  const { claims, token } = await emulator.launch({ role: 'student' });
  const id = claims.launch_id;
  const { ended, ...again } = await ask('GET launch', `?launch_id=${id}`);
  expect([again.claims, ended]).toEqual([claims, '']);
  await emulator.control('token/end', { token });
  expect((await ask('GET launch', `?launch_id=${id}`)).ended).toBe('ended by hand');
  expect((await emulator.operate('GET', 'launch?launch_id=none')).status).toBe(404);
});
