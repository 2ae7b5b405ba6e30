import { describe, expect, test } from 'vitest';
import { withScript } from '../../../src/emulator/pages/tool-origin.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { startService } from '../../support/service.ts';
import { zipOf } from '../../support/zip.ts';
import { type Emulated, emulated, launchOf, type Launch } from '../subject.ts';
import { send } from '../wire.ts';

interface Opened {
  readonly page: string;
  readonly launch: Launch;
  /** The frame's address. */
  readonly frame: string;
  readonly origin: string;
}

async function open({ control }: Emulated, query = ''): Promise<Opened> {
  const launched = await control('launch', { tool: 'sketch' });
  const page = (launched as unknown as { course_page: string }).course_page;
  const html = (await send('GET', page + query)).text;
  const frame = /src="(http:[^"]+)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? '';
  return { page, launch: launchOf(launched.claims), frame, origin: new URL(frame).origin };
}

/** What the page asks for again and again. */
const statusOf = async (page: string) =>
  (await send('GET', `${page}/status`)).json<Record<string, unknown>>();

const upload = ({ operate }: Emulated, files: Parameters<typeof zipOf>[0]) =>
  operate('POST', 'tool/upload?tool=sketch', {
    body: zipOf(files),
    headers: { 'content-type': 'application/zip' },
  });

