import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Seed, Served, ServeOptions } from '../../src/emulator/index.ts';
import { freePort } from '../support/free-port.ts';
import { OWN_ADDRESS } from '../support/own-address.ts';
import { gate } from '../support/scope.ts';
import { listening } from '../support/service.ts';
import { emulated, subjectOf } from './subject.ts';
import { send } from './wire.ts';

const serve = async (options: ServeOptions): Promise<Served> => (await emulated(options)).served;

const portOf = (url: string): string => new URL(url).port;

/** What a request with a `Host`, and perhaps an `Origin`, is answered with. */
const statusOf = async (url: string, headers: Record<string, string>): Promise<number> =>
  (await send('GET', url, { token: 'control', headers })).status;

describe('GET ready', () => {
  test('responds without a token, also to HEAD, unlike every other control operation', async () => {
    const { url } = await serve({});
    const ready = await send('GET', `${url}/_emulator/ready`);
    expect([ready.status, ready.json()]).toEqual([200, { ready: true, open: false }]);
    const head = await send('HEAD', `${url}/_emulator/ready`);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const operation of ['GET clock', 'GET world', 'POST launch', 'POST stop']) {
      const [method = '', path = ''] = operation.split(' ');
      expect((await send(method, `${url}/_emulator/${path}`)).status).toBe(401);
    }
  });

  test('responds 503 while the caller of serve is preparing', async () => {
    let isReady = false;
    const { url } = await serve({ isReady: () => isReady });
    expect((await send('GET', `${url}/_emulator/ready`)).status).toBe(503);
    isReady = true;
    expect((await send('GET', `${url}/_emulator/ready`)).status).toBe(200);
  });
});

