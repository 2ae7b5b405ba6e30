import { expect, test } from 'vitest';
import {
  createEmulator,
  type Answers,
  type Emulator,
  type EmulatorOptions,
} from '../../../src/emulator/index.ts';
import type { Claims, Fixture } from '../documents.ts';
import { seededBytes } from '../../support/seeded.ts';

const CONTROL = 'control';
const START = Date.UTC(2026, 9, 13, 9);
const MINUTE = 60_000;

type Report = Answers['GET report'];

interface Sent {
  readonly token?: string | undefined;
  readonly json?: unknown;
  /** The type of `json`. */
  readonly type?: string;
  readonly body?: FormData;
}

/** An emulator, and a tool that calls it; `wait` lets the machine's clock run. */
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
        code === 'request.refused' ? (/with \d+ (\S+):/.exec(message)?.[1] ?? message) : code,
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

const read = ({ send }: Tool, { api, storage }: Claims, row: keyof Claims['storage'] = 'member') =>
  send('GET', storage[row], { token: api.token });
const submit = ({ send }: Tool, { api, grade }: Claims, score = 0.5, token = api.token) =>
  send('POST', grade.submit, { token, json: { score } });

interface Form {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

async function declared({ send }: Tool, { api, files }: Claims, key = 'notes.txt') {
  const sent = { token: api.token, json: { size: 5 } };
  const form = (await send('PUT', `${files.member}/${key}`, sent)).json();
  return form as unknown as Form;
}

function upload({ send }: Tool, { url, fields }: Form) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob(['hello']));
  return send('POST', url, { body });
}

const replace = ({ send }: Tool, { api, storage }: Claims, json: object) =>
  send('PUT', storage.context, { token: api.token, json });
const add = ({ send }: Tool, { api, storage }: Claims, name: string) => {
  const json = { patch: [{ op: 'add', path: `/${name}`, value: 1 }] };
  return send('PATCH', storage.context, { token: api.token, json });
};
const remove = ({ send }: Tool, { api, files }: Claims, key: string) =>
  send('DELETE', `${files.member}/${key}`, { token: api.token });
const fault = ({ control }: Tool, json: object) => control('POST fault', json);
const advance = ({ control }: Tool, hours: number) =>
  control('POST clock', { advance_seconds: hours * 3600 });
/** A call whose connection is closed by a fault. */
const lost = (call: Promise<unknown>) => expect(call).rejects.toThrow();

