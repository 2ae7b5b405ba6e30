import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import type { Claims } from '../documents.ts';
import { emulated } from '../subject.ts';
import { send } from '../wire.ts';

const HOUR = 60 * 60;

interface Received {
  readonly path: string;
  readonly body: Claims;
}

/** A tool's server that keeps what it gets and answers as the test says. */
async function toolServer(
  answer: () => { status?: number; body?: string; headers?: OutgoingHttpHeaders } | Promise<never>,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const { origin } = await startService(async ({ target, body: sent }, response) => {
    received.push({ path: target, body: JSON.parse(sent.toString()) as Claims });
    const { status = 200, body = '{}', headers = {} } = await answer();
    response.writeHead(status, headers).end(body);
  });
  return { url: origin, received };
}

async function emulatedWith(tool: object, more: object = {}) {
  const seed = {
    tools: [{ id: 'essay', ...tool }],
    courses: [
      { id: 'old', locations: [{ id: 'one', tool: 'essay' }] },
      {
        id: 'new',
        copy_of: 'old',
        members: [{ id: 'amina' }],
        locations: [{ id: 'two', tool: 'essay', copy_of: 'one' }],
      },
    ],
  };
  const { control, operate } = await emulated({ seed, ...more });
  const calls = async () => (await control('state')).provision_requests;
  return { control, calls, operate };
}

describe('a provision request', () => {
  test('is sent with its claims, and the finish call ends the repetitions', async () => {
    const tool = await toolServer(() => ({}));
    const { control, calls } = await emulatedWith({ provision_url: `${tool.url}/provision` });
    const { claims } = await control('provision-request', { course: 'new' });
    expect(tool.received).toHaveLength(1);
    expect(tool.received[0]).toMatchObject({ path: '/provision', body: claims });
    expect(await calls()).toMatchObject([{ requests: 1, status: 200, error: null, course: 'new' }]);
    for (const url of [claims.provision.context, claims.provision.location]) {
      expect((await send('PUT', url, { token: claims.api.token })).status).toBe(204);
    }
    await control('clock', { advance_seconds: 4 * HOUR });
    expect(tool.received).toHaveLength(1);
  });

  test('is repeated once after 3 hours without a finish call, with a new token', async () => {
    const now = Date.UTC(2026, 9, 13);
    const tool = await toolServer(() => ({ status: 503, body: 'signed by RS256\n' }));
    const { control, calls } = await emulatedWith(
      { provision_url: `${tool.url}/provision` },
      { now: () => now },
    );
    await control('provision-request', { course: 'new' });
    await control('clock', { advance_seconds: 3 * HOUR - 0.001 });
    expect(tool.received).toHaveLength(1);
    await control('clock', { advance_seconds: 0.001 });
    expect(tool.received).toHaveLength(2);
    const [first, second] = tool.received.map(({ body }) => body.api.token);
    expect(first).not.toBe(second);
    expect(await calls()).toMatchObject([
      { requests: 2, status: 503, error: 'the tool answered 503: signed by RS256' },
    ]);
    await control('clock', { advance_seconds: 24 * HOUR });
    expect(tool.received).toHaveLength(2);
  });

  test('follows no redirect, and times out after 10 s', async () => {
    const other = await toolServer(() => ({}));
    const tool = await toolServer(() => ({
      status: 307,
      headers: { location: other.url },
      body: '',
    }));
    const redirected = await emulatedWith({ provision_url: tool.url });
    await redirected.control('provision-request', { course: 'new' });
    expect(await redirected.calls()).toMatchObject([
      { status: 307, error: 'the tool answered 307' },
    ]);
    expect(other.received).toEqual([]);

    const silent = await toolServer(() => new Promise<never>(() => {}));
    const waits: number[] = [];
    // The time passes when the request has come.
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms);
      while (silent.received.length === 0)
        await new Promise((resolve) => void setImmediate(resolve));
    };
    const waiting = await emulatedWith({ provision_url: silent.url }, { sleep });
    await waiting.control('provision-request', { course: 'new' });
    expect(waits).toEqual([10_000]);
    expect(await waiting.calls()).toMatchObject([{ status: null, error: 'no answer within 10 s' }]);
  });

  test('that no server accepts is reported, and pending requests are exported', async () => {
    const { control, calls, operate } = await emulatedWith({
      provision_url: 'http://127.0.0.1:9/',
    });
    await control('provision-request', { course: 'new' });
    expect(await calls()).toMatchObject([
      {
        status: null,
        error: expect.stringContaining('nothing listens at http://127.0.0.1:9:') as unknown,
      },
    ]);
    const { bytes: body } = await operate('GET', 'export');
    await control('reset', {});
    expect(await calls()).toEqual([]);
    expect((await operate('POST', 'import', { body })).status).toBe(200);
    expect(await calls()).toMatchObject([
      { error: expect.stringContaining('ECONNREFUSED') as unknown },
    ]);
    // The server of a session may be another person's.
    const before = await calls();
    await control('clock', { advance_seconds: 4 * HOUR });
    expect(await calls()).toEqual(before);
  });
});

