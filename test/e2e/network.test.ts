import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { launchFile, listening, LOCALHOST_PEM, startService, text } from '../support/service.ts';

/** A host that only the proxy finds. */
const ELSEWHERE = 'service.test';
const TOKEN = 'launch-token-canary-1';

/** An https service with an untrusted certificate; returns the file of a launch for it. */
async function httpsService(host = 'localhost') {
  const service = await startService(text(200, '{"answered":true}'), { tls: true });
  const { port, requests } = service;
  const file = launchFile(`https://${host}:${port}`);
  return {
    file,
    port,
    /** The credentials that came. */
    tokens: () => requests.map(({ headers }) => headers.authorization),
  };
}

/** A proxy that tunnels, or answers with a refusal, and keeps what it could read. */
async function startProxy(refusal?: string) {
  const seen: string[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket, head) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host === ELSEWHERE ? '127.0.0.1' : host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
    onTestFinished(() => void onward.destroy());
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, seen };
}

const GET = ['storage', 'get', 'member', '--timeout', '60'];
const TRUSTED = { NODE_EXTRA_CA_CERTS: LOCALHOST_PEM };

describe('certificates', () => {
  test('are trusted by NODE_EXTRA_CA_CERTS', async () => {
    const { file, tokens } = await httpsService();
    const { exit, stdout } = await binary([...GET, '-l', file], { env: TRUSTED });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ answered: true });
    expect(tokens()).toEqual([`Bearer ${TOKEN}`]);
    const checked = await binary(['doctor'], { env: TRUSTED });
    expect(checked.stdout).toContain(`and 1 from NODE_EXTRA_CA_CERTS=${LOCALHOST_PEM}`);
  });
});

describe('proxies', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('of %s are used, and see no token', async (name) => {
    const { file, port, tokens } = await httpsService(ELSEWHERE);
    const proxy = await startProxy();
    const env = { ...TRUSTED, [name]: proxy.url };
    expect((await binary([...GET, '-l', file], { env })).exit).toBe(0);
    expect(tokens()).toHaveLength(1);
    expect(proxy.seen).toHaveLength(1);
    expect(proxy.seen[0]).toContain(`CONNECT ${ELSEWHERE}:${port}`);
    expect(proxy.seen[0]).not.toContain(TOKEN);
  });

  test.each([ELSEWHERE, '.example.org,.test', '*'])(
    'are not used for hosts of NO_PROXY=%s',
    async (exempt) => {
      const { file, tokens } = await httpsService(ELSEWHERE);
      const proxy = await startProxy();
      const env = { ...TRUSTED, HTTPS_PROXY: proxy.url, NO_PROXY: exempt };
      const { exit, stderr } = await binary([...GET, '-l', file], { env });
      expect([exit, stderr]).toEqual([
        8,
        expect.stringMatching(/host not found|DNS lookup failed/),
      ]);
      expect(tokens()).toEqual([]);
      expect(proxy.seen).toEqual([]);
    },
  );

  test.each(['HTTPS_PROXY', 'HTTP_PROXY'])(
    'of %s are never used for this machine',
    async (name) => {
      const { file, tokens } = await httpsService('localhost');
      const proxy = await startProxy();
      const env = { ...TRUSTED, [name]: proxy.url };
      expect((await binary([...GET, '-l', file], { env })).exit).toBe(0);
      expect(tokens()).toEqual([`Bearer ${TOKEN}`]);
      expect(proxy.seen).toEqual([]);
    },
  );

  test.each([
    ['refuses', '403 Forbidden'],
    ['require a password', '407 Proxy Authentication Required'],
    ['cannot resolve the host', '502 Bad Gateway'],
  ])('that %s prevent any call, even of a grade: 8', async (_, refusal) => {
    const { file, tokens } = await httpsService(ELSEWHERE);
    const proxy = await startProxy(refusal);
    const env = { ...TRUSTED, HTTPS_PROXY: proxy.url };
    for (const args of [GET, ['grade', 'submit', '--score', '1']]) {
      const { exit, stderr } = await binary([...args, '-l', file], { env });
      expect([args, exit]).toEqual([args, 8]);
      expect(stderr).toContain('proxy');
      expect(stderr).toContain(refusal.slice(0, 3));
    }
    expect(tokens()).toEqual([]);
  });

  test('that cannot be reached end with 8, without their password in the message', async () => {
    const { file, tokens } = await httpsService(ELSEWHERE);
    const env = { ...TRUSTED, HTTPS_PROXY: 'http://user:hunter2@127.0.0.1:9' };
    const { exit, stderr } = await binary([...GET, '-v', '-l', file], { env });
    expect(exit).toBe(8);
    expect(stderr).not.toContain('hunter2');
    expect(tokens()).toEqual([]);
  });
});

test('response headers may be as large as Node is configured to accept', async () => {
  const { origin } = await startService((_, response) => {
    response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end('{}');
  });
  const args = [...GET, '-l', launchFile(origin)];
  const { exit, stderr } = await binary(args);
  expect([exit, stderr]).toEqual([8, expect.stringContaining('its headers are too long')]);
  const env = { NODE_OPTIONS: '--max-http-header-size=32768' };
  expect(await binary(args, { env })).toMatchObject({ exit: 0, stdout: '{}\n' });
});
