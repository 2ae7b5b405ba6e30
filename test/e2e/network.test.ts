import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { launchFile, listening, LOCALHOST_PEM, startService, text } from '../support/service.ts';
import { type Expected, step } from '../support/steps.ts';

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

const GET = 'storage get member --timeout 60';
const TRUSTED = { NODE_EXTRA_CA_CERTS: LOCALHOST_PEM };

/** Runs command lines of the built binary with a launch, and checks what comes of them. */
const run = (line: string, file: string, env: Record<string, string>, expected: Expected = {}) =>
  step(line, { runs: binary, env: { LECTERN_LAUNCH: file, ...TRUSTED, ...env }, ...expected });

test('certificates are trusted by NODE_EXTRA_CA_CERTS', async () => {
  const { file, tokens } = await httpsService();
  await run(GET, file, {}, { json: { answered: true } });
  expect(tokens()).toEqual([`Bearer ${TOKEN}`]);
  await run(`doctor # and 1 from NODE_EXTRA_CA_CERTS=${LOCALHOST_PEM}`, file, {});
});

describe('proxies', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('of %s are used, and see no token', async (name) => {
    const { file, port, tokens } = await httpsService(ELSEWHERE);
    const proxy = await startProxy();
    await run(GET, file, { [name]: proxy.url });
    expect([tokens().length, proxy.seen.length]).toEqual([1, 1]);
    expect(proxy.seen[0]).toContain(`CONNECT ${ELSEWHERE}:${port}`);
    expect(proxy.seen[0]).not.toContain(TOKEN);
  });

  test.each([ELSEWHERE, '.example.org,.test', '*'])(
    'are not used for hosts of NO_PROXY=%s',
    async (exempt) => {
      const { file, tokens } = await httpsService(ELSEWHERE);
      const proxy = await startProxy();
      const env = { HTTPS_PROXY: proxy.url, NO_PROXY: exempt };
      await run(GET, file, env, { exit: 8, stderr: /host not found|DNS lookup failed/ });
      expect([tokens(), proxy.seen]).toEqual([[], []]);
    },
  );

  test.each(['HTTPS_PROXY', 'HTTP_PROXY'])('of %s are not used for this machine', async (name) => {
    const { file, tokens } = await httpsService('localhost');
    const proxy = await startProxy();
    await run(GET, file, { [name]: proxy.url });
    expect([tokens(), proxy.seen]).toEqual([[`Bearer ${TOKEN}`], []]);
  });

  test.each([
    ['407 Proxy Authentication Required', 'grade submit --score 1'],
    ['502 Bad Gateway', GET],
  ])('that answer %s prevent any call, even of a grade: 8', async (refusal, line) => {
    const { file, tokens } = await httpsService(ELSEWHERE);
    const env = { HTTPS_PROXY: (await startProxy(refusal)).url };
    const refused = { exit: 8, stderr: ['proxy', refusal.slice(0, 3)] };
    await run(line, file, env, refused);
    expect(tokens()).toEqual([]);
  });

  test('that cannot be reached end with 8, without their password in the message', async () => {
    const { file, tokens } = await httpsService(ELSEWHERE);
    const env = { HTTPS_PROXY: 'http://user:hunter2@127.0.0.1:9' };
    await run(`${GET} -v`, file, env, { exit: 8, lacks: 'hunter2' });
    expect(tokens()).toEqual([]);
  });
});

test('response headers may be as large as Node is configured to accept', async () => {
  const { origin } = await startService(text(200, '{}', { 'x-long': 'x'.repeat(20_000) }));
  const file = launchFile(origin);
  await run(GET, file, {}, { exit: 8, stderr: 'its headers are too long' });
  await run(GET, file, { NODE_OPTIONS: '--max-http-header-size=32768' }, { stdout: '{}' });
});
