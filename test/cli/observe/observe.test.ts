import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startRawServer } from '../../support/raw-server.ts';
import { attemptRecord, type Handler, startService, text } from '../../support/service.ts';
import { observed } from './support.ts';

/** A launch of a service at an origin, with odd addresses. */
function launchAt(origin: string) {
  return {
    iss: origin,
    launch_id: 'launch-7',
    api: { token: 'token-of-the-launch-0123456789' },
    user: { member: 'm-1', groups: ['student'] },
    context: 'c-1',
    course: { title: 'Biology' },
    location: { id: 'l-1', extid: 'e-1' },
    resource_link: 'r-1',
    organization: { deployment: 'd-1' },
    storage: Object.fromEntries(KINDS.map((kind) => [kind, `${origin}/a/%7E/${kind}?k=a%2Fb%2Fc`])),
    files: Object.fromEntries(
      KINDS.map((kind) => [kind, `${origin}/f/${kind}?sig=0123456789abcdef`]),
    ),
    grade: { submit: `${origin}/contexts/c-1/l-1/members/m-1/scores` },
    provision: { context: `${origin}/p/context`, location: `${origin}/p/location` },
  };
}
const KINDS = ['context', 'location', 'member', 'member_location'];

type Led = ReturnType<typeof launchAt>;

async function observedService(handler: Handler) {
  const service = await startService(handler);
  const observer = await observed(launchAt(service.origin));
  return { service, observer, claims: observer.claims as Led };
}

const AUTHORIZATION = { authorization: `Bearer ${launchAt('').api.token}` };

/** The bytes that a server answers to bytes. */
function exchange(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString('latin1')));
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

