import { describe, expect, test } from 'vitest';
import {
  createEmulator,
  type Answers,
  type Emulator,
  type EmulatorOptions,
  type LaunchRequest,
} from '../../../src/emulator/index.ts';
import { claimAt } from '../../../src/contract/claims.ts';
import type { Choices } from '../../../src/emulator/freedom/vary.ts';
import type { Claims } from '../documents.ts';
import { seedOf } from '../subject.ts';
import { seededBytes } from '../../support/seeded.ts';

const CONTROL = 'control';
const START = Date.UTC(2026, 9, 13, 9);

type Report = Answers['GET report'];

interface Sent {
  readonly token?: string | undefined;
  readonly json?: unknown;
  /** The type of `json`. */
  readonly type?: string;
  readonly body?: FormData;
}

/** An emulator, and a tool that calls it. */
function started(emulator: Emulator) {
  const send = async (
    method: string,
    url: string,
    { token, json, type = 'application/json', body }: Sent = {},
  ) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': type }),
    };
    const bytes = json === undefined ? body : JSON.stringify(json);
    const request = new Request(url, { method, headers, ...(bytes && { body: bytes }) });
    const response = await emulator.fetch(request);
    const text = await response.text();
    return { status: response.status, json: () => JSON.parse(text) as Record<string, unknown> };
  };
  const control = async <Answer>(operation: string, json: object = {}): Promise<Answer> => {
    const [method = '', path = ''] = operation.split(' ');
    const url = `http://service.test/_emulator/${path}`;
    const sent = { token: CONTROL, ...(method === 'POST' && { json }) };
    const answer = await send(method, url, sent);
    expect([operation, answer.status]).toEqual([operation, 200]);
    return answer.json() as Answer;
  };
  return {
    send,
    control,
    launch: (request: Parameters<Emulator['launch']>[0] = {}) =>
      emulator.launch(request) as unknown as Claims,
    found: async () => {
      const { findings } = await control<Report>('GET report');
      // A refusal by the code of the contract.
      return findings.map(({ code, message }) =>
        code === 'request.refused' ? (/with \d+ ([^\s:]+)/.exec(message)?.[1] ?? message) : code,
      );
    },
  };
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

function emulated(options: EmulatorOptions = {}) {
  let now = START;
  const wait = (ms: number): void => void (now += ms);
  // A response that is late comes when the test says so.
  const [delayed, sent] = [gate(), gate()];
  const sleep = (): Promise<void> => {
    delayed.open();
    return sent.opened;
  };
  const given = { controlToken: CONTROL, now: () => now, sleep, ...options };
  const late = { delayed: delayed.opened, send: sent.open };
  return { wait, late, ...started(createEmulator({ random: seededBytes(), ...given })) };
}

type Tool = ReturnType<typeof emulated>;

interface Form {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

const read = ({ send }: Tool, { api, storage }: Claims, row: keyof Claims['storage'] = 'member') =>
  send('GET', storage[row], { token: api.token });
const submit = ({ send }: Tool, { api, grade }: Claims, score: number) =>
  send('POST', grade.submit, { token: api.token, json: { score } });

function upload({ send }: Tool, { url, fields }: Form) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob(['hello']));
  return send('POST', url, { body });
}

/** Who launches a tool; a digit behind it is another launch of the same person. */
const PEOPLE: Readonly<Record<string, LaunchRequest>> = {
  tool: {},
  student: { role: 'student' },
  bo: { member: 'member-112' },
  teacher: { role: 'instructor' },
  assistant: { role: 'assistant' },
};

type Done = Promise<{ readonly status: number; readonly json?: () => unknown }>;

/**
 * Plays calls, one a line: who makes it, or `emulator`; what; and its words. The first one of a person
 * launches the tool. A call is `lost` whose connection a fault closes, and `=> 403` is its status.
 */
