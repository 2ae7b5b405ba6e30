import { expect, test } from 'vitest';
import { claimAt } from '../../../src/contract/claims.ts';
import type { Choices } from '../../../src/emulator/freedom/vary.ts';
import type { LaunchRequest, ServeOptions } from '../../../src/emulator/index.ts';
import { gate } from '../../support/scope.ts';
import { emulated, type Launch, seedOf } from '../subject.ts';
import { formOf, send } from '../wire.ts';

const START = Date.UTC(2026, 9, 13, 9);

/** An emulator for a tool, whose time passes when the test says so. */
async function started(options: ServeOptions = {}) {
  let now = START;
  const wait = (ms: number): void => void (now += ms);
  // A response that is late comes when the test says so.
  const [delayed, sent] = [gate(), gate()];
  const sleep = (): Promise<void> => {
    delayed.open();
    return sent.opened;
  };
  const emulator = await emulated({ now: () => now, sleep, ...options });
  const found = async () => {
    const { findings } = await emulator.control('report');
    // A refusal by the code of the contract.
    return findings.map(({ code, message }) =>
      code === 'request.refused' ? (/with \d+ ([^\s:]+)/.exec(message)?.[1] ?? message) : code,
    );
  };
  return { ...emulator, wait, found, late: { delayed: delayed.opened, send: sent.open } };
}

type Tool = Awaited<ReturnType<typeof started>>;

