/** What a proxy of the environment may answer when it is asked for a tunnel. */
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { commandOf } from './answering.ts';
import { hostileCases, sampled } from './support.ts';

const hostile = hostileCases('Answers');

const CONSENT = 'HTTP/1.1 200 OK\r\n\r\n';

const ANSWERS: Readonly<Record<string, readonly Piece[]>> = {
  'the end': ['FIN'],
  'a reset': ['RST'],
  rubbish: ['rubbish\r\n\r\n', 'FIN'],
  'half an answer': ['HTTP/1.1 20', 'FIN'],
  'a head that is too long': ['HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(100_000), 'FIN'],
  'a request to sign in': [
    'HTTP/1.1 407 Sign in\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n',
    'FIN',
  ],
  'a redirect': ['HTTP/1.1 302 Go\r\nlocation: http://127.0.0.1:1/\r\n\r\n', 'FIN'],
  'a page of its own': [`HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>`, 'FIN'],
  'an answer before the request': [
    `${CONSENT}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
    'FIN',
  ],
};

for (const [index, scheme] of ['http', 'https'].entries()) {
  // The short form has some of them for one of the schemes.
  const answers = sampled(Object.entries(ANSWERS), 4, 2 * index);
  hostile(
    {
      tried: `a proxy that refuses a tunnel to an ${scheme} service, or responds in its place`,
      times: { short: 1, long: 20 },
      size: { short: answers.length, long: answers.length },
    },
    async () => {
      const launch = launchFile(`${scheme}://service.test`);
      for (const [name, pieces] of answers) {
        const proxy = await startRawServer({ answer: () => pieces });
        const env = { HTTP_PROXY: proxy.origin, HTTPS_PROXY: proxy.origin };
        const { exit, stderr } = await binary(commandOf('grade', launch, 30), { env });
        // There is no tunnel that anything could have gone through.
        expect([name, exit, stderr]).toEqual([
          name,
          8,
          expect.stringContaining('Nothing was sent'),
        ]);
        expect(stderr).not.toContain('no answer within');
        expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT']);
        expect(Buffer.concat(proxy.received.flat()).toString()).not.toContain('canary');
      }
    },
  );
}
