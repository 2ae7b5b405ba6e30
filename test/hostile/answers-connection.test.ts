import { expect } from 'vitest';
import { lectern } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile, startService, text } from '../support/service.ts';
import { commandOf, KINDS, ok, RECORD } from './answering.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

hostile({ tried: 'a certificate that is not trusted: nothing is sent' }, async () => {
  const service = await startService(text(200, '{}'), { tls: true });
  const launch = launchFile(service.origin);
  for (const kind of KINDS) {
    const { exit, stderr } = await lectern(commandOf(kind, launch, 60), { input: '{}' });
    const words = expect.stringMatching(/untrusted certificate[^]*NODE_EXTRA_CA_CERTS/);
    expect([kind, exit, stderr]).toEqual([kind, 8, words]);
  }
  expect(service.requests).toEqual([]);
});

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