async function play(tool: Tool, calls: string): Promise<void> {
  const launches = new Map<string, Claims>();
  const forms = new Map<string, Form>();
  let download = '';
  const launchOf = (name: string): Claims => {
    const known = launches.get(name) ?? tool.launch(PEOPLE[name.replace(/\d$/, '')]);
    launches.set(name, known);
    return known;
  };
  const operate = async (operation: string, json: string): Done => {
    await tool.control(`POST ${operation}`, JSON.parse(json) as object);
    return { status: 200 };
  };
  const perform = async (who: string, verb: string, words: readonly string[]): Done => {
    const [one = '', other = ''] = words;
    if (who === 'emulator') {
      if (verb !== 'waits') return operate(verb, one || '{}');
      tool.wait(Number(one));
      return { status: 200 };
    }
    const launch = launchOf(who);
    const { token } = launch.api;
    const file = `${launch.files.member}/${one}`;
    const row = launch.storage[one as 'member'];
    switch (verb) {
      case 'enters':
        return { status: 200 };
      case 'reads':
        return read(tool, launch, (one || 'member') as 'member');
      case 'leaves':
        return operate('token/end', JSON.stringify({ launch_id: launch.launch_id }));
      case 'reads-of':
        return tool.send('GET', launchOf(one).storage.member, { token });
      case 'puts':
        return tool.send('PUT', row, { token, json: JSON.parse(other) });
      case 'adds':
        return tool.send('PATCH', row, {
          token,
          json: { patch: [{ op: 'add', path: `/${other}`, value: 1 }] },
        });
      case 'grades': {
        const to = other === '' || other === 'key' ? launch : launchOf(other);
        const key = async () => (await tool.control<Answers['POST key']>('POST key')).api_key;
        const sent = { token: other === 'key' ? await key() : token, json: { score: Number(one) } };
        return tool.send('POST', to.grade.submit, sent);
      }
      case 'declares': {
        const answer = await tool.send('PUT', file, { token, json: { size: Number(other || 5) } });
        forms.set(one, answer.json() as never);
        return answer;
      }
      case 'uploads':
        return upload(tool, forms.get(one) as Form);
      case 'asks-for': {
        const answer = await tool.send('GET', file, { token });
        if (answer.status === 200) download = String(answer.json().url);
        return answer;
      }
      case 'downloads':
        return tool.send('GET', download);
      case 'sends': {
        // `{claim}` is a claim of the launch, and `a:b` behind a text replaces a part of it.
        const fill = (text: string): string =>
          text.replace(/\{([\w.]+)(?:\|(.*?):(.*?))?\}/g, (_, path, from = '', to = '') =>
            String(claimAt(launch as never, path)).replace(from, to),
          );
        const [method = '', url = '', json] = [one, fill(other), words[2]];
        const sent = { token, ...(json && { json: JSON.parse(fill(json)) as object }) };
        return tool.send(method, url.startsWith('/') ? `http://service.test${url}` : url, sent);
      }
      case 'removes':
        return tool.send('DELETE', file, { token });
      default:
        throw new Error(`nobody ${verb}`);
    }
  };
  for (const line of calls.trim().split('\n')) {
    const [call = '', status] = line
      .trim()
      .replace(/ lost$/, '')
      .split(' => ');
    const [who = '', verb = '', ...words] = call.split(' ');
    const done = perform(who, verb, words);
    if (line.endsWith(' lost')) await expect(done, line).rejects.toThrow();
    else if (status === undefined) await done;
    else expect([line, (await done).status]).toEqual([line, Number(status)]);
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
    tool grades 0.5 key => 200`,
  'the keys of the service, read with the token': 'tool sends GET /.well-known/jwks.json => 200',
  'a launch of an emulator that was at this address before': async (tool) => {
    const seed = {
      tools: [{ id: 'quiz' }],
      courses: [{ id: 'c', students: 1, locations: [{ id: 'l', tool: 'quiz' }] }],
    };
    const before = createEmulator({ random: seededBytes(), controlToken: CONTROL, seed });
    expect((await read(tool, started(before).launch())).status).toBe(401);
  },
  'an injected 403 to the API key, and 401s': `
    tool enters
    emulator fault {"path":"/scores","status":403,"body":"{\\"error\\":{\\"code\\":\\"auth.other_tool\\"}}"}
    tool grades 0.5 key => 403
    emulator fault {"path":"/row","times":3,"status":401,"body":"{\\"error\\":{\\"code\\":\\"auth.ended\\"}}"}
    tool reads => 401
    tool reads => 401
    tool reads => 401`,
  'a JSON body whose type has a parameter': async (tool) => {
    const { api, storage } = tool.launch();
    const type = 'Application/JSON; charset=utf-8';
    await tool.send('PUT', storage.member, { token: api.token, json: {}, type });
  },
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
    const { coverage } = await tool.control<Report>('GET report');
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
    const { requests } = await tool.control<Answers['GET requests']>('GET requests');
    expect(requests.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect((await tool.control<Report>('GET report')).requests).toBe(2);
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
    student grades 0.25 key
    student grades 0.75 key => 200`,
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
    const launch = tool.launch();
    await tool.control('POST clock', { advance_seconds: 43_200 });
    await Promise.all([1, 2, 3].map(() => read(tool, launch)));
    tool.wait(1900);
    for (let times = 0; times < 3; times++) await read(tool, launch);
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
    const { token } = tool.launch().api;
    for (const path of ['', '?a', '/', '/state', '/nothing']) {
      await tool.send('GET', `http://service.test/_emulator${path}`, { token });
      await tool.send('GET', `http://blobs.test/_emulator${path}`, { token });
    }
    await tool.send('GET', 'http://service.test/favicon.ico');
    await tool.send('GET', 'http://blobs.test/favicon.ico');
    expect((await tool.control<Answers['GET requests']>('GET requests')).total).toBe(0);
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
    const [one, other] = [tool.launch({ role: 'instructor' }), tool.launch({ role: 'assistant' })];
    const call = ({ api, storage }: Claims, method: string, json: object) =>
      tool.send(method, storage.context, { token: api.token, json });
    await call(one, 'PUT', { title: 'A' });
    await tool.control('POST fault', { method: 'PATCH', path: '/row', delay_ms: 1000 });
    const added = call(other, 'PATCH', { patch: [{ op: 'add', path: '/round', value: 1 }] });
    await tool.late.delayed;
    expect((await read(tool, one, 'context')).json()).toEqual({ title: 'A', round: 1 });
    tool.late.send();
    await added;
    // It has seen the round, and takes it away.
    await call(one, 'PUT', { title: 'B' });
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
  'a finish call whose response was lost': async (tool) => {
    const { claims } =
      await tool.control<Answers['POST provision-request']>('POST provision-request');
    const { api, storage, provision } = claims as unknown as Claims;
    await tool.send('GET', storage.parent_context, { token: api.token });
    const fault = { method: 'PUT', path: '/provision/', close: 'after' };
    await tool.control('POST fault', fault);
    const lost = tool.send('PUT', provision.context, { token: api.token });
    await expect(lost).rejects.toThrow();
  },
};

test.each(Object.entries(INNOCENT))('the report has no finding for %s', async (_, situation) => {
  const tool = emulated();
  await act(tool, situation);
  expect(await tool.found()).toEqual([]);
});

/** What is the tool's own doing, by the codes that are found; the plainest of each code is in explain's examples. */
const JUDGED: Readonly<Record<string, Readonly<Record<string, Situation>>>> = {
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
    'two causes of one code of the object store, each with its words': async (tool) => {
      const { api, files } = tool.launch();
      const sent = { token: api.token, json: { size: 5 } };
      const form: Form = (await tool.send('PUT', `${files.member}/a`, sent)).json() as never;
      await upload(tool, { ...form, fields: { more: '1', ...form.fields } });
      await upload(tool, form);
      await upload(tool, form);
    },
  },
  'auth.not_this_member': {
    'a refusal without a message': 'student grades 0.5 bo => 403',
  },
  'auth.missing_grade request.launch_id': {
    'a launch_id in a body that is rejected before it is read': async (tool) => {
      const { grade, launch_id } = tool.launch();
      await tool.send('POST', grade.submit, { json: { launch_id, score: 0.5 } });
    },
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
    'an ungraded location': async (tool) => {
      const { non_assessment_grade_url: url, api_key: token } = await tool.control<{
        readonly non_assessment_grade_url: string;
        readonly api_key: string;
      }>('POST fixture');
      await tool.send('POST', url, { token, json: { score: 1 } });
    },
  },
  'row.unprovisioned': {
    'unprovisioned rows next to a provision request that was printed': async (tool) => {
      const { claims } =
        await tool.control<Answers['POST provision-request']>('POST provision-request');
      const course = (claims as unknown as Claims).context;
      const launch = tool.launch({ course, role: 'instructor' });
      expect((await read(tool, launch, 'context')).status).toBe(422);
    },
  },
  'row.unprovisioned request.provision_unfinished': {
    'a level that a launch meets after only the other one was finished': async (tool) => {
      const { claims } =
        await tool.control<Answers['POST provision-request']>('POST provision-request');
      const { api, provision, storage, context, location } = claims as unknown as Claims;
      await tool.send('GET', storage.parent_context, { token: api.token });
      await tool.send('PUT', provision.context, { token: api.token });
      const launch = tool.launch({ course: context, location: location.id, role: 'student' });
      expect((await read(tool, launch, 'location')).status).toBe(422);
    },
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
    'two declarations of which one was uploaded late and the other never': async (tool) => {
      await play(
        tool,
        `
        tool declares late.txt
        emulator waits 600000
        tool declares never.txt
        tool uploads late.txt => 403`,
      );
      const { findings } = await tool.control<Report>('GET report');
      expect(findings.map(({ code, message }) => [code, message])).toContainEqual([
        'request.declaration_without_upload',
        expect.stringContaining('never.txt'),
      ]);
      await play(tool, 'tool removes never.txt');
    },
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
      const { api } = tool.launch();
      const code = [...api.token].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
      await tool.send('GET', `http://service.test/cb?code=${code}`, { token: api.token });
    },
    'an API key in the query of an upload': async (tool) => {
      const { api_key: key } = await tool.control<Answers['POST key']>('POST key');
      const { api, files } = tool.launch();
      const sent = { token: api.token, json: { size: 5 } };
      const form: Form = (await tool.send('PUT', `${files.member}/a`, sent)).json() as never;
      await upload(tool, { ...form, url: `${form.url}&key=${key}` });
      await upload(tool, form);
    },
  },
  'request.content_type': {
    'a patch with the type of a JSON Patch': async (tool) => {
      const { api, storage } = tool.launch();
      const json = { patch: [{ op: 'add', path: '/a', value: 1 }] };
      const type = 'application/json-patch+json';
      const sent = { token: api.token, json, type };
      expect((await tool.send('PATCH', storage.member, sent)).status).toBe(204);
    },
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
    'a grade URL that was built although grade.submit is null': async (tool) => {
      const { locations } = await tool.control<Answers['GET world']>('GET world');
      const ungraded = locations.find(({ type }) => type !== 'assessment');
      const other = tool.launch({ location: ungraded?.id ?? '' });
      expect(other.grade.submit).toBeNull();
      const { location, grade } = tool.launch();
      const built = grade.submit.replace(location.id, other.location.id);
      await tool.send('POST', built, { token: other.api.token, json: { score: 1 } });
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
  'two declarations of which one upload failed by an injected response': [
    { message: expect.stringContaining('never.txt') },
  ],
  'a row near its limit, in the unit of the limit': [
    { message: 'a member row has 439 KB: 85 % of its limit of 512 KB' },
  ],
};

describe.each(Object.entries(JUDGED))('the report finds %s', (codes, situations) => {
  test.each(Object.entries(situations))('for %s', async (name, situation) => {
    const tool = emulated();
    await act(tool, situation);
    expect(await tool.found()).toEqual(codes.split(' '));
    const { findings } = await tool.control<Report>('GET report');
    expect(findings).toMatchObject(FINDINGS[name] ?? findings);
  });
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
    async (tool) => {
      const { api, storage } = tool.launch();
      const sent = { token: api.token, json: {}, type: 'text/plain' };
      expect((await tool.send('PUT', storage.member, sent)).status).toBe(422);
    },
  ],
  [
    'kilobytes',
    '1000',
    'request.row_near_limit',
    `tool puts member {"text":"${'x'.repeat(415_000)}"} => 204`,
  ],
  ['other_methods', '501', 'method_not_allowed', 'tool sends DELETE {storage.member} => 501'],
])('under %s: %s, the report has %s once', async (name, value, code, situation) => {
  const tool = emulated({ vary: seedOf(name, value) });
  await act(tool, situation);
  expect(await tool.found()).toEqual([code]);
  const { coverage } = await tool.control<Report>('GET report');
  expect(coverage.find(({ id }) => id === 'response.unavailable')?.seen).toBe(false);
});