/** What a tool may well do, or somebody else beside it, without a fault of the tool. */
const INNOCENT: Readonly<Record<string, (tool: Tool) => Promise<unknown>>> = {
  'a launch from before a reset': async (tool) => {
    const launch = tool.launch();
    await read(tool, launch);
    await tool.control('POST reset');
    expect((await read(tool, launch)).status).toBe(401);
  },
  'a launch of an emulator that was at this address before': async (tool) => {
    const seed = {
      tools: [{ id: 'quiz' }],
      courses: [{ id: 'c', students: 1, locations: [{ id: 'l', tool: 'quiz' }] }],
    };
    const launch = started(
      createEmulator({ random: seededBytes(), controlToken: CONTROL, seed }),
    ).launch();
    expect((await read(tool, launch)).status).toBe(401);
  },
  'an injected 403 to the API key': async (tool) => {
    const launch = tool.launch();
    const { api_key: key } = await tool.control<Answers['POST key']>('POST key');
    const body = '{"error":{"code":"auth.other_tool"}}';
    await tool.control('POST fault', { path: '/scores', status: 403, body });
    expect((await submit(tool, launch, 0.5, key)).status).toBe(403);
  },
  'injected 401s': async (tool) => {
    const launch = tool.launch();
    const body = '{"error":{"code":"auth.ended"}}';
    await tool.control('POST fault', { path: '/row', times: 3, status: 401, body });
    for (let times = 0; times < 3; times++) await read(tool, launch);
  },
  'an injected 422 of a row next to a provision request': async (tool) => {
    const { claims } =
      await tool.control<Answers['POST provision-request']>('POST provision-request');
    const body = '{"error":{"code":"row.unprovisioned"}}';
    await tool.control('POST fault', { path: '/row', status: 422, body });
    await read(tool, tool.launch(), 'context');
    expect(claims).toHaveProperty('launch_id');
  },
  'the same grade after the clock was set back': async (tool) => {
    const launch = tool.launch();
    await submit(tool, launch);
    await tool.control('POST clock', { set: new Date(START - 1000).toISOString() });
    tool.wait(2500);
    await submit(tool, launch);
  },
  'the same grade after the clock was advanced': async (tool) => {
    const launch = tool.launch();
    await submit(tool, launch);
    await tool.control('POST clock', { advance_seconds: 30 });
    await submit(tool, launch);
  },
  'a JSON body whose type has a parameter': async (tool) => {
    const { api, storage } = tool.launch();
    const type = 'Application/JSON; charset=utf-8';
    await tool.send('PUT', storage.member, { token: api.token, json: {}, type });
  },
  'the same grade a minute later': async (tool) => {
    const launch = tool.launch();
    await submit(tool, launch);
    tool.wait(MINUTE);
    await submit(tool, launch);
  },
  'a grade that is sent again because it was not recorded': async (tool) => {
    const launch = tool.launch();
    await tool.control('POST fault', { path: '/scores', close: 'before' });
    await submit(tool, launch).catch(() => undefined);
    await tool.control('POST fault', { path: '/scores', status: 503 });
    await submit(tool, launch);
    await tool.control('POST lms', { refuse: { status: 400, times: 1 } });
    await submit(tool, launch);
    await submit(tool, launch);
    const { coverage } = await tool.control<Report>('GET report');
    // Nothing had taken effect when that connection was closed.
    expect(coverage.find(({ id }) => id === 'response.lost')?.seen).toBe(false);
  },
  'a request that a person sends again in the console': async (tool) => {
    const launch = tool.launch();
    await tool.control('POST clock', { advance_seconds: 12 * 3600 });
    for (let times = 0; times < 2; times++) await read(tool, launch);
    for (let times = 0; times < 3; times++) {
      await tool.control('POST requests/replay', { number: 1 });
    }
    const { requests } = await tool.control<Answers['GET requests']>('GET requests');
    expect(requests.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect((await tool.control<Report>('GET report')).requests).toBe(2);
  },
  'two tabs of one launch that write the same row': async (tool) => {
    const { api, storage } = tool.launch();
    const put = (json: object) => tool.send('PUT', storage.member, { token: api.token, json });
    await put({ first: 1 });
    await put({ second: 2 });
  },
  'a reload that reads the row before it writes it': async (tool) => {
    for (const json of [{ page: 1 }, { page: 2 }, { other: 3 }]) {
      const launch = tool.launch();
      await read(tool, launch);
      const { api, storage } = launch;
      await tool.send('PUT', storage.member, { token: api.token, json });
    }
  },
  'staff who read the row of a student by the URL of her launch': async (tool) => {
    const { api } = tool.launch({ role: 'instructor' });
    const { storage } = tool.launch({ role: 'student' });
    const { status } = await tool.send('GET', storage.member, { token: api.token });
    expect(status).toBe(200);
  },
  'a launch whose grades are submitted with the API key': async (tool) => {
    const launch = tool.launch({ role: 'student' });
    const { api_key: key } = await tool.control<Answers['POST key']>('POST key');
    await read(tool, launch);
    // The body of the one is not that of the other, in this process too.
    await submit(tool, launch, 0.25, key);
    expect((await submit(tool, launch, 0.75, key)).status).toBe(200);
  },
  'lost calls that are repeated until the 401 of an ended token is read': async (tool) => {
    const launch = tool.launch();
    await advance(tool, 12);
    await fault(tool, { path: '/row', close: 'after', times: 4 });
    for (let times = 0; times < 4; times++) await lost(read(tool, launch));
    expect((await read(tool, launch)).status).toBe(401);
  },
  'two tabs of one launch that each notice its end, and a new launch': async (tool) => {
    const launch = tool.launch();
    await advance(tool, 12);
    for (let tab = 0; tab < 2; tab++) await read(tool, launch);
    await read(tool, tool.launch());
  },
  'three calls at once with a token that has ended, and again within two seconds': async (tool) => {
    const launch = tool.launch();
    await advance(tool, 12);
    await Promise.all([1, 2, 3].map(() => read(tool, launch)));
    tool.wait(1900);
    for (let times = 0; times < 3; times++) await read(tool, launch);
  },
  'a key that was read in an earlier launch of the same person': async (tool) => {
    await add(tool, tool.launch({ role: 'assistant' }), 'round');
    await read(tool, tool.launch({ role: 'instructor' }), 'context');
    await replace(tool, tool.launch({ role: 'instructor' }), { title: 'A' });
  },
  'a PUT of the value that another person wrote': async (tool) => {
    const [one, other] = [tool.launch({ role: 'instructor' }), tool.launch({ role: 'assistant' })];
    await replace(tool, one, { title: 'A' });
    await replace(tool, other, { title: 'B' });
    await replace(tool, one, { title: 'B' });
  },
  'a PUT of a value that another tab of the same person wrote': async (tool) => {
    const tabs = [tool.launch({ role: 'student' }), tool.launch({ role: 'student' })];
    for (const tab of tabs) await read(tool, tab);
    for (const [page, { api, storage }] of tabs.entries()) {
      await tool.send('PUT', storage.member, { token: api.token, json: { page } });
    }
  },
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
  'a grade that is repeated after 429 with Retry-After': async (tool) => {
    const launch = tool.launch();
    await fault(tool, { path: '/scores', status: 429, headers: { 'retry-after': '1' }, times: 2 });
    for (let times = 0; times < 3; times++) await submit(tool, launch);
  },
  'a grade that was lost, and another one later': async (tool) => {
    const launch = tool.launch();
    await fault(tool, { path: '/scores', close: 'after' });
    await lost(submit(tool, launch, 0.5));
    await submit(tool, launch, 0.75);
  },
  'the same score for two students, at two locations, and back again': async (tool) => {
    const staff = tool.launch({ role: 'instructor' });
    const students = ['member-111', 'member-112'].map((member) => tool.launch({ member }));
    for (const { grade } of students) {
      const { token } = staff.api;
      for (const score of [0.5, 0.75, 0.5]) {
        await tool.send('POST', grade.submit, { token, json: { score } });
      }
    }
  },
  'a file that is declared again because the first form was lost': async (tool) => {
    const launch = tool.launch();
    await fault(tool, { method: 'PUT', path: '/files/', close: 'after' });
    await lost(declared(tool, launch));
    await upload(tool, await declared(tool, launch));
  },
  'a file that is declared with another key because the first form was lost': async (tool) => {
    const launch = tool.launch();
    await fault(tool, { method: 'PUT', path: '/files/', close: 'after' });
    await lost(declared(tool, launch, 'a.txt'));
    await upload(tool, await declared(tool, launch, 'b.txt'));
  },
  'an upload that a fault prevented, and then one with another key': async (tool) => {
    const launch = tool.launch();
    await fault(tool, { path: 'incoming', status: 503 });
    expect((await upload(tool, await declared(tool, launch, 'a.txt'))).status).toBe(503);
    await fault(tool, { path: 'incoming', close: 'before' });
    await lost(upload(tool, await declared(tool, launch, 'b.txt')));
    await upload(tool, await declared(tool, launch, 'c.txt'));
  },
  'an upload whose response was lost': async (tool) => {
    const launch = tool.launch();
    const form = await declared(tool, launch);
    await fault(tool, { path: 'incoming', close: 'after' });
    await lost(upload(tool, form));
  },
  'an upload that continues while the token ends': async (tool) => {
    const launch = tool.launch();
    const form = await declared(tool, launch);
    await tool.control('POST token/end', { launch_id: launch.launch_id });
    expect((await upload(tool, form)).status).toBe(204);
    expect((await read(tool, launch)).status).toBe(401);
  },
  'a declared file that is given up, with a lost response': async (tool) => {
    const launch = tool.launch();
    await declared(tool, launch);
    await fault(tool, { method: 'DELETE', path: '/files/', close: 'after' });
    await lost(remove(tool, launch, 'notes.txt'));
  },
  'a download by a clock that is behind that of the service': async (tool) => {
    const launch = tool.launch();
    await tool.control('POST clock', { advance_seconds: 3600 });
    await upload(tool, await declared(tool, launch));
    tool.wait(10 * MINUTE);
    const { token } = launch.api;
    const file = (await tool.send('GET', `${launch.files.member}/notes.txt`, { token })).json();
    tool.wait(6 * MINUTE);
    // By its own clock it is valid for an hour more.
    expect((await tool.send('GET', String(file.url))).status).toBe(403);
  },
  'a row that another launch changed, with a late response': async (tool) => {
    const [one, other] = [tool.launch({ role: 'instructor' }), tool.launch({ role: 'assistant' })];
    await replace(tool, one, { title: 'A' });
    await fault(tool, { method: 'PATCH', path: '/row', delay_ms: 1000 });
    const added = add(tool, other, 'round');
    await tool.late.delayed;
    const seen = (await read(tool, one, 'context')).json();
    expect(seen).toEqual({ title: 'A', round: 1 });
    tool.late.send();
    await added;
    // It has seen the round, and takes it away.
    await replace(tool, one, { title: 'B' });
  },
  'a PUT that is repeated because its response was lost': async (tool) => {
    const [one, other] = [tool.launch({ role: 'instructor' }), tool.launch({ role: 'assistant' })];
    await add(tool, other, 'round');
    await read(tool, one, 'context');
    await fault(tool, { method: 'PUT', path: '/row', close: 'after' });
    await lost(replace(tool, one, { title: 'A' }));
    await replace(tool, one, { title: 'A' });
  },
  'two tabs of one student that each replace the same keys': async (tool) => {
    const tabs = [tool.launch({ role: 'student' }), tool.launch({ role: 'student' })];
    for (const tab of tabs) await read(tool, tab);
    for (const page of [1, 2]) {
      for (const { api, storage } of tabs) {
        const sent = { token: api.token, json: { page, notes: ['a'] } };
        await tool.send('PUT', storage.member, sent);
      }
    }
  },
  'a preflight, and requests that a browser makes by itself': async (tool) => {
    const { storage } = tool.launch();
    await tool.send('OPTIONS', storage.member);
    for (const path of ['', 'favicon.ico', 'apple-touch-icon.png', '.well-known/jwks.json']) {
      await tool.send('GET', `http://service.test/${path}`);
    }
  },
  'a finish call whose response was lost': async (tool) => {
    const { claims } =
      await tool.control<Answers['POST provision-request']>('POST provision-request');
    const { api, storage, provision } = claims as unknown as Claims;
    await tool.send('GET', storage.parent_context, { token: api.token });
    await fault(tool, { method: 'PUT', path: '/provision/', close: 'after' });
    await lost(tool.send('PUT', provision.context, { token: api.token }));
  },
};

test.each(Object.entries(INNOCENT))('the report has no finding for %s', async (_, act) => {
  const tool = emulated();
  await act(tool);
  expect(await tool.found()).toEqual([]);
});

/** Calls that the service refuses, and the codes of the findings. */
const REFUSED: Readonly<
  Record<string, readonly [codes: readonly string[], act: (tool: Tool) => Promise<unknown>]>
> = {
  'a row that is over its limit, and one that is sent as an array': [
    ['row.too_large', 'body.not_object'],
    async (tool) => {
      const { api, storage } = tool.launch();
      for (const json of [{ text: 'x'.repeat(600_000) }, [1]]) {
        await tool.send('PUT', storage.member, { token: api.token, json });
      }
    },
  ],
  'scores that are out of range, as one finding': [
    ['grade.score_range'],
    async (tool) => {
      const launch = tool.launch();
      for (const score of [8, 9, 10]) await submit(tool, launch, score);
      const { findings } = await tool.control<Report>('GET report');
      expect(findings).toMatchObject([
        {
          code: 'request.refused',
          severity: 'warning',
          requests: [1, 2, 3],
          message: 'the service refused with 422 grade.score_range: score must be between 0 and 1',
        },
      ]);
    },
  ],
  'calls without a token, and with one that no launch has': [
    ['auth.missing', 'auth.unknown', 'auth.key_unknown'],
    async (tool) => {
      const launch = tool.launch();
      await tool.send('GET', launch.storage.member);
      await tool.send('GET', launch.storage.member, { token: 'undefined' });
      await submit(tool, launch, 0.5, 'undefined');
    },
  ],
  'a method that an address does not have': [
    ['method_not_allowed'],
    async (tool) => {
      const { api, storage } = tool.launch();
      await tool.send('DELETE', storage.member, { token: api.token });
    },
  ],
  'a launch_id in a body that is rejected before it is read': [
    ['auth.missing_grade', 'request.launch_id'],
    async (tool) => {
      const { grade, launch_id } = tool.launch();
      await tool.send('POST', grade.submit, { json: { launch_id, score: 0.5 } });
    },
  ],
  'an upload whose size differs from the declaration': [
    ['request.declaration_without_upload', 'EntityTooSmall'],
    async (tool) => {
      const launch = tool.launch();
      const sent = { token: launch.api.token, json: { size: 6 } };
      const form = (await tool.send('PUT', `${launch.files.member}/notes.txt`, sent)).json();
      expect((await upload(tool, form as unknown as Form)).status).toBe(400);
    },
  ],
  'a file that is read before it is there, and a wrong key': [
    ['file.key_invalid'],
    async (tool) => {
      const { api, files } = tool.launch();
      await tool.send('GET', `${files.member}/notes.txt`, { token: api.token });
      await tool.send('PUT', `${files.member}/.notes`, { token: api.token, json: { size: 5 } });
    },
  ],
  'a shared row that a student writes, while a fault refuses another call': [
    ['row.forbidden'],
    async (tool) => {
      const launch = tool.launch({ role: 'student' });
      await fault(tool, { path: '/scores', status: 422 });
      await submit(tool, launch);
      await replace(tool, launch, { title: 'A' });
    },
  ],
  'an ungraded location': [
    ['grade.not_assessment'],
    async (tool) => {
      const { non_assessment_grade_url: url, api_key: token } =
        await tool.control<Fixture>('POST fixture');
      await tool.send('POST', url, { token, json: { score: 1 } });
    },
  ],
  'unprovisioned rows next to a provision request that was printed': [
    ['row.unprovisioned'],
    async (tool) => {
      const { claims } =
        await tool.control<Answers['POST provision-request']>('POST provision-request');
      const course = (claims as unknown as Claims).context;
      const launch = tool.launch({ course, role: 'instructor' });
      expect((await read(tool, launch, 'context')).status).toBe(422);
    },
  ],
  'a read of every launch of the fixture': [
    ['row.unprovisioned', 'grade.not_assessment'],
    async (tool) => {
      const fixture = await tool.control<Fixture>('POST fixture');
      const { fresh, staff, student1, student2, account, other_course: other } = fixture;
      for (const launch of [fresh, staff, student1, student2, account, other]) {
        await read(tool, launch);
        await read(tool, launch, 'context');
        await read(tool, launch, 'member_location');
        await submit(tool, launch);
      }
      for (const launch of [fixture.ended, fixture.suspended, fixture.unprovisioned]) {
        await read(tool, launch, 'context');
      }
      for (const launch of [fixture.no_lineitem, fixture.lms_refuses, fixture.score_scope_only]) {
        await submit(tool, launch);
      }
      await submit(tool, staff, 1, fixture.api_key);
      const { api, storage, provision } = fixture.provision_request;
      const { token } = api;
      await tool.send('GET', storage.parent_context, { token });
      await tool.send('PUT', provision.context, { token });
      await tool.send('PUT', provision.location, { token });
      const other_member = student1.grade.submit.replace(
        student1.user.member,
        fixture.never_opened_member,
      );
      await tool.send('POST', other_member, { token: fixture.api_key, json: { score: 1 } });
      const answer = await tool.send('POST', fixture.non_assessment_grade_url, {
        token: fixture.api_key,
        json: { score: 1 },
      });
      expect(answer.status).toBe(422);
    },
  ],
};

test.each(Object.entries(REFUSED))('the report has the refusals of %s', async (_, [codes, act]) => {
  const tool = emulated();
  await act(tool);
  expect(await tool.found()).toEqual(codes);
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

test.each(['moon', 'sun', 'rain', 'snow'])(
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

/** What looks like it, and is the tool's own doing; the plainest of each code is in explain's examples. */
const GUILTY: Readonly<Record<string, readonly [code: string, (tool: Tool) => Promise<unknown>]>> =
  {
    'a form that expired by the clock, and then one with another key': [
      'request.signed_url_expired',
      async (tool) => {
        const launch = tool.launch();
        const form = await declared(tool, launch, 'a.txt');
        await tool.control('POST clock', { advance_seconds: 600 });
        await upload(tool, form);
        await upload(tool, await declared(tool, launch, 'b.txt'));
      },
    ],
    'a download URL that is used after the clock was moved past its end': [
      'request.signed_url_expired',
      async (tool) => {
        const { api, files } = tool.launch();
        await upload(tool, await declared(tool, tool.launch()));
        const sent = { token: api.token };
        const { url } = (await tool.send('GET', `${files.member}/notes.txt`, sent)).json();
        await tool.control('POST clock', { advance_seconds: 1200 });
        expect((await tool.send('GET', String(url))).status).toBe(403);
      },
    ],
    'a signed form that expired while the clock ran': [
      'request.signed_url_expired',
      async (tool) => {
        const launch = tool.launch();
        const form = await declared(tool, launch);
        tool.wait(10 * MINUTE);
        await upload(tool, form);
        await upload(tool, await declared(tool, launch));
      },
    ],
    'an ended token that is used repeatedly, with a lost response in between': [
      'request.ended_token_repeated',
      async (tool) => {
        const launch = tool.launch();
        await advance(tool, 12);
        await read(tool, launch);
        tool.wait(2500);
        await read(tool, launch);
        await fault(tool, { path: '/row', close: 'after' });
        await lost(read(tool, launch));
        await read(tool, launch);
      },
    ],
    'an ended token that is used at several addresses, and again after two seconds': [
      'request.ended_token_repeated',
      async (tool) => {
        const launch = tool.launch();
        await advance(tool, 12);
        await read(tool, launch);
        await read(tool, launch, 'context');
        tool.wait(2500);
        for (let times = 0; times < 2; times++) await read(tool, launch, 'context');
      },
    ],
    'a token in the query of an address from a launch': [
      'request.token_in_url',
      async (tool) => {
        const { api, storage } = tool.launch();
        await tool.send('GET', `${storage.member}&access_token=${api.token}`);
      },
    ],
    'a patch with the type of a JSON Patch': [
      'request.content_type',
      async (tool) => {
        const { api, storage } = tool.launch();
        const json = { patch: [{ op: 'add', path: '/a', value: 1 }] };
        const type = 'application/json-patch+json';
        expect(
          (await tool.send('PATCH', storage.member, { token: api.token, json, type })).status,
        ).toBe(204);
        const { findings } = await tool.control<Report>('GET report');
        expect(findings).toMatchObject([
          {
            severity: 'warning',
            message: `the JSON body of PATCH member row has the Content-Type ${type}`,
          },
        ]);
      },
    ],
    'an encoded token in a query, next to the header': [
      'request.token_in_url',
      async (tool) => {
        const { api } = tool.launch();
        const code = [...api.token].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
        await tool.send('GET', `http://service.test/cb?code=${code}`, { token: api.token });
      },
    ],
    'an API key in the query of an upload': [
      'request.token_in_url',
      async (tool) => {
        const { api_key: key } = await tool.control<Answers['POST key']>('POST key');
        const launch = tool.launch();
        const form = await declared(tool, launch);
        await upload(tool, { ...form, url: `${form.url}&key=${key}` });
        await upload(tool, form);
      },
    ],
    'a PUT that overwrites the value of another person with an old one': [
      'request.value_overwritten',
      async (tool) => {
        const [one, other] = [
          tool.launch({ role: 'instructor' }),
          tool.launch({ role: 'assistant' }),
        ];
        await replace(tool, one, { page: { title: 'A', size: 1 } });
        await replace(tool, other, { page: { title: 'B', size: 1 } });
        await replace(tool, one, { page: { title: 'A', size: 2 } });
        const { findings } = await tool.control<Report>('GET report');
        expect(findings).toMatchObject([
          { severity: 'error', requests: [2, 3], message: expect.stringContaining('/page/title') },
        ]);
      },
    ],
    'a PUT that drops what another launch of the same person wrote': [
      'request.keys_dropped',
      async (tool) => {
        const [before, other] = [
          tool.launch({ role: 'instructor' }),
          tool.launch({ role: 'assistant' }),
        ];
        await read(tool, before, 'context');
        await add(tool, other, 'round');
        await replace(tool, tool.launch({ role: 'instructor' }), { title: 'A' });
      },
    ],
    'two declarations of which one was uploaded late and the other never': [
      'request.signed_url_expired',
      async (tool) => {
        const launch = tool.launch();
        const form = await declared(tool, launch, 'late.txt');
        tool.wait(10 * MINUTE);
        await declared(tool, launch, 'never.txt');
        expect((await upload(tool, form)).status).toBe(403);
        const { findings } = await tool.control<Report>('GET report');
        expect(findings.map(({ code, message }) => [code, message])).toContainEqual([
          'request.declaration_without_upload',
          expect.stringContaining('never.txt'),
        ]);
        await remove(tool, launch, 'never.txt');
      },
    ],
    'two declarations of which one upload failed by an injected response': [
      'request.declaration_without_upload',
      async (tool) => {
        const launch = tool.launch();
        await declared(tool, launch, 'never.txt');
        await fault(tool, { path: 'incoming', status: 503 });
        expect((await upload(tool, await declared(tool, launch, 'b.txt'))).status).toBe(503);
        await fault(tool, { path: 'incoming', close: 'before' });
        await lost(upload(tool, await declared(tool, launch, 'c.txt')));
        const { findings } = await tool.control<Report>('GET report');
        expect(findings.map(({ message }) => message)).toEqual([
          expect.stringContaining('never.txt'),
        ]);
      },
    ],
    'a grade URL that was built although grade.submit is null': [
      'request.url_segment_changed',
      async (tool) => {
        const { locations } = await tool.control<Answers['GET world']>('GET world');
        const ungraded = locations.find(({ type }) => type !== 'assessment');
        const other = tool.launch({ location: ungraded?.id ?? '' });
        expect(other.grade.submit).toBeNull();
        const { location, grade } = tool.launch();
        const built = grade.submit.replace(location.id, other.location.id);
        await tool.send('POST', built, { token: other.api.token, json: { score: 1 } });
      },
    ],
    'a download URL that is used after it expired': [
      'request.signed_url_expired',
      async (tool) => {
        const { api, files } = tool.launch();
        await upload(tool, await declared(tool, tool.launch()));
        const sent = { token: api.token };
        const { url } = (await tool.send('GET', `${files.member}/notes.txt`, sent)).json();
        tool.wait(6 * MINUTE);
        await tool.send('GET', String(url));
      },
    ],
    "a PUT that is repeated after another person's write": [
      'request.keys_dropped',
      async (tool) => {
        const [one, other] = [
          tool.launch({ role: 'instructor' }),
          tool.launch({ role: 'assistant' }),
        ];
        await fault(tool, { method: 'PUT', path: '/row', close: 'after' });
        await lost(replace(tool, one, { title: 'A' }));
        await add(tool, other, 'round');
        await replace(tool, one, { title: 'A' });
      },
    ],
    'a tab of a student that drops what another tab wrote': [
      'request.keys_dropped',
      async (tool) => {
        const tabs = [tool.launch({ role: 'student' }), tool.launch({ role: 'student' })];
        for (const tab of tabs) await read(tool, tab);
        for (const [index, { api, storage }] of tabs.entries()) {
          const json = { answers: { [`question_${index}`]: 1 } };
          await tool.send('PUT', storage.member, { token: api.token, json });
        }
      },
    ],
    'a PUT that drops a name that a PATCH had added to an object': [
      'request.keys_dropped',
      async (tool) => {
        const [one, other] = [
          tool.launch({ role: 'instructor' }),
          tool.launch({ role: 'assistant' }),
        ];
        await read(tool, one, 'context');
        const json = { patch: [{ op: 'add', path: '/answers', value: { first: { a: 1 } } }] };
        await tool.send('PATCH', other.storage.context, { token: other.api.token, json });
        await replace(tool, one, { answers: { second: 1 } });
      },
    ],
    'a member row whose URL was built for another student': [
      'request.url_segment_changed',
      async (tool) => {
        const { api, storage, user } = tool.launch({ role: 'instructor' });
        const url = storage.member.replace(user.member, 'member-112');
        await tool.send('GET', url, { token: api.token });
      },
    ],
    'a call to the tool with its launch in the path': [
      'request.url_not_handed_out',
      async (tool) => {
        const { api, launch_id: id } = tool.launch();
        await tool.send('GET', `http://service.test/logs/${id}`, { token: api.token });
      },
    ],
    'a grade submission in the form used before 2026-09-21': [
      'request.removed_endpoint',
      async (tool) => {
        const { api, launch_id } = tool.launch();
        const json = { launch_id, score: 0.5 };
        await tool.send('POST', 'http://service.test/grades', { token: api.token, json });
      },
    ],
  };

test.each(Object.entries(GUILTY))('the report finds %s', async (_, [code, act]) => {
  const tool = emulated();
  await act(tool);
  expect(await tool.found()).toEqual([code]);
});

test('a row near its limit is reported in the unit of the limit', async () => {
  const tool = emulated();
  const { api, storage } = tool.launch();
  const json = { text: 'x'.repeat(450_000) };
  await tool.send('PUT', storage.member, { token: api.token, json });
  const { findings } = await tool.control<Report>('GET report');
  expect(findings.map(({ message }) => message)).toEqual([
    'a member row has 439 KB: 85 % of its limit of 512 KB',
  ]);
});
