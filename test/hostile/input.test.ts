import * as fc from '../support/property.ts';
import { expect } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from '../support/zip.ts';

import { lectern, temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';
import { judged } from './judged.ts';
import { changed, changes, damage, type Damage, damaged, oddText } from './odd.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Input');

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** Runs a property as often as the case says; a failure reports the smallest failing input. */
async function forAll<Values extends [unknown, ...unknown[]]>(
  size: number,
  arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  body: (...values: Values) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(...arbitraries, body) as fc.IAsyncProperty<Values>, {
    numRuns: size,
    interruptAfterTimeLimit: 1_000_000,
  });
}

/** Runs a command on input, and checks that what it prints with `--json` is JSON. */
async function take(args: readonly string[], input: string | Uint8Array, home: string) {
  const result = await lectern(args, { home, input, cwd: home });
  judged(
    result,
    `${args.join(' ')} < ${Buffer.from(input).toString('latin1').slice(0, 500)}`,
    [0, 1, 2, 3, 4, 6, 8],
  );
  expect(result.exit, result.stderr).not.toBe(1);
  if (args.includes('--json') && result.stdout !== '') JSON.parse(result.stdout);
  return result;
}

/** Ways in which a launch is handed on. */
const CARRIERS: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => `${base64url('{"alg":"none"}')}.${base64url(json)}.x`,
  (json) => Buffer.from(json).toString('base64'),
  (json) => `https://tool.example/launch?launch_token=${base64url('{}')}.${base64url(json)}.`,
  (json) => `launch=${encodeURIComponent(json)}&x=1`,
  (json) => `{"wrapped":{"claims":${json}}}`,
  (json) => `Bearer ${base64url('{}')}.${base64url(json)}.x`,
];

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

hostile(
  {
    tried: 'random claims in every form of a launch, with damaged bytes',
    size: { short: 12, long: 5_000 },
    limitMs: { short: 120_000, long: 3_000_000 },
  },
  async ({ size }) => {
    const home = temporaryFolder();
    const claims = launchFor(NOWHERE);
    await forAll<[(readonly [number, unknown])[], number, Damage]>(
      size,
      [changes, fc.nat(), damage],
      async (places, way, harm) => {
        const carrier = CARRIERS[way % CARRIERS.length] ?? ((json: string) => json);
        const input = damaged(carrier(JSON.stringify(changed(claims, places))), harm);
        await take(['launch', 'decode', '-', '--json'], input, home);
        await take(['launch', 'decode', '-'], input, home);
        await take(['validate', 'launch', '-', '--json'], input, home);
        const saved = await take(['launch', 'save', 'x', '-', '--force', '--json'], input, home);
        if (saved.exit !== 0) return;
        await take(['launch', 'list', '--json'], '', home);
        await take(['launch', 'show', 'x', '--json'], '', home);
        await take(['storage', 'get', 'member', '-l', 'x'], '', home);
        await take(['files', 'ls', 'member', '-l', 'x'], '', home);
        await take(['grade', 'submit', '--score', '1', '--dry-run', '-l', 'x'], '', home);
      },
    );
  },
);

const CSV_CELLS = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('m-1', 'm-2', '0.5', '1', '', 'well done', '"a,b"', '"a\nb"'),
  },
  { weight: 1, arbitrary: oddText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"',
      '""',
      '"""',
      '0,5',
      '1e400',
      'NaN',
      '-0',
      '=1+1',
      "'=1",
      '٣',
      '1'.repeat(400),
    ),
  },
);
const CSV = fc
  .tuple(
    fc.constantFrom(
      'member,score',
      'member;score;comment',
      'member\tpoints\tmax_score',
      'score',
      'member,score,score',
      '',
    ),
    fc.array(fc.array(CSV_CELLS, { maxLength: 5 }), { maxLength: 12 }),
    fc.constantFrom(',', ';', '\t'),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([header, rows, delimiter, end]) =>
    [header, ...rows.map((row) => row.join(delimiter))].join(end),
  );

hostile(
  {
    tried:
      'CSV with unusual cells, quotes, delimiters and line ends, in UTF-16, Latin-1, with NUL, truncated',
    size: { short: 20, long: 10_000 },
    limitMs: { short: 120_000, long: 3_000_000 },
  },
  async ({ size }) => {
    const home = temporaryFolder();
    await forAll<[string, Damage]>(size, [CSV, damage], async (text, harm) => {
      const input = damaged(text, harm);
      await take(['validate', 'grades', '-', '--json'], input, home);
      const claims = join(home, 'launch.json');
      writeFileSync(claims, JSON.stringify(launchFor(NOWHERE)));
      const planned = await take(
        ['grade', 'submit', '--from', '-', '--dry-run', '--json', '-l', claims],
        input,
        home,
      );
      if (planned.exit === 0) expect(JSON.parse(planned.stdout)).toHaveProperty('digest');
    });
  },
);

const ROW = {
  member: 'm-1',
  score: 0.5,
  max_score: 50,
  comment: 'c',
  activity_progress: 'Completed',
};

hostile(
  {
    tried: 'JSON lines with random values and unusual names, and with damaged bytes',
    size: { short: 20, long: 10_000 },
    limitMs: { short: 120_000, long: 3_000_000 },
  },
  async ({ size }) => {
    const home = temporaryFolder();
    const lines = fc.array(fc.tuple(changes, oddText), { maxLength: 6 });
    await forAll<[[(readonly [number, unknown])[], string][], Damage]>(
      size,
      [lines, damage],
      async (rows, harm) => {
        const text = rows.map(([places, name]) =>
          JSON.stringify(changed(name.length > 2 ? { ...ROW, [name]: 1 } : ROW, places)),
        );
        const input = damaged(`{"member":"first","score":1}\n${text.join('\n')}`, harm);
        await take(['validate', 'grades', '-', '--json'], input, home);
      },
    );
  },
);

const ZIP = zipOf([
  { name: 'index.html', content: '<div></div>'.repeat(50) },
  { name: 'manifest.json', content: '{"name":"tool","locations":[]}' },
  { name: 'folder/data.json', content: '{}' },
]);

hostile(
  {
    tried: 'zips with changed bytes, truncated, and with unusual names and sizes',
    size: { short: 30, long: 10_000 },
    limitMs: { short: 120_000, long: 3_000_000 },
  },
  async ({ size }) => {
    const home = temporaryFolder();
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 });
    await forAll<[[number, number][], number, string]>(
      size,
      [flips, fc.double({ min: 0.2, max: 1, noNaN: true }), oddText],
      async (places, until, name) => {
        const zip =
          places.length % 3 === 0
            ? zipOf([
                { name: name.slice(0, 60_000), content: 'x' },
                {
                  name: name.slice(0, 60_000),
                  content: '{}',
                  claims: { size: places.length * 1e8 },
                },
              ])
            : ZIP;
        const input = damaged(zip, {
          flips: places,
          until: places.length > 3 ? until : 1,
          as: 'utf8',
        });
        await take(['validate', 'hosted-tool', '-', '--json'], input, home);
      },
    );
  },
);