describe('CORS', () => {
  const preflight = (url: string, origin: string) =>
    send('OPTIONS', url, {
      headers: { origin, 'access-control-request-method': 'PUT' },
    });

  test('allows the exact origin of a served frame, without credentials', async () => {
    const emulator = await emulated();
    const { launch, origin } = await open(emulator);
    const asked = await preflight(launch.row('member'), origin);
    expect([asked.status, asked.headers]).toMatchObject([
      204,
      { 'access-control-allow-origin': origin, vary: 'Origin' },
    ]);
    expect(asked.headers).not.toHaveProperty('access-control-allow-credentials');
    const read = await launch.call('GET', launch.row('member'), { headers: { origin } });
    expect(read.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    expect((await preflight(`${emulator.served.blobUrl}/x`, origin)).status).toBe(204);
  });

  test('blocks a tool whose frame was not served, and any other page', async () => {
    const emulator = await emulated();
    const { launch, origin } = await open(emulator);
    const thirdParty = origin.replace('127.0.0.1', 'localhost');
    for (const other of [thirdParty, 'null', 'https://evil.example', `${origin}0`]) {
      const answer = await preflight(launch.row('member'), other);
      expect([other, answer.status]).toEqual([other, 403]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    await open(emulator, '?third-party');
    expect((await preflight(launch.row('member'), thirdParty)).status).toBe(204);
  });

  test('allows the origin of a development server until a reset', async () => {
    const { control } = await emulated();
    const { origin } = await startService((_, response) => void response.end());
    const { row } = launchOf((await control('launch', { dev_url: origin })).claims);
    expect((await preflight(row('member'), origin)).status).toBe(204);
    await control('reset', {});
    expect((await preflight(row('member'), origin)).status).toBe(403);
  });

  test('lets preflights cause no entry in Traffic and no fault', async () => {
    const emulator = await emulated();
    const { control } = emulator;
    const { launch, origin } = await open(emulator);
    await control('fault', { method: 'OPTIONS', path: '.', status: 500 });
    expect((await preflight(launch.row('member'), origin)).status).toBe(204);
    expect((await control('requests')).total).toBe(0);
  });

  test('sends no headers for keys, removed endpoints and unknown addresses, but does for a missing row', async () => {
    const emulator = await emulated();
    const { launch, origin } = await open(emulator);
    const allowed = async (method: string, path: string) => {
      const { token } = launch;
      const headers = { origin, 'access-control-request-method': 'GET' };
      const reply = await send(method, emulator.served.url + path, { token, headers });
      return reply.headers['access-control-allow-origin'];
    };
    for (const path of ['/.well-known/jwks.json', '/apps/me', '/nothing']) {
      expect([path, await allowed('GET', path)]).toEqual([path, undefined]);
      expect([path, await allowed('OPTIONS', path)]).toEqual([path, undefined]);
    }
    expect(await allowed('GET', '/data/v1/nothing')).toBe(origin);
    const { pathname, search } = new URL(launch.claims.provision.context);
    expect(await allowed('OPTIONS', pathname + search)).toBe(origin);
  });

  test('is never allowed for the control API, which accepts only its own Origin', async () => {
    const emulator = await emulated();
    const { page, origin } = await open(emulator);
    const clock = `${emulator.served.url}/_emulator/clock`;
    for (const url of [clock, page, `${page}/status`, `${page}/again`]) {
      for (const foreign of [origin, emulator.served.blobUrl, 'null']) {
        expect((await preflight(url, foreign)).status).toBe(403);
        const sent = { token: 'control', json: {}, headers: { origin: foreign } };
        expect((await send('POST', url, sent)).status).toBe(403);
      }
    }
    const own = { json: { advance_seconds: 1 }, headers: { origin: emulator.served.url } };
    expect((await emulator.operate('POST', 'clock', own)).status).toBe(200);
    // Without an Origin at all nothing is launched from a page.
    expect((await send('POST', `${page}/again`, { json: {} })).status).toBe(403);
  });
});

test('a refused call counts as unnoticed until the page of a frame has seen one', async () => {
  const emulator = await emulated();
  await upload(emulator, [{ name: 'index.html', content: 'hi' }]);
  const { page, launch, origin } = await open(emulator);
  await emulator.control('clock', { advance_seconds: 12 * 60 * 60 });
  const unnoticed = async () => (await statusOf(page)).unnoticed;
  const refuse = () => launch.call('GET', launch.row('member'), { headers: { origin } });
  const notice = async (from: string) =>
    (await send('POST', `${page}/noticed`, { headers: { origin: from } })).status;
  expect(await unnoticed()).toBe(false);
  const refused = await refuse();
  const { launch_id: launchId } = launch.claims;
  expect([refused.status, refused.headers['lectern-session-ended']]).toEqual([401, launchId]);
  expect(await unnoticed()).toBe(true);
  expect(await notice(origin)).toBe(403);
  expect(await unnoticed()).toBe(true);
  expect(await notice(emulator.served.url)).toBe(200);
  expect(await unnoticed()).toBe(false);
  await refuse();
  expect(await unnoticed()).toBe(false);
});

describe('a course page', () => {
  test('shows the upgrade that is offered to a course on a deprecated version', async () => {
    const emulator = await emulated();
    const { control } = emulator;
    const { page } = await open(emulator);
    const upgrade = async () => (await statusOf(page)).upgrade;
    await control('adopt', { course: 'biology-101', tool: 'sketch', code: '1' });
    await control('tool', { tool: 'sketch', action: 'publish', visibility: 'private' });
    expect(await upgrade()).toBeNull();
    await control('tool', { tool: 'sketch', action: 'deprecate', version: 1 });
    expect(await upgrade()).toEqual({ from: 1, to: 2 });
  });

  test('names the reason for which its session has ended', async () => {
    const emulator = await emulated();
    const { control } = emulator;
    const act = (action: string) => control('tool', { tool: 'sketch', action });
    for (const [reason, end] of [
      ['the code of the tool was replaced', () => upload(emulator, [{ name: 'index.html' }])],
      ['the tool was suspended', async () => [await act('suspend'), await act('activate')]],
      ['it was idle: no call for 12 hours', () => control('clock', { advance_seconds: 43_200 })],
      ['the person left the course', (member: string) => control('member/remove', { member })],
    ] as const) {
      const { page, launch } = await open(emulator);
      const ended = async () => (await statusOf(page)).ended;
      expect(await ended()).toBeNull();
      await end(launch.claims.user.member);
      expect(await ended()).toBe(reason);
    }
  });

  test('launches no external tool with a token that has ended', async () => {
    const { control, served } = await emulated();
    const { tools } = served.emulator.state.world;
    tools.put({ ...tools.get('essay'), callback: 'http://127.0.0.1:9/' } as never);
    const { course_page: page } = (await control('launch', { tool: 'essay' })) as never;
    const form = () => send('POST', `${page}/form`, { headers: { origin: served.url } });
    const answer = (status: number, text: string) => ({
      status,
      text: expect.stringContaining(text),
    });
    expect(await form()).toMatchObject(answer(200, 'launch_token'));
    await control('clock', { advance_seconds: 43_200 });
    expect(await form()).toMatchObject(answer(422, 'no call for 12 hours'));
  });

  test('launches again by itself only after an upload of a watch', async () => {
    const emulator = await emulated();
    const { control, served } = emulator;
    const relaunches = async (end: () => Promise<unknown>) => {
      const { page } = await open(emulator);
      await end();
      const { ended, relaunches: again } = await statusOf(page);
      return [ended, again];
    };
    const replaced = 'the code of the tool was replaced';
    const code = zipOf([{ name: 'index.html' }]);
    const watch = () => served.control('POST tool/upload', { tool: 'sketch', watch: true }, code);
    expect(await relaunches(watch)).toEqual([replaced, true]);
    const replace = () => control('tool', { tool: 'sketch', action: 'replace-code' });
    expect(await relaunches(replace)).toEqual([replaced, false]);
    await watch();
    const adopt = () => control('adopt', { course: 'biology-101', tool: 'sketch', code: '1' });
    expect(await relaunches(adopt)).toEqual([replaced, false]);
  });

  test('cannot be framed, and loads nothing from other origins', async () => {
    const { page, origin } = await open(await emulated());
    const { headers } = await send('GET', page);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`frame-src ${origin};`);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'lectern-reading': expect.stringContaining('not shown') as unknown,
    });
  });

  test('opened at localhost redirects to its own address', async () => {
    const { page } = await open(await emulated());
    const there = await send('GET', page.replace('127.0.0.1', 'localhost'));
    expect([there.status, there.headers.location]).toEqual([307, page]);
  });

  test('contains no token, and shows names as text, bidi controls as code points', async () => {
    const emulator = await emulated();
    const { page, launch } = await open(emulator);
    const { members } = emulator.served.emulator.state.world;
    const member = members.get(launch.claims.user.member);
    members.put({ ...member, family_name: '<img src=x>a\u202eb\u2066c' } as never);
    const { text } = await send('GET', page);
    expect(text).not.toContain(launch.token);
    expect(text).not.toContain('<img');
    expect(text).toContain('&#60;img');
    expect(text).toContain('a\\u{202e}b\\u{2066}c');
    expect(text).not.toMatch(/\p{Bidi_Control}/u);
  });

  test('of an unknown launch is 404, as JSON to a request for more than the page', async () => {
    const { page } = await open(await emulated());
    const unknown = page.replace(/[^/]+$/, 'nobody');
    expect((await send('GET', unknown)).status).toBe(404);
    const { status, text } = await send('POST', `${unknown}/again`, { json: {} });
    expect([status, JSON.parse(text)]).toMatchObject([
      404,
      { error: { code: 'launch.not_found' } },
    ]);
  });
});