describe('observe', () => {
  test('leads every address and iss through itself, and changes nothing else of them', async () => {
    const { service, observer, claims } = await observedService(text(200, '{}'));
    const given = JSON.stringify(launchAt(service.origin));
    expect(JSON.stringify(claims)).toBe(given.replaceAll(service.origin, observer.url));
  });

  test('sends a request on byte for byte, and its answer back', async () => {
    const server = await startRawServer({
      answer: () => [
        'HTTP/1.1 207 Odd Words\r\nX-Two: a\r\nx-two: b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 5\r\n\r\nh\xe9llo',
      ],
    });
    const observer = await observed(launchAt(server.origin));
    const { port } = new URL(observer.url);
    const target = '/a/%2e%2e/context/../x;y=[1]|"?k=a%2Fb&&z';
    const got = await exchange(
      Number(port),
      `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Odd: 1\r\nx-odd: 2\r\nTransfer-Encoding: chunked\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    );
    const sent = Buffer.concat(server.received[0] ?? []).toString('latin1');
    expect(sent).toMatch(
      /^POST \/a\/%2e%2e\/context\/\.\.\/x;y=\[1\]\|"\?k=a%2Fb&&z HTTP\/1\.1\r\n/,
    );
    expect(sent).toMatch(/X-Odd: 1\r\nx-odd: 2\r\n/);
    expect(sent).not.toContain('X-Hop');
    expect(server.requests[0]?.headers.host).toBe(new URL(server.origin).host);
    expect(server.requests[0]?.body.toString()).toBe('abc');
    expect(got).toMatch(/^HTTP\/1\.1 207 /);
    expect(got).toContain('X-Two: a\r\nx-two: b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    expect(got.endsWith('\r\n\r\nh\xe9llo')).toBe(true);
  });

  test('hands a redirect on, and its query never to the traffic', async () => {
    const location = 'https://other.example/a?sig=0123456789abcdef';
    const { claims, observer } = await observedService(text(302, '', { location }));
    const answer = await fetch(claims.storage.member ?? '', { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(location);
    const { captured } = await observer.control('request?number=1');
    expect(JSON.stringify(captured)).toContain('"https://other.example/a?…"');
  });

  test('refuses a foreign Host, another target and an unknown signed address with 421', async () => {
    const { service, observer } = await observedService(text(200, '{}'));
    const { port, host } = new URL(observer.url);
    for (const [target, name] of [
      ['/', 'evil.example'],
      ['http://evil.example/', host],
    ]) {
      const head = `GET ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
      const got = await exchange(Number(port), head);
      expect(got).toMatch(/^HTTP\/1\.1 421 .*lectern observe/s);
    }
    expect((await fetch(`${observer.blobUrl}/1/anything`)).status).toBe(421);
    expect(service.requests).toEqual([]);
  });

  test('leads the signed address of a record through, and its query never to the traffic', async () => {
    const { service, observer, claims } = await observedService(({ target }, response) => {
      if (target.startsWith('/bucket')) return void response.end('bytes');
      const record = { key: 'a', size: 5, modified: 1, content_type: 'text/plain', expires: 4e12 };
      const url = `${service.origin}/bucket/a%2fb?X-Amz-Signature=0123456789abcdef0123`;
      const body = gzipSync(JSON.stringify({ ...record, url }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(body);
    });
    const [head = '', query = ''] = (claims.files.member ?? '').split('?');
    const answer = await fetch(`${head}/a?${query}`, { headers: AUTHORIZATION });
    const record = (await answer.json()) as { url: string };
    expect(record.url).toMatch(new RegExp(`^${observer.blobUrl}/1/bucket/a%2fb\\?X-Amz`));
    expect(await (await fetch(record.url)).text()).toBe('bytes');
    expect(service.requests.at(-1)?.target).toBe(
      '/bucket/a%2fb?X-Amz-Signature=0123456789abcdef0123',
    );
    const { requests } = await observer.control('requests');
    const [{ captured } = { captured: null }] = [await observer.control('request?number=1')];
    const shown = JSON.stringify([requests, captured]);
    expect(shown).not.toMatch(/0123456789abcdef|token-of-the-launch/);
    expect((await fetch(record.url, { headers: AUTHORIZATION })).status).toBe(421);
    expect((await fetch(record.url.replace('a%2fb', 'a%2Fb'))).status).toBe(421);
    expect(service.requests).toHaveLength(2);
  });

  test('answers 502 for a service that does not answer, and breaks off what broke off', async () => {
    const observer = await observed(launchAt('http://127.0.0.1:1'));
    const answer = await fetch((observer.claims as Led).storage.member ?? '');
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('lectern observe');
    const server = await startRawServer({
      answer: () => ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'RST'],
    });
    const other = await observed(launchAt(server.origin));
    const broken = await fetch((other.claims as Led).storage.member ?? '');
    await expect(broken.text()).rejects.toThrow();
    expect((await other.report()).differences).toEqual([]);
  });

  test('hands on a 204 that has content without it', async () => {
    const bare = 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok';
    const server = await startRawServer({ answer: () => [bare, 'FIN'] });
    const { claims } = await observed(launchAt(server.origin));
    const to = (claims as Led).storage.member ?? '';
    const answer = await fetch(to, { method: 'PUT', body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  test('reports a URL of a launch in another spelling as what it is', async () => {
    const { observer } = await observedService(text(401, '{"error":"Missing Bearer token"}'));
    await fetch(`${observer.url}/a/~/member?k=a%2Fb%2Fc`);
    const codes = (await observer.report()).findings.map(({ code }) => code);
    expect(codes).toContain('request.url_not_handed_out');
  });

  test('reads a launch out of a callback, and hands it on unchanged', async () => {
    const service = await startService(text(200, '{}'));
    const tool = await startService(text(201, 'welcome'));
    const observer = await observed(undefined, { tool: tool.origin });
    const early = await fetch(`${observer.url}/a`);
    expect(early.status).toBe(421);
    const launch = launchAt(service.origin);
    const token = `e30.${Buffer.from(JSON.stringify(launch)).toString('base64url')}.c2ln`;
    const body = `launch_token=${token}&x=%20`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const url = `${observer.callbackUrl}/launch?a=1`;
    const welcome = await fetch(url, { method: 'POST', body, headers: type });
    expect([welcome.status, await welcome.text()]).toEqual([201, 'welcome']);
    expect(tool.requests[0]).toMatchObject({ target: '/launch?a=1', body: Buffer.from(body) });
    const call = (launch.storage.member ?? '').replace(service.origin, observer.url);
    await fetch(call, { headers: AUTHORIZATION });
    expect((await observer.control('requests')).requests).toMatchObject([{ about: 'member row' }]);
  });

  test('shows the launch and the traffic in its console, and no state of a service', async () => {
    const { observer, service, claims } = await observedService(text(200, '{}'));
    await fetch(claims.storage.member ?? '', { headers: AUTHORIZATION });
    expect(await observer.control('summary')).toMatchObject({
      observes: service.origin,
      requests: 1,
    });
    expect(await observer.control('launch?launch_id=launch-7')).toMatchObject({ claims });
    expect(await observer.control('rows')).toMatchObject({ error: { code: 'observe.service' } });
  });
});

describe('the differences of a service', () => {
  interface Call {
    readonly method: string;
    readonly claim: string;
    readonly body?: string;
    readonly isAnonymous?: boolean;
    readonly isUntyped?: boolean;
  }
  const BASIC = '20261013T100000Z';
  const NO_COLUMN = 'grade passback is only allowed for assessment locations';
  const otherComment = attemptRecord({ data: { ...attemptRecord().data, comment: 'other' } });
  const item = { key: 'a', size: 5, modified: 1 };
  const put = { method: 'PUT', claim: 'row', body: '{"a":1}' };
  const post = { method: 'POST', claim: 'grade', body: '{"score":0.5}' };
  const out = { ...post, body: '{"score":1.5}' };
  const other = { ...post, body: '{"score":0.7}' };
  const big = JSON.stringify({ a: 'x'.repeat(524_288) });
  const listing = { method: 'GET', claim: 'files' };
  const form = { url: 'https://bucket.example/', fields: { a: 'b' } };
  const declare = { method: 'PUT', claim: 'file', body: '{"size":5}' };
  const tooMany = Array.from({ length: 101 }, (_, at) => ({ ...item, key: `k${at}` }));
  const larger = { ...declare, body: '{"size":27262976}' };
  const refusal = { detail: ['score must be between 0 and 1'] };

  /** A call, how the service answers it, and the code of the difference. */
  test.each<[name: string, call: Call, status: number, body: unknown, expected: string]>([
    ['a written row', put, 204, undefined, ''],
    ['a written row with 201', put, 201, undefined, 'status'],
    ['a refused row', put, 422, { error: 'no' }, ''],
    ['a refused row with 400', put, 400, undefined, 'status'],
    ['a refused row with 415', put, 415, undefined, ''],
    ['a written row without a token', { ...put, isAnonymous: true }, 204, undefined, 'not_refused'],
    ['a rate limit', put, 429, undefined, ''],
    ['a broken service', put, 500, undefined, ''],
    ['a list for a row', { ...put, body: '[]' }, 204, undefined, 'not_refused'],
    ['a row over its limit', { ...put, body: big }, 204, undefined, 'limit'],
    ['a row that is none', { method: 'GET', claim: 'row' }, 200, [], 'shape'],
    ['a listing', listing, 200, [item], ''],
    ['a listing without sizes', listing, 200, [{ key: 'a', modified: 1 }], 'shape'],
    ['a listing over its quota', listing, 200, tooMany, 'limit'],
    ['a form with 201', declare, 201, form, ''],
    ['a declaration of 26 MB', larger, 200, form, 'limit'],
    ['an attempt', post, 200, attemptRecord(), ''],
    ['an attempt of another score', other, 200, attemptRecord(), 'shape'],
    ['an attempt of another comment', post, 200, otherComment, 'shape'],
    ['an attempt at a time in basic form', post, 200, attemptRecord({ submitted: BASIC }), ''],
    ['a grade that is a list', { ...post, body: '[]' }, 200, attemptRecord(), 'not_refused'],
    ['a score of 1.5', out, 200, attemptRecord({ score: 1 }), 'shape not_refused'],
    ['its refusal', out, 422, refusal, ''],
    ['its refusal for another cause', out, 422, { detail: NO_COLUMN }, ''],
    ['its refusal without its type', { ...out, isUntyped: true }, 422, { detail: 'no' }, ''],
    ['its refusal in other words', out, 422, { detail: 'bad score' }, 'message'],
  ])('%s', async (_, call, status, body, expected) => {
    const { claims, observer } = await observedService((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const [head = '', query = ''] = (claims.files.member ?? '').split('?');
    const urls: Readonly<Record<string, string>> = {
      row: claims.storage.member ?? '',
      files: claims.files.member ?? '',
      file: `${head}/a.txt?${query}`,
      grade: claims.grade.submit,
    };
    const { method, claim, body: sent, isAnonymous, isUntyped } = call;
    const type = isUntyped ? 'text/plain' : 'application/json';
    const headers = { ...(!isAnonymous && AUTHORIZATION), 'content-type': type };
    await fetch(urls[claim] ?? '', { method, headers, ...(sent !== undefined && { body: sent }) });
    const { differences = [] } = await observer.report();
    expect(differences.map(({ code }) => code.replace('service.', '')).join(' ')).toBe(expected);
    expect(differences.every(({ requests }) => requests.join() === '1')).toBe(true);
  });
});