describe('provision requests', () => {
  /** A copy whose locations are of a tool without a server, and of two with one. */
  async function copied() {
    const tool = await toolServer(() => ({}));
    const at = (path: string) => ({ provision_url: `${tool.url}/${path}` });
    const seed = {
      tools: [{ id: 'plain' }, { id: 'quiz', ...at('quiz') }, { id: 'poll', ...at('poll') }],
      courses: [
        { id: 'old', locations: [{ id: 'one', tool: 'quiz' }] },
        {
          id: 'new',
          copy_of: 'old',
          locations: ['plain', 'quiz', 'quiz', 'poll'].map((name, at_) => ({
            id: `${name}-${at_}`,
            tool: name,
          })),
        },
      ],
    };
    const { control } = await emulated({ seed });
    const finish = async ({ api, provision }: Claims): Promise<void> => {
      for (const url of Object.values(provision)) await send('PUT', url, { token: api.token });
    };
    const asked = () => tool.received.splice(0).map(({ body }) => body.location.id);
    const request = (wish: object) => control('provision-request', wish);
    return { tool, asked, request, finish };
  }

  test('are sent for every pending location, and later only for the remaining ones', async () => {
    const { tool, asked, request, finish } = await copied();
    const { claims, sent, not_sent } = await request({ course: 'new' });
    expect(sent.map(({ location }) => location)).toEqual(['quiz-1', 'quiz-2', 'poll-3']);
    expect([claims.location.id, not_sent]).toEqual(['quiz-1', null]);
    const bodies = tool.received.map(({ body }) => body);
    expect(asked().sort()).toEqual(['poll-3', 'quiz-1', 'quiz-2']);
    for (const body of bodies) if (body.location.id !== 'quiz-2') await finish(body);
    expect((await request({ course: 'new' })).claims.location.id).toBe('quiz-2');
    expect(asked()).toEqual(['quiz-2']);
    for (const body of bodies) await finish(body);
    const last = await request({ course: 'new' });
    expect([asked(), last.sent, last.claims.location.id]).toEqual([[], [], 'plain-0']);
    expect(last.not_sent).toContain('name one with --location');
  });

  test('are only sent for the requested location, ready or not', async () => {
    const { tool, asked, request, finish } = await copied();
    await request({ location: 'quiz-2' });
    for (const { body } of tool.received) await finish(body);
    await request({ location: 'quiz-2' });
    expect(asked()).toEqual(['quiz-2', 'quiz-2']);
    const plain = await request({ course: 'new', location: 'plain-0' });
    expect([asked(), plain.not_sent]).toEqual([[], 'tool plain has no provision_url']);
  });
});

test('a reset during a request to a tool discards the request', async () => {
  const tool = await toolServer(() => new Promise<never>(() => {}));
  const { control, calls } = await emulatedWith({
    locations_url: tool.url,
    provision_url: tool.url,
  });
  const asked = [
    control('locations-request', { course: 'new' }),
    control('provision-request', { course: 'new' }),
  ];
  while (tool.received.length < 2) await new Promise((resolve) => void setImmediate(resolve));
  await control('reset', {});
  const words = 'the emulator was reset or stopped before the tool answered';
  expect(await Promise.all(asked)).toMatchObject([{ error: words }, { sent: [{ error: words }] }]);
  expect((await control('state')).locations_answers).toEqual([]);
  expect(await calls()).toEqual([]);
});

describe('a locations request', () => {
  const ask = async (text: string) => {
    const tool = await toolServer(() => ({ body: text }));
    const { control } = await emulatedWith({ locations_url: `${tool.url}/locations` });
    const answer = await control('locations-request', { course: 'new' });
    expect((await control('state')).locations_answers).toEqual([answer]);
    return { ...answer, sent: tool.received[0]?.body };
  };

  test('names the course, and the valid parts of the response are stored', async () => {
    const { sent, ...asked } = await ask('{"locations":[{"id":"quiz"}]}');
    expect(sent).toMatchObject({ context: 'new', organization: { deployment: 'campus-lms' } });
    expect(asked).toMatchObject({
      error: null,
      findings: [],
      answer: { locations: [{ id: 'quiz' }], grouped_locations: null, message: null },
    });
  });

  test('that is wrong is rejected, with its findings', async () => {
    const { answer, findings } = await ask('{"places":[]}');
    expect([answer, findings.map((each) => each.code)]).toEqual([null, ['locations.nothing']]);
  });

  test('is rejected for a tool without an address', async () => {
    const { control } = await emulatedWith({});
    await expect(control('locations-request', {})).rejects.toThrow('no tool of the seed');
  });
});