describe('the origin of a hosted tool', () => {
  test('stays the same after a restart, and its calls work without opening the page again', async () => {
    const data = temporaryFolder();
    const first = await emulated({ data });
    await upload(first, [{ name: 'index.html', content: 'hi' }]);
    const { frame, origin, launch } = await open(first);
    await first.served.close();
    await emulated({ data });
    expect((await send('GET', frame)).text).toContain('hi');
    const read = await launch.call('GET', launch.row('member'), { headers: { origin } });
    expect(read.headers).toMatchObject({ 'access-control-allow-origin': origin });
  });

  test('serves the files of its version by their exact name, folders by their index, and nothing else', async () => {
    const emulator = await emulated();
    await upload(emulator, [
      { name: 'tool/index.html', content: 'root' },
      { name: 'tool/a b/index.html', content: 'below' },
      { name: 'tool/app.mjs', content: 'export {}' },
      { name: 'tool/data', content: '?' },
    ]);
    const { frame, origin } = await open(emulator);
    const get = (path: string) => send('GET', frame + path);
    expect((await get('')).text).toContain('root');
    expect((await get('a%20b/')).text).toContain('below');
    expect((await get('')).headers).toMatchObject({
      'content-security-policy': `frame-ancestors ${emulator.served.url}`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect((await get('app.mjs')).headers['content-type']).toBe('text/javascript');
    expect((await get('data')).headers['content-type']).toBe('application/octet-stream');
    for (const path of 'none ../index.html %2e%2e/index.html tool/index.html % A'.split(' ')) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await send('POST', frame)).status).toBe(405);
    expect((await send('GET', frame.slice(0, -1))).headers.location).toBe(new URL(frame).pathname);
    for (const path of [
      '/',
      '/_service/nothing',
      '/_service/x/launch.json',
      '/l/',
      `/l/${'A'.repeat(22)}/`,
    ]) {
      expect((await send('GET', origin + path)).status).toBe(404);
    }
    const foreign = await send('GET', frame, { headers: { host: 'evil.example' } });
    expect(foreign.status).toBe(403);
    // A launch keeps its version.
    await upload(emulator, [{ name: 'index.html', content: 'new' }]);
    expect((await get('')).text).toContain('root');
  });

  test('reports that the code or index.html is missing', async () => {
    const emulator = await emulated();
    const empty = await send('GET', (await open(emulator)).frame);
    expect([empty.status, empty.text]).toEqual([404, expect.stringContaining('has no code yet')]);
    const { control } = emulator;
    const old = await open(emulator);
    await upload(emulator, [{ name: 'a.html', content: '' }]);
    const behind = await send('GET', old.frame);
    expect(behind.text).toContain('runs version 1; version 2 has code');
    const { context } = old.launch.claims;
    expect(behind.text).toContain(
      `lectern emulator tool adopt 2 --course ${context} --tool sketch`,
    );
    await control('adopt', { course: context, tool: 'sketch', code: 'current' });
    const other = await send('GET', (await open(emulator)).frame);
    expect([other.status, other.text]).toEqual([404, expect.stringContaining('index.html')]);
  });
});

test.each<[page: string, before: string]>([
  ['<p>x', ''],
  [
    '<!doctype html><html lang="a>b"><head data-x=\'>\'><title>',
    `<!doctype html><html lang="a>b"><head data-x='>'>`,
  ],
  [
    '<!-- <head> --><!DOCTYPE html>\n<HTML><HEAD\n><meta>',
    '<!-- <head> --><!DOCTYPE html>\n<HTML><HEAD\n>',
  ],
  ['\u00ef\u00bb\u00bf<head><x>', '\u00ef\u00bb\u00bf<head>'],
  ['<html><header>', '<html>'],
  ['<!-- never ended <head>', ''],
])('the injected script is the first in %j', (page, before) => {
  const bytes = Buffer.from(page, 'latin1');
  const script = '<script src="/s.js?t"></script>';
  expect(withScript(bytes, '/s.js?t').toString('latin1')).toBe(
    before + script + page.slice(before.length),
  );
});