test('the findings of one code beyond the first hundred are one, which says so', async () => {
  const tool = emulated();
  for (let number = 1; number <= 103; number++) {
    await tool.send('GET', `http://service.test/x${number}`, { token: 'unknown' });
  }
  const { findings } = await tool.control<Report>('GET report');
  const last = findings.findLast(({ code }) => code === 'request.url_not_handed_out');
  expect(last?.requests).toEqual([101, 102, 103]);
  expect(last?.message).toMatch(/^GET \/x101 is .*, and others like it$/);
});

/** A student's tool by the contract: it asks again what it may, takes a new launch after a 401, and never repeats a grade in doubt. */
async function byTheBook(tool: Tool, rounds: number): Promise<void> {
  const enter = () => tool.launch({ member: 'member-111' });
  let launch = enter();
  const grade = async (score: number) => {
    for (;;) {
      const answer = await submit(tool, launch, score).catch(() => undefined);
      if (answer?.status === 401) launch = enter();
      // Recorded as failed, and known to be: it may be sent again.
      else if (answer?.status !== 200 || answer.json().status === 'success') return;
    }
  };
  const again = async (call: () => Promise<{ status: number }>) => {
    for (;;) {
      const { status } = await call().catch(() => ({ status: 503 }));
      if (status === 401) launch = enter();
      else if (status !== 503) return;
    }
  };
  for (let round = 1; round <= rounds; round++) {
    const { storage, files } = launch;
    const own = (method: string, url: string, json?: object) =>
      again(() => tool.send(method, url, { token: launch.api.token, json }));
    await own('GET', storage.member);
    await own('PATCH', storage.member, { patch: [{ op: 'add', path: '/page', value: round }] });
    await grade(round / rounds);
    await again(async () => {
      const sent = { token: launch.api.token, json: { size: 5 } };
      const answer = await tool.send('PUT', `${files.member}/notes.txt`, sent);
      return answer.status === 200 ? upload(tool, answer.json() as unknown as Form) : answer;
    });
    await own('GET', `${files.member}/notes.txt`);
    await own('DELETE', `${files.member}/notes.txt`);
  }
}

test.each(['moon', 'sea'])(
  'the report has no finding for a correct tool under chaos: %s',
  async (seed) => {
    const tool = emulated({ chaos: { seed, share: 0.3 }, sleep: async () => {} });
    await byTheBook(tool, 20);
    const { findings, chaos, requests } = await tool.control<Report>('GET report');
    expect(requests).toBeGreaterThan(100);
    expect(chaos?.troubles.length).toBeGreaterThan(5);
    expect([findings, chaos?.doubled]).toEqual([[], []]);
  },
);