interface Form {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

const upload = ({ url, fields }: Form) => send('POST', url, formOf(fields, 'hello'));

/** Who launches a tool; a digit behind it is another launch of the same person. */
const PEOPLE: Readonly<Record<string, LaunchRequest>> = {
  tool: {},
  student: { role: 'student' },
  bo: { member: 'member-112' },
  teacher: { role: 'instructor' },
  assistant: { role: 'assistant' },
  freshman: { course: 'biology-102' },
  newcomer: { course: 'biology-102', role: 'instructor' },
};

/** The calls of a tool so far. */
interface Played extends Tool {
  /** `server` has the provision request. */
  readonly launchOf: (name: string) => Promise<Launch>;
  readonly forms: Map<string, Form>;
  /** The address of the latest download. */
  readonly links: string[];
}

type Verb = (by: Launch, words: readonly string[], played: Played) => Promise<unknown>;

const sends =
  (hasToken: boolean): Verb =>
  ({ claims, token }, [method = '', to = '', json, type = 'application/json'], { served }) => {
    // `{claim}` is a claim of the launch, and `a:b` behind a text replaces a part of it.
    const fill = (text: string): string =>
      text.replace(/\{([\w.]+)(?:\|(.*?):(.*?))?\}/g, (_, path, from = '', by = '') =>
        String(claimAt(claims as never, path)).replace(from, by),
      );
    const url = to.startsWith('/') ? served.url + fill(to) : fill(to);
    const body = json && { body: fill(json), headers: { 'content-type': type } };
    return send(method, url, { ...(hasToken && { token }), ...body });
  };

const VERBS: Readonly<Record<string, Verb>> = {
  enters: async () => {},
  leaves: ({ token }, _, { control }) => control('token/end', { token }),
  reads: (by, [row = 'member']) => by.get(by.row(row as 'member')),
  'reads-of': async (by, [whom = ''], { launchOf }) => by.get((await launchOf(whom)).row('member')),
  puts: (by, [row, json = '']) => by.put(by.row(row as 'member'), JSON.parse(json)),
  adds: (by, [row, key]) =>
    by.patch(by.row(row as 'member'), [{ op: 'add', path: `/${key}`, value: 1 }]),
  grades: async (by, [score, whom], { launchOf }) =>
    by.grade({ score: Number(score) }, whom && (await launchOf(whom)).submit),
  'grades-by-key': async (by, [score], { control }) => {
    const { api_key: token } = await control('key', {});
    return send('POST', by.submit, { token, json: { score: Number(score) } });
  },
  declares: async (by, [key = '', size = '5'], { forms }) => {
    const answer = await by.call('PUT', by.file('member', key), { json: { size: Number(size) } });
    forms.set(key, answer.json());
    return answer;
  },
  uploads: (_, [key = '', more], { forms }) => {
    const { url, fields } = forms.get(key) as Form;
    return upload({ url, fields: { ...(more && { [more]: '1' }), ...fields } });
  },
  'asks-for': async (by, [key = ''], { links }) => {
    const answer = await by.get(by.file('member', key));
    if (answer.isSuccess) links.unshift(answer.json().url);
    return answer;
  },
  downloads: (_, __, { links }) => send('GET', links[0] ?? ''),
  removes: (by, [key = '']) => by.call('DELETE', by.file('member', key)),
  sends: sends(true),
  'sends-bare': sends(false),
};

/**
 * Plays calls, one a line: who makes it, or `emulator`; what; and its words. The first one of a person
 * launches the tool. A call is `lost` whose connection a fault closes, and `=> 403` is its status.
 */
async function play(tool: Tool, calls: string): Promise<void> {
  const launches = new Map<string, Promise<Launch>>();
  const launchOf = (name: string): Promise<Launch> => {
    const launched = () =>
      name === 'server'
        ? tool.provisionRequest()
        : tool.launch(PEOPLE[name.replace(/\d$/, '')] as LaunchRequest);
    const known = launches.get(name) ?? launched();
    launches.set(name, known);
    return known;
  };
  const played: Played = { ...tool, launchOf, forms: new Map(), links: [] };
  const operate = async (operation: string, json = '{}'): Promise<void> => {
    if (operation === 'waits') tool.wait(Number(json));
    else await tool.control(operation as 'fault', JSON.parse(json) as object);
  };
  for (const line of calls.trim().split('\n')) {
    const [call = '', status] = line
      .trim()
      .replace(/ lost$/, '')
      .split(' => ');
    const [who = '', verb = '', ...words] = call.split(' ');
    if (who === 'emulator') {
      await operate(verb, words[0]);
      continue;
    }
    const launch = await launchOf(who);
    const done = (VERBS[verb] as Verb)(launch, words, played);
    if (line.endsWith(' lost')) await expect(done, line).rejects.toThrow();
    else if (status === undefined) await done;
    else expect([line, await done]).toMatchObject([line, { status: Number(status) }]);
  }
}

/** Calls, or what no list of calls can express. */
type Situation = string | ((tool: Tool) => Promise<unknown>);

const act = async (tool: Tool, situation: Situation): Promise<unknown> =>
  typeof situation === 'string' ? play(tool, situation) : situation(tool);

/** What a tool may well do, or somebody else beside it, without a fault of the tool. */
const INNOCENT: Readonly<Record<string, Situation>> = {
  'a launch from before a reset': `
    tool reads
    emulator reset
    tool reads => 401`,
  'a grade URL that a server keeps for its API key over resets': `
    tool enters
    emulator reset
    emulator reset
    tool grades-by-key 0.5 => 200`,
  'the keys of the service, read with the token': 'tool sends GET /.well-known/jwks.json => 200',
  'a launch of an emulator that was at this address before': async ({ served }) => {
    const { claims, token } = await (await emulated()).launch();
    const url = claims.storage.member.replace(claims.iss, served.url);
    expect((await send('GET', url, { token })).status).toBe(401);
  },
  'an injected 403 to the API key, and 401s': `
    tool enters
    emulator fault {"path":"/scores","status":403,"body":"{\\"error\\":{\\"code\\":\\"auth.other_tool\\"}}"}
    tool grades-by-key 0.5 => 403
    emulator fault {"path":"/row","times":3,"status":401,"body":"{\\"error\\":{\\"code\\":\\"auth.ended\\"}}"}
    tool reads => 401
    tool reads => 401
    tool reads => 401`,
  'a JSON body whose type has a parameter':
    'tool sends PUT {storage.member} {} Application/JSON;charset=utf-8 => 204',
  'the same grade a minute later, and after the clock was set back': `
    tool grades 0.5
    emulator waits 60000
    tool grades 0.5
    emulator clock {"set":"2026-10-13T08:59:59Z"}
    emulator waits 2500
    tool grades 0.5`,
  'a grade that is sent again because it was not recorded': async (tool) => {
    await play(
      tool,
      `
      tool enters
      emulator fault {"path":"/scores","close":"before"}
      tool grades 0.5 lost
      emulator fault {"path":"/scores","status":503}
      tool grades 0.5 => 503
      emulator lms {"refuse":{"status":400,"times":1}}
      tool grades 0.5
      tool grades 0.5`,
    );
    const { coverage } = await tool.control('report');
    // Nothing had taken effect when that connection was closed.
    expect(coverage.find(({ id }) => id === 'response.lost')?.seen).toBe(false);
  },
  'a request that a person sends again in the console': async (tool) => {
    await play(
      tool,
      `
      tool enters
      emulator clock {"advance_seconds":43200}
      tool reads => 401
      tool reads => 401
      emulator requests/replay {"number":1}
      emulator requests/replay {"number":1}`,
    );
    const { requests } = await tool.control('requests');
    expect(requests.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect((await tool.control('report')).requests).toBe(2);
  },
  'a reload that reads the row before it writes it': `
    tool reads
    tool puts member {"page":1}
    tool2 reads
    tool2 puts member {"page":2}
    tool3 reads
    tool3 puts member {"other":3}`,
  'staff who read the row of a student by the URL of her launch': `
    student enters
    teacher reads-of student => 200`,
  'a launch whose grades are submitted with the API key': `
    student reads
    student grades-by-key 0.25
    student grades-by-key 0.75 => 200`,
  'lost calls that are repeated until the 401 of an ended token is read': `
    tool enters
    emulator clock {"advance_seconds":43200}
    emulator fault {"path":"/row","close":"after","times":4}
    tool reads lost
    tool reads lost
    tool reads lost
    tool reads lost
    tool reads => 401`,
  'three calls at once with a token that has ended, and again within two seconds': async (tool) => {
    const { get, row } = await tool.launch();
    await tool.control('clock', { advance_seconds: 43_200 });
    await Promise.all([1, 2, 3].map(() => get(row('member'))));
    tool.wait(1900);
    for (let times = 0; times < 3; times++) await get(row('member'));
  },
  'a key that was read in an earlier launch of the same person': `
    assistant adds context round
    teacher reads context
    teacher2 puts context {"title":"A"}`,
  'a PUT of the value that another person or another tab wrote': `
    teacher puts context {"title":"A"}
    assistant puts context {"title":"B"}
    teacher puts context {"title":"B"}
    student reads
    student2 reads
    student puts member {"page":0}
    student2 puts member {"page":1}`,
  "lectern's own calls, and those that a browser makes by itself": async (tool) => {
    const { token } = await tool.launch();
    const { url: api, blobUrl } = tool.served;
    for (const path of ['', '?a', '/', '/state', '/nothing']) {
      for (const url of [api, blobUrl]) await send('GET', `${url}/_emulator${path}`, { token });
    }
    for (const url of [api, blobUrl]) await send('GET', `${url}/favicon.ico`);
    expect((await tool.control('requests')).total).toBe(0);
  },
  'a grade that is repeated after 429 with Retry-After': `
    tool enters
    emulator fault {"path":"/scores","status":429,"headers":{"retry-after":"1"},"times":2}
    tool grades 0.5 => 429
    tool grades 0.5 => 429
    tool grades 0.5 => 200`,
  'a grade that was lost, and another one later': `
    tool enters
    emulator fault {"path":"/scores","close":"after"}
    tool grades 0.5 lost
    tool grades 0.75`,
  'the same score for two students, and back again': `
    teacher grades 0.5 student
    teacher grades 0.75 student
    teacher grades 0.5 student
    teacher grades 0.5 bo
    teacher grades 0.75 bo
    teacher grades 0.5 bo`,
  'a lost grade that a person gives again on the next day': `
    student enters
    emulator fault {"path":"/scores","close":"after"}
    student grades 0.5 lost
    emulator clock {"advance_seconds":39600}
    student grades 0.5`,
  'a lost grade that staff give later': `
    student enters
    teacher enters
    emulator fault {"path":"/scores","close":"after"}
    student grades 0.5 lost
    emulator waits 1800000
    teacher grades 0.5 student`,
  'a PUT that drops what the same person had added in an earlier launch': `
    student adds member draft
    student2 puts member {"done":true}
    student3 adds member more
    student4 puts member {"done":true}`,
  'a file that is declared again because the first form was lost': `
    tool enters
    emulator fault {"method":"PUT","path":"/files/","close":"after"}
    tool declares a.txt lost
    tool declares a.txt
    tool uploads a.txt`,
  'an upload that a fault prevented, and then one with another key': `
    tool declares a.txt
    emulator fault {"path":"incoming","status":503}
    tool uploads a.txt => 503
    tool declares b.txt
    emulator fault {"path":"incoming","close":"before"}
    tool uploads b.txt lost
    tool declares c.txt
    tool uploads c.txt`,
  'an upload that continues while the token ends': `
    tool declares notes.txt
    tool leaves
    tool uploads notes.txt => 204
    tool reads => 401`,
  // By its own clock the address is valid for an hour more.
  'a download by a clock that is behind that of the service': `
    tool enters
    emulator clock {"advance_seconds":3600}
    tool declares notes.txt
    tool uploads notes.txt
    emulator waits 600000
    tool asks-for notes.txt
    emulator waits 360000
    tool downloads => 403`,
  'a row that another launch changed, with a late response': async (tool) => {
    const one = await tool.launch({ role: 'instructor' });
    const other = await tool.launch({ role: 'assistant' });
    const row = one.row('context');
    await one.put(row, { title: 'A' });
    await tool.control('fault', { method: 'PATCH', path: '/row', delay_ms: 1000 });
    const added = other.patch(row, [{ op: 'add', path: '/round', value: 1 }]);
    await tool.late.delayed;
    expect((await one.get(row)).json()).toEqual({ title: 'A', round: 1 });
    tool.late.send();
    await added;
    // It has seen the round, and takes it away.
    await one.put(row, { title: 'B' });
  },
  'a PUT that is repeated because its response was lost': `
    assistant adds context round
    teacher reads context
    emulator fault {"method":"PUT","path":"/row","close":"after"}
    teacher puts context {"title":"A"} lost
    teacher puts context {"title":"A"}`,
  'two tabs of one student that each replace the same keys': `
    student reads
    student2 reads
    student puts member {"page":1,"notes":["a"]}
    student2 puts member {"page":1,"notes":["a"]}
    student puts member {"page":2,"notes":["a"]}
    student2 puts member {"page":2,"notes":["a"]}`,
  'a finish call whose response was lost': `
    server sends GET {storage.parent_context} => 200
    emulator fault {"method":"PUT","path":"/provision/","close":"after"}
    server sends PUT {provision.context} lost`,
};

/** What is the tool's own doing, by the codes that are found; the plainest of each code is in explain's examples. */
const JUDGED: Readonly<Record<string, Readonly<Record<string, Situation>>>> = {
  '': INNOCENT,
  'grade.score_range': {
    'scores that are out of range, as one finding': `
      tool grades 8
      tool grades 9
      tool grades 10`,
  },
  method_not_allowed: {
    'a method that an address does not have': 'tool sends DELETE {storage.member}',
  },
  not_found: {
    'a grade of a member who is not in the course':
      'teacher sends POST {grade.submit|member-101:member-999} {"score":0.5} => 404',
  },
  NoSuchKey: {
    'a download of a file that was deleted': `
      tool declares a.txt
      tool uploads a.txt
      tool asks-for a.txt
      tool removes a.txt
      tool downloads => 404`,
  },
  'AccessDenied AccessDenied': {
    'two causes of one code of the object store, each with its words': `
      tool declares a
      tool uploads a more => 403
      tool uploads a => 204
      tool uploads a => 403`,
  },
  'auth.not_this_member': {
    'a refusal without a message': 'student grades 0.5 bo => 403',
  },
  'auth.missing_grade request.launch_id': {
    'a launch_id in a body that is rejected before it is read':
      'tool sends-bare POST {grade.submit} {"launch_id":"{launch_id}","score":0.5}',
  },
  'request.declaration_without_upload EntityTooSmall': {
    'an upload whose size differs from the declaration': `
      tool declares notes.txt 6
      tool uploads notes.txt => 400`,
  },
  'file.key_invalid': {
    'a file that is read before it is there, and a wrong key': `
      tool asks-for notes.txt
      tool declares .notes`,
  },
  'row.forbidden': {
    'a shared row that a student writes, while a fault refuses another call': `
      student enters
      emulator fault {"path":"/scores","status":422}
      student grades 0.5
      student puts context {"title":"A"}`,
  },
  'grade.not_assessment': {
    'an ungraded location': async ({ control }) => {
      const made = await control('fixture', {});
      const { non_assessment_grade_url: url, api_key: token } = made as never;
      await send('POST', url, { token, json: { score: 1 } });
    },
  },
  'row.unprovisioned': {
    'unprovisioned rows next to a provision request that was printed': `
      server enters
      newcomer reads context => 422`,
  },
  'row.unprovisioned request.provision_unfinished': {
    'a level that a launch meets after only the other one was finished': `
      server sends GET {storage.parent_context} => 200
      server sends PUT {provision.context} => 204
      freshman reads location => 422`,
  },
  'request.signed_url_expired': {
    'a signed form that expired while the clock ran': `
      tool declares notes.txt
      emulator waits 600000
      tool uploads notes.txt
      tool declares notes.txt
      tool uploads notes.txt`,
    'a download URL that is used after it expired': `
      tool declares notes.txt
      tool uploads notes.txt
      tool asks-for notes.txt
      emulator waits 360000
      tool downloads`,
  },
  'request.declaration_without_upload request.signed_url_expired': {
    'two declarations of which one was uploaded late and the other never': `
      tool declares late.txt
      emulator waits 600000
      tool declares never.txt
      tool uploads late.txt => 403`,
  },
  'request.ended_token_repeated': {
    'an ended token that is used repeatedly, with a lost response in between': `
      tool enters
      emulator clock {"advance_seconds":43200}
      tool reads
      emulator waits 2500
      tool reads
      emulator fault {"path":"/row","close":"after"}
      tool reads lost
      tool reads`,
    'an ended token that is used at several addresses, and again after two seconds': `
      tool enters
      emulator clock {"advance_seconds":43200}
      tool reads
      tool reads context
      emulator waits 2500
      tool reads context
      tool reads context`,
  },
  'request.token_in_url': {
    'a token in the query of an address from a launch':
      'tool sends GET {storage.member}&access_token={api.token}',
    'an encoded token in a query, next to the header': async (tool) => {
      const { token } = await tool.launch();
      const code = [...token].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
      await send('GET', `${tool.served.url}/cb?code=${code}`, { token });
    },
    'an API key in the query of an upload': async ({ control, launch }) => {
      const { api_key: key } = await control('key', {});
      const student = await launch();
      const declared = await student.call('PUT', student.file('member', 'a'), {
        json: { size: 5 },
      });
      const form = declared.json();
      await upload({ ...form, url: `${form.url}&key=${key}` });
      await upload(form);
    },
  },
  'request.content_type': {
    'a patch with the type of a JSON Patch': `
      tool sends PATCH {storage.member} {"patch":[{"op":"add","path":"/a","value":1}]} application/json-patch+json => 204`,
  },
  'request.value_overwritten': {
    'a PUT that overwrites the value of another person with an old one': `
      teacher puts context {"page":{"title":"A","size":1}}
      assistant puts context {"page":{"title":"B","size":1}}
      teacher puts context {"page":{"title":"A","size":2}}`,
  },
  'request.keys_dropped': {
    'a PUT that drops what another launch of the same person wrote': `
      teacher reads context
      assistant adds context round
      teacher2 puts context {"title":"A"}`,
    "a PUT that is repeated after another person's write": `
      teacher enters
      emulator fault {"method":"PUT","path":"/row","close":"after"}
      teacher puts context {"title":"A"} lost
      assistant adds context round
      teacher puts context {"title":"A"}`,
    'a tab of a student that drops what another tab wrote': `
      student reads
      student2 reads
      student puts member {"answers":{"question_0":1}}
      student2 puts member {"answers":{"question_1":1}}`,
    'a PUT that drops a name that a PATCH had added to an object': `
      teacher puts context {"answers":{}}
      assistant adds context answers/first
      teacher puts context {"answers":{"second":1}}`,
  },
  'request.declaration_without_upload': {
    'two declarations of which one upload failed by an injected response': `
      tool declares never.txt
      emulator fault {"path":"incoming","status":503}
      tool declares b.txt
      tool uploads b.txt => 503
      emulator fault {"path":"incoming","close":"before"}
      tool declares c.txt
      tool uploads c.txt lost`,
  },
  'request.grade_repeated_after_lost_answer': {
    'the same grade by the same person, half an hour after a lost answer': `
      student enters
      emulator fault {"path":"/scores","close":"after"}
      student grades 0.5 lost
      emulator waits 1800000
      student2 grades 0.5`,
    'the same grade in another text, after a lost answer': `
      tool enters
      emulator fault {"path":"/scores","close":"after"}
      tool sends POST {grade.submit} {"score":0.5} lost
      tool sends POST {grade.submit} {"comment":"","activity_progress":"Completed","score":0.50}`,
  },
  'request.url_segment_changed': {
    'a grade URL that was built although grade.submit is null': async ({ control, launch }) => {
      const { locations } = await control('world');
      const ungraded = locations.find(({ type }) => type !== 'assessment');
      const other = await launch({ location: ungraded?.id ?? '' });
      expect(other.submit).toBeNull();
      const { claims, submit } = await launch();
      await other.grade({ score: 1 }, submit.replace(claims.location.id, other.claims.location.id));
    },
    'a member row whose URL was built for another student':
      'teacher sends GET {storage.member|member-101:member-112}',
  },
  'request.url_not_handed_out': {
    'a call to the tool with its launch in the path': 'tool sends GET /logs/{launch_id}',
    'a files URL with a slash and no key': 'tool sends GET {files.member}/',
  },
  'request.removed_endpoint': {
    'a grade submission in the form used before 2026-09-21':
      'tool sends POST /grades {"launch_id":"{launch_id}","score":0.5}',
  },
  'request.row_near_limit': {
    'a row near its limit, in the unit of the limit': `tool puts member {"text":"${'x'.repeat(450_000)}"}`,
  },
};

/** A part of the findings. */
const FINDINGS: Readonly<Record<string, readonly unknown[]>> = {
  'scores that are out of range, as one finding': [
    {
      code: 'request.refused',
      severity: 'warning',
      requests: [1, 2, 3],
      message: 'the service refused with 422 grade.score_range: score must be between 0 and 1',
      rule: 'Endpoints, Grade submission: request body',
    },
  ],
  'a grade of a member who is not in the course': [
    { hint: expect.stringContaining('user.member') },
  ],
  'a download of a file that was deleted': [{ hint: expect.stringContaining('read the file') }],
  'two causes of one code of the object store, each with its words': [
    { requests: [2], message: expect.stringContaining('more') },
    { requests: [4], message: expect.stringContaining('used already') },
  ],
  'a refusal without a message': [{ message: 'the service refused with 403 auth.not_this_member' }],
  'a patch with the type of a JSON Patch': [
    {
      severity: 'warning',
      message: 'the JSON body of PATCH member row has the Content-Type application/json-patch+json',
    },
  ],
  'a PUT that overwrites the value of another person with an old one': [
    { severity: 'error', requests: [2, 3], message: expect.stringContaining('/page/title') },
  ],
  'two declarations of which one was uploaded late and the other never': [
    { message: expect.stringContaining('never.txt') },
    {},
  ],
  'two declarations of which one upload failed by an injected response': [
    { message: expect.stringContaining('never.txt') },
  ],
  'a row near its limit, in the unit of the limit': [
    { message: 'a member row has 439 KB: 85 % of its limit of 512 KB' },
  ],
};

const CASES = Object.entries(JUDGED).flatMap(([codes, situations]) =>
  Object.entries(situations).map(([name, situation]) => [codes, name, situation] as const),
);

test.each(CASES)('the report finds "%s" for %s', async (codes, name, situation) => {
  const tool = await started();
  await act(tool, situation);
  expect(await tool.found()).toEqual(codes.split(' ').filter(Boolean));
  const { findings } = await tool.control('report');
  expect(findings).toMatchObject(FINDINGS[name] ?? findings);
});

test.each<[keyof Choices, value: string, code: string, Situation]>([
  [
    'unknown_fields',
    'refused',
    'request.unknown_field',
    'tool sends POST {grade.submit} {"score":0.5,"coment":"good"} => 422',
  ],
  [
    'untyped',
    'refused',
    'request.content_type',
    'tool sends PUT {storage.member} {} text/plain => 422',
  ],
  [
    'kilobytes',
    '1000',
    'request.row_near_limit',
    `tool puts member {"text":"${'x'.repeat(415_000)}"} => 204`,
  ],
  ['other_methods', '501', 'method_not_allowed', 'tool sends DELETE {storage.member} => 501'],
])('under %s: %s, the report has %s once', async (name, value, code, situation) => {
  const tool = await started({ vary: seedOf(name, value) });
  await act(tool, situation);
  expect(await tool.found()).toEqual([code]);
  const { coverage } = await tool.control('report');
  expect(coverage.find(({ id }) => id === 'response.unavailable')?.seen).toBe(false);
});

test('the findings of one code beyond the first hundred are one, which says so', async () => {
  const { served, control } = await started();
  for (let number = 1; number <= 103; number++) {
    await send('GET', `${served.url}/x${number}`, { token: 'unknown' });
  }
  const { findings } = await control('report');
  const last = findings.findLast(({ code }) => code === 'request.url_not_handed_out');
  expect(last?.requests).toEqual([101, 102, 103]);
  expect(last?.message).toMatch(/^GET \/x101 is .*, and others like it$/);
});

/** A student's tool by the contract: it asks again what it may, takes a new launch after a 401, and never repeats a grade in doubt. */
async function byTheBook(tool: Tool, rounds: number): Promise<void> {
  const enter = () => tool.launch({ member: 'member-111' });
  let launch = await enter();
  const grade = async (score: number) => {
    for (;;) {
      const answer = await launch.grade({ score }).catch(() => undefined);
      if (answer?.status === 401) launch = await enter();
      // Recorded as failed, and known to be: it may be sent again.
      else if (answer?.status !== 200 || answer.json().status === 'success') return;
    }
  };
  const again = async (call: (by: Launch) => Promise<{ status: number }>) => {
    for (;;) {
      const { status } = await call(launch).catch(() => ({ status: 503 }));
      if (status === 401) launch = await enter();
      else if (status !== 503) return;
    }
  };
  for (let round = 1; round <= rounds; round++) {
    await again((by) => by.get(by.row('member')));
    const operations = [{ op: 'add', path: '/page', value: round }];
    await again((by) => by.patch(by.row('member'), operations));
    await grade(round / rounds);
    await again((by) => by.upload('member', 'notes.txt', 'hello'));
    await again((by) => by.get(by.file('member', 'notes.txt')));
    await again((by) => by.call('DELETE', by.file('member', 'notes.txt')));
  }
}

test.each(['moon', 'sea'])(
  'the report has no finding for a correct tool under chaos: %s',
  async (seed) => {
    const tool = await started({ chaos: { seed, share: 0.3 }, sleep: async () => {} });
    await byTheBook(tool, 20);
    const { findings, chaos, requests } = await tool.control('report');
    expect(requests).toBeGreaterThan(100);
    expect(chaos?.troubles.length).toBeGreaterThan(5);
    expect([findings, chaos?.doubled]).toEqual([[], []]);
  },
);