test('the console is for its own site only, and its page loads nothing from other sites', async () => {
  const { url, blobUrl } = await serve({});
  const summary = `${url}/_emulator/summary`;
  const statuses: readonly [string, number][] = [
    ['same-site', 403],
    ['cross-site', 403],
    ['same-origin', 200],
  ];
  for (const [site, status] of statuses) {
    expect([site, await statusOf(summary, { 'sec-fetch-site': site })]).toEqual([site, status]);
  }
  expect((await send('GET', `${url}/_emulator/console/rows`)).headers).toMatchObject({
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${blobUrl}; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
});

/** `PORT` and `BLOBS` are those of the emulator. */
const OWN = `http://${OWN_ADDRESS ?? '127.0.0.1'}:PORT`;
const PUBLIC = {
  publicUrl: 'https://emulator.example',
  publicBlobUrl: 'https://files.example',
} as const;
test.each<[name: string, ServeOptions, own: Names, foreign: Names]>([
  [
    'on loopback',
    {},
    {
      host: '127.0.0.1:PORT localhost:PORT LocalHost:PORT',
      origin: 'http://127.0.0.1:PORT',
      'blob host': '127.0.0.1:BLOBS',
    },
    {
      host: 'lms.example 127.0.0.1 localhost 127.0.0.1:1 127.0.0.1:BLOBS',
      origin: 'https://evil.example null http://127.0.0.1 https://127.0.0.1:PORT',
      'blob host': 'lms.example 127.0.0.1 127.0.0.1:PORT',
    },
  ],
  [
    'on another address',
    { host: '127.0.0.2' },
    { host: '127.0.0.2:PORT' },
    { host: '127.0.0.1:PORT 127.0.0.2 0.0.0.0:PORT' },
  ],
  [
    'on all addresses',
    { host: '0.0.0.0' },
    {
      host: `127.0.0.1:PORT LOCALHOST:PORT 0.0.0.0:PORT [::1]:PORT ${OWN.replace('http://', '')}`,
      origin: OWN,
    },
    {
      host: ['127.0.0.1.nip.io', '198.51.100.7', '2130706433', '[::ffff:7f00:1]']
        .map((name) => `${name} ${name}:PORT`)
        .join(' '),
      origin: 'http://rebound.example:PORT',
    },
  ],
  [
    'with public URLs',
    PUBLIC,
    {
      host: 'Emulator.example 127.0.0.1:PORT',
      origin: 'https://emulator.example',
      'blob host': 'files.example',
    },
    {
      host: 'files.example emulator.example:PORT',
      origin: 'http://emulator.example',
      'blob host': 'emulator.example',
    },
  ],
])('an emulator %s is called by its own names only', async (_, options, own, foreign) => {
  const { url, blobUrl } = await serve(options);
  for (const [names, isOwn] of [
    [own, true],
    [foreign, false],
  ] as const) {
    for (const [kind, list] of Object.entries(names)) {
      const called = kind === 'blob host' ? `${blobUrl}/x` : `${url}/_emulator/clock`;
      for (const each of list.split(' ')) {
        const name = each.replace('PORT', portOf(url)).replace('BLOBS', portOf(blobUrl));
        const status = await statusOf(called, { [kind.replace('blob ', '')]: name });
        expect([kind, each, status !== 403]).toEqual([kind, each, isOwn]);
      }
    }
  }
});

type Names = Readonly<Partial<Record<'host' | 'origin' | 'blob host', string>>>;

describe('an emulator on another address', () => {
  test('is called by that address, which its launches use', async () => {
    const served = await serve({ host: '127.0.0.2' });
    const port = portOf(served.url);
    expect(served.url).toBe(`http://127.0.0.2:${port}`);
    const launch = await subjectOf(served).launch();
    expect((await launch.get(launch.row('member'))).status).toBe(200);
    expect((await launch.upload('member', 'a', 'hello')).status).toBe(204);
  });

  test('on IPv6 has its address in brackets', async () => {
    const served = await serve({ host: '0:0:0:0:0:0:0:1' });
    const port = portOf(served.url);
    expect(served.url).toBe(`http://[::1]:${port}`);
    const console = await fetch(`${served.url}/_emulator/console/`);
    expect(console.status).toBe(200);
    expect(console.headers.get('content-security-policy')).toContain("connect-src 'self' http:;");
    const { course_page: page } = await served.control('POST launch', { tool: 'sketch' });
    const policy = (await fetch(page)).headers.get('content-security-policy');
    expect(policy).toContain('frame-src http:;');
  });

  test("that this machine does not have fails with the system's error", async () => {
    await expect(serve({ host: '192.0.2.77' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });
});

describe('an emulator on all addresses', () => {
  test('calls itself by that of loopback, and says that it is open', async () => {
    const served = await serve({ host: '0.0.0.0' });
    const port = portOf(served.url);
    expect(served.url).toBe(`http://127.0.0.1:${port}`);
    const ready = await send('GET', `${served.url}/_emulator/ready`);
    expect(ready.json()).toEqual({ ready: true, open: true });
  });

  test.skipIf(OWN_ADDRESS === undefined)('responds at an address of the machine', async () => {
    const served = await serve({ host: '0.0.0.0' });
    const there = `http://${OWN_ADDRESS}:${portOf(served.url)}/_emulator`;
    expect((await send('GET', `${there}/ready`)).status).toBe(200);
    expect((await send('GET', `${there}/world`)).status).toBe(401);
    expect((await send('GET', `${there}/world`, { token: 'control' })).status).toBe(200);
    const code = await send('POST', `${there}/console/code`, { json: {} });
    expect(code.status).toBe(401);
    expect((await send('GET', `${there}/console/`)).status).not.toBe(307);
  });
});

describe('public URLs', () => {
  test('appear in launches, forms and course pages', async () => {
    const served = await serve({
      publicUrl: 'http://emulator:8080',
      publicBlobUrl: 'https://files.example',
    });
    const { control } = subjectOf(served);
    const { claims } = await control('launch', {});
    const text = JSON.stringify(claims);
    expect(text).toContain('http://emulator:8080/');
    expect(text).not.toContain('127.0.0.1');
    const host = { host: 'emulator:8080' };
    const row = claims.files.member.replace('http://emulator:8080', served.url);
    const token = claims.api.token;
    const declared = await send('PUT', `${row}/a`, { token, json: { size: 1 }, headers: host });
    expect(declared.json()).toMatchObject({
      url: expect.stringMatching(/^https:\/\/files\.example\//),
    });
    const page = await control('launch', { tool: 'sketch' });
    expect(page).toMatchObject({
      course_page: expect.stringMatching(/^http:\/\/emulator:8080\/_emulator\/course\//),
    });
    // As a reverse proxy forwards it.
    const local = page.course_page.replace('http://emulator:8080', served.url);
    expect((await send('GET', local)).status).toBe(200);
  });

  test('do not apply to signed URLs if only that of the API is set', async () => {
    const served = await serve({ publicUrl: 'http://emulator:8080' });
    const { claims } = await subjectOf(served).control('launch', {});
    const row = claims.files.member.replace('http://emulator:8080', served.url);
    const declared = await send('PUT', `${row}/a`, { token: claims.api.token, json: { size: 1 } });
    expect(new URL(declared.json<{ url: string }>().url).origin).toBe(served.blobUrl);
  });
});

test.each([
  { name: 'on loopback', options: {}, unreachable: /^nothing listens at/ },
  { name: 'on all addresses', options: { host: '0.0.0.0' }, unreachable: null },
  { name: 'behind a proxy', options: { publicUrl: 'http://e.example' }, unreachable: null },
])(
  'only an emulator on the machine of the browser looks for the servers of tools: $name',
  async ({ options, unreachable }) => {
    const callback = `http://127.0.0.1:${await freePort()}/launch`;
    const served = await serve(options);
    const { tools } = served.emulator.state.world;
    tools.put({ ...tools.get('essay'), callback } as never);
    const { course_page: page } = await served.control('POST launch', { tool: 'essay' });
    // Each name of the emulator is one of its pages.
    const { origin, pathname } = new URL(page.replace('127.0.0.1', 'localhost'));
    const form = await send('POST', `${served.url}${pathname}/form`, { headers: { origin } });
    expect(form.json()).toMatchObject({
      action: callback,
      unreachable: unreachable && (expect.stringMatching(unreachable) as unknown),
    });
    const developed = served.control('POST launch', { dev_url: callback });
    if (unreachable === null) await developed;
    else await expect(developed).rejects.toThrow('start the development server');
  },
);

describe('ports of hosted tools', () => {
  const tool = (id: string) => ({ id, hosted: true });
  const seed: Seed = {
    tools: [{ id: 'external' }, tool('zebra'), tool('apple')],
    courses: [
      {
        id: 'course',
        students: 1,
        locations: ['external', 'zebra', 'apple'].map((id) => ({ id: `at-${id}`, tool: id })),
      },
    ],
  };

  test('follow the order of the seed, and are open from the start', async () => {
    const toolPort = await freePort();
    const served = await serve({ seed, toolPort });
    const { control } = subjectOf(served);
    for (const [index, id] of ['zebra', 'apple'].entries()) {
      const origin = `http://127.0.0.1:${toolPort + index}`;
      expect((await send('GET', `${origin}/`)).status).toBe(404);
      const { course_page: page } = (await control('launch', { tool: id })) as unknown as {
        course_page: string;
      };
      expect((await send('GET', page)).text).toContain(`src="${origin}/`);
    }
  });

  test('use the host name of the public URL', async () => {
    const toolPort = await freePort();
    const served = await serve({ seed, toolPort, publicUrl: 'http://emulator:8080' });
    const { control } = subjectOf(served);
    const { course_page: page } = (await control('launch', { tool: 'zebra' })) as unknown as {
      course_page: string;
    };
    const local = page.replace('http://emulator:8080', served.url);
    const shown = await send('GET', local, { headers: { host: 'emulator:8080' } });
    expect(shown.text).toContain(`src="http://emulator:${toolPort}/`);
    const frame = { host: `emulator:${toolPort}` };
    expect(await statusOf(`http://127.0.0.1:${toolPort}/`, frame)).toBe(404);
    const other = { host: `rebound.example:${toolPort}` };
    expect(await statusOf(`http://127.0.0.1:${toolPort}/`, other)).toBe(403);
  });

  test('that are taken cause an error, and no port stays open', async () => {
    const taken = await listening(createServer());
    const port = await freePort();
    await expect(serve({ seed, port, toolPort: taken })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      port: taken,
    });
    await serve({ port });
  });

  test('that are not open yet make the emulator respond 503', async () => {
    const taken = await listening(createServer());
    const [port, blobPort] = [await freePort(), await freePort()];
    const answers: string[] = [];
    const sleep = async (): Promise<void> => {
      for (const url of [`${port}/_emulator/ready`, `${blobPort}/`]) {
        const { status, headers, text } = await send('GET', `http://127.0.0.1:${url}`);
        answers.push(`${status} ${headers['content-type']} ${text}`);
      }
    };
    const started = serve({ seed, port, blobPort, toolPort: taken, sleep });
    await expect(started).rejects.toThrow('EADDRINUSE');
    expect([...new Set(answers)]).toEqual([
      expect.stringMatching(/^503 application\/json .*"code":"emulator.starting"/),
      expect.stringMatching(/^503 application\/xml [^]*<Code>ServiceUnavailable</),
    ]);
  });
});

test('POST stop ends an emulator after the response, and requires the token', async () => {
  const stop = gate();
  const { url } = await serve({ onStop: stop.open });
  expect((await send('POST', `${url}/_emulator/stop`, { json: {} })).status).toBe(401);
  const asked = { token: 'control', json: {} };
  expect((await send('POST', `${url}/_emulator/stop`, asked)).status).toBe(200);
  await stop.opened;
});
