import { expect, test } from 'vitest';
import { FastClock } from '../support/clock.ts';
import { type Handler, launchFile, startService, text } from '../support/service.ts';
import { step } from '../support/steps.ts';

/** Each write that is answered with an empty 204, but for storage put: see test/hostile/answers.test.ts. */
const WRITES = ['storage patch member --add /a=1', 'files rm member k --yes', 'provision context'];

const REDIRECT = { location: '/' };
const ANSWERS: readonly [name: string, answer: Handler, exit: number][] = [
  ['204', text(204), 0],
  [
    '204 with a length',
    (_, answer) => void answer.writeHead(204, { 'content-length': 2 }).end(),
    0,
  ],
  ['200 without a body', text(200), 0],
  ['200 with a sign-in page', text(200, '<html><title>Sign in</title></html>'), 10],
  ['200 with JSON', text(200, '{}'), 10],
  ['301', text(301, '', REDIRECT), 10],
  ['307', text(307, '', REDIRECT), 10],
  ['401', text(401), 4],
  ['403', text(403), 5],
  ['404', text(404), 6],
  ['422', text(422, 'no'), 7],
  ['413', text(413), 7],
  ['429', text(429), 8],
  ['500', text(500), 10],
];

test.each(ANSWERS)('a write with the response %s is sent once', async (name, handler, exit) => {
  for (const line of WRITES) {
    // Reads go well.
    const service = await startService((request, response) => {
      if (request.method !== 'GET') return handler(request, response);
      response.end(request.target.includes('f%69les') ? '[]' : '{}');
    });
    const provision = { context: `${service.origin}/p/context?k=%2f` };
    const env = { LECTERN_LAUNCH: launchFile(service.origin, { provision }) };
    await step(line, { env, clock: new FastClock(), exit, lacks: 'canary' });
    const writes = service.requests.filter(({ method }) => method !== 'GET');
    // Nothing took effect, so it is tried again.
    if (name !== '429') expect([line, writes.length]).toEqual([line, 1]);
  }
});
