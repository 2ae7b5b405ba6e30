/** Answers by the connection they come on: TLS, IPv6, names that are not ASCII, sockets that close. */
import { networkInterfaces } from 'node:os';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern } from '../support/lectern.ts';
import { type Piece, type RawServer, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import {
  commandOf,
  ENTITY,
  GOOD,
  type HostileAnswer,
  KINDS,
  LOST,
  ok,
  RECORD,
  tryAnswers,
  UNUSABLE,
} from './answering.ts';
import { type Certificate, expired, ofAnother, right } from './certificates.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

/** Three calls where no TLS comes about: nothing was sent, so nothing can have taken effect. */
async function expectNothingSent(
  origin: string,
  words: RegExp,
  env: Record<string, string> = {},
  run: typeof lectern = lectern,
): Promise<void> {
  const launch = launchFile(origin);
  for (const kind of KINDS) {
    const { exit, stderr } = await run(commandOf(kind, launch, 60), { input: '{}', env });
    expect([kind, exit, stderr]).toEqual([kind, 8, expect.stringMatching(words)]);
  }
}

function tlsServer(certificate: Certificate): Promise<RawServer> {
  return startRawServer({ tls: certificate, answer: () => [ok('{}')] });
}

hostile(
  {
    tried: 'TLS with a certificate that is expired, for another host, or not trusted',
    times: { short: 1, long: 20 },
    size: { short: 9, long: 9 },
  },
  async () => {
    const cases: [Certificate, RegExp, boolean][] = [
      [expired(), /expired/, true],
      [ofAnother(), /other name|altnames/i, true],
      [right(), /untrusted certificate[^]*NODE_EXTRA_CA_CERTS/, false],
    ];
    for (const [certificate, words, isTrusted] of cases) {
      const service = await tlsServer(certificate);
      const env = isTrusted ? { NODE_EXTRA_CA_CERTS: certificate.file } : {};
      await expectNothingSent(service.origin, words, env, isTrusted ? binary : lectern);
      expect(service.requests).toEqual([]);
    }
  },
);

const HANDSHAKES: readonly [name: string, pieces: readonly Piece[], when: 'greet' | 'hello'][] = [
  ['plain HTTP', ['HTTP/1.1 400 Bad Request\r\n\r\n', 'FIN'], 'hello'],
  ['plain HTTP before it', ['HTTP/1.1 408 Timeout\r\n\r\n', 'FIN'], 'greet'],
  ['the end', ['FIN'], 'hello'],
  ['the end before it', ['FIN'], 'greet'],
  ['a reset', ['RST'], 'hello'],
  ['half a record', ['\u0016\u0003\u0003\u0000\u007a\u0002\u0000', 'FIN'], 'hello'],
  ['an alert', ['\u0015\u0003\u0003\u0000\u0002\u0002\u0028', 'FIN'], 'hello'],
  ['rubbish', ['x'.repeat(10_000), 'FIN'], 'hello'],
];

hostile(
  {
    tried: 'a TLS handshake that gets plain HTTP, an alert, random bytes, a close or a reset',
    times: { short: 1, long: 50 },
    size: { short: HANDSHAKES.length * 3, long: HANDSHAKES.length * 3 },
  },
  async () => {
    for (const [name, pieces, when] of HANDSHAKES) {
      const service = await startRawServer({
        answer: () => [],
        greet: () => (when === 'greet' ? pieces : []),
        heard: () => (when === 'hello' ? pieces : []),
      });
      const origin = service.origin.replace('http', 'https');
      await expectNothingSent(origin, /TLS|cut|connection|socket/i);
      expect([name, service.connections()]).toEqual([name, 3]);
    }
  },
);

hostile(
  {
    tried: 'a TLS handshake that never completes, and TLS to a port for plain HTTP',
    times: { short: 1, long: 20 },
    size: { short: 6, long: 6 },
  },
  async () => {
    const silent = await startRawServer({ answer: () => [] });
    const launch = launchFile(silent.origin.replace('http', 'https'));
    for (const kind of KINDS) {
      const { exit, stderr } = await lectern(commandOf(kind, launch, 0.3), { input: '{}' });
      expect([kind, exit, stderr]).toEqual([kind, 8, expect.stringContaining('within 0.3 s')]);
    }
    const tls = await tlsServer(right());
    const plain = launchFile(tls.origin.replace('https', 'http'));
    for (const kind of KINDS) {
      const { exit } = await lectern(commandOf(kind, plain, 10), { input: '{}' });
      // The write was not begun: the row could not be read before.
      expect([kind, exit]).toEqual([kind, kind === 'grade' ? 10 : 8]);
    }
    expect(tls.requests).toEqual([]);
  },
);

hostile(
  {
    tried: 'over TLS: a valid response, a truncated one, a redirect to plain HTTP',
    times: { short: 1, long: 20 },
    size: { short: 4, long: 17 },
  },
  async () => {
    const certificate = right();
    const elsewhere = await startRawServer({ answer: () => [ok('{}')] });
    const env = { NODE_EXTRA_CA_CERTS: certificate.file };
    const redirects = [302, 308].map((status): HostileAnswer => {
      const head = `HTTP/1.1 ${status} Moved\r\nlocation: ${elsewhere.origin}/\r\n`;
      return {
        name: `${status} to plain HTTP`,
        pieces: () => [`${head}content-length: 0\r\n\r\n`],
        expected: UNUSABLE,
      };
    });
    await tryAnswers(
      [
        { name: 'good', pieces: (kind) => [ok(ENTITY[kind])], expected: GOOD },
        {
          name: 'cut without a word of TLS',
          pieces: (kind) => [ok(ENTITY[kind]).subarray(0, 30), { wait: 5 }, 'RST'],
          expected: LOST,
        },
        ...redirects,
      ],
      {
        server: { tls: certificate },
        run: (args, options) => binary(args, { ...options, env }),
      },
    );
    expect(elsewhere.connections()).toBe(0);
  },
);

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

hostile(
  {
    tried: 'a service on an IPv6 address',
    times: { short: 1, long: 20 },
    size: { short: 2, long: 5 },
    cannotRun: () => (hasIpv6 ? undefined : 'no IPv6 on the loopback interface'),
  },
  () =>
    tryAnswers(
      [
        { name: 'good', pieces: (kind) => [ok(ENTITY[kind])], expected: GOOD },
        { name: 'cut', pieces: () => ['FIN'], expected: { ...LOST, write: [0] } },
      ],
      { server: { host: '::1' } },
    ),
);

hostile(
  {
    tried: 'a service whose host name is not ASCII, in punycode and in Unicode',
    times: { short: 1, long: 20 },
    size: { short: 6, long: 6 },
  },
  async () => {
    // No name server knows the name: a proxy is asked for it, which answers itself.
    const service = await startRawServer({
      answer: ({ method }) => {
        if (method === 'CONNECT') return ['HTTP/1.1 200 OK\r\n\r\n'];
        return [ok(ENTITY[method === 'GET' ? 'read' : method === 'PUT' ? 'write' : 'grade'])];
      },
    });
    const env = { HTTP_PROXY: service.origin };
    const host = `xn--bcher-kva.test:${service.port}`;
    for (const kind of KINDS) {
      const at = (origin: string) => commandOf(kind, launchFile(origin));
      const { exit, stderr } = await binary(at(`http://${host}`), { input: '{}', env });
      expect([kind, exit, stderr]).toEqual([kind, 0, expect.anything()]);
      const refused = await lectern(at(`http://b\u00fccher.test:${service.port}`), { input: '{}' });
      expect([kind, refused.exit, refused.stderr]).toEqual([
        kind,
        3,
        expect.stringContaining('non-ASCII'),
      ]);
    }
    const asked = service.requests.map(({ method, target, headers }) =>
      method === 'CONNECT' ? target : headers.host,
    );
    expect(new Set(asked)).toEqual(new Set([host]));
  },
);

/** How a service closes a connection that could have been used again, and after how many answers. */
const CLOSINGS: readonly (readonly Piece[])[] = [
  ['FIN'],
  ['RST'],
  [{ wait: 1 }, 'FIN'],
  [{ wait: 1 }, 'RST'],
  [{ wait: 3 }, 'FIN'],
];

hostile(
  {
    tried: 'a kept-alive connection that is closed at the moment of a row write',
    times: { short: 1, long: 200 },
    size: { short: CLOSINGS.length, long: CLOSINGS.length },
  },
  async () => {
    for (const closing of CLOSINGS) {
      let row = '{"before":true}';
      const service = await startRawServer({
        *answer({ method, body }) {
          if (method === 'PUT') row = body.toString();
          yield method === 'PUT' ? 'HTTP/1.1 204 No\r\n\r\n' : ok(row);
          yield* closing;
        },
      });
      const input = '{"sent":true}';
      const launch = launchFile(service.origin);
      const { exit, stderr } = await lectern(commandOf('write', launch), { input });
      const sent = service.requests.filter(({ method }) => method === 'PUT').length;
      expect(sent, stderr).toBeLessThanOrEqual(1);
      // It says what is true: the write took effect, or it did not.
      expect(exit, stderr).toBe(row === input ? 0 : 8);
    }
  },
);

hostile(
  {
    tried: 'kept-alive connections that are closed at the moment of a grade',
    times: { short: 1, long: 100 },
    size: { short: 30, long: 60 },
  },
  async ({ repetition, size }) => {
    for (const closing of CLOSINGS) {
      const answered = new Set<string>();
      const service = await startRawServer({
        *answer({ target, index }) {
          // Each connection takes a grade or two, and is closed instead of the answer or after it.
          const member = /members\/([^/]+)/.exec(target)?.[1] ?? '';
          if (index === 2) return yield 'RST';
          answered.add(member);
          yield ok(RECORD.replace('"member":"m-1"', `"member":"${member}"`));
          if ((index + repetition) % 2 === 1) yield* closing;
        },
      });
      const grades = Array.from({ length: size }, (_, index) => `m-${index},0.5\n`).join('');
      const result = await lectern(
        ['grade', 'submit', '--from', '-', '--yes', '--json', '-l', launchFile(service.origin)],
        { input: `member,score\n${grades}` },
      );
      const targets = service.requests.map(({ target }) => target);
      expect(new Set(targets).size, 'a grade was sent twice').toBe(targets.length);
      const lines = result.stdout.trimEnd().split('\n').slice(0, -1);
      const rows = lines.map((line) => JSON.parse(line) as { member: string; outcome: string });
      const recorded = rows.filter(({ outcome }) => outcome === 'recorded');
      expect(rows).toHaveLength(size);
      // An answer that was written may be lost with its connection; none is made up.
      for (const { member } of recorded) expect(answered).toContain(member);
      const others = rows.map(({ outcome }) => outcome).filter((each) => each !== 'recorded');
      expect(others.filter((outcome) => !/^in.doubt$/.test(outcome))).toEqual([]);
      expect([0, 10], result.stderr).toContain(result.exit);
    }
  },
);
