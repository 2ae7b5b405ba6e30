import * as fc from '../support/property.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { treeOf } from '../../src/cli/help/show-help.ts';
import type { CommandTree } from '../../src/cli/output/others-forms.ts';
import { loadTree } from '../../src/cli/program.ts';
import { binary } from '../support/binary.ts';
import { lectern, type RunResult, temporaryFolder } from '../support/lectern.ts';
import { AT, type Course, startCourse } from './course-service.ts';
import { judged } from './judged.ts';
import { oddText } from './odd.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Input');

/** A command as it is declared: the number of its arguments, flags with `=` where they take a value. */
interface Command {
  readonly words: readonly string[];
  readonly places: number;
  readonly flags: readonly string[];
}

/** What serves, waits or starts other programs until it is ended. */
const ENDLESS = /\b(start|exec|wait|demo|watch|open|requests)\b/;

function commandsOf(tree: CommandTree, above: readonly string[] = []): Command[] {
  const words = [...above, tree.name];
  const flags = tree.flags.flatMap(({ name, short, type }) => {
    const long = type === 'boolean' ? name : `${name}=`;
    return short === null ? [long] : [short, long];
  });
  return [
    { words, places: tree.arguments.length, flags },
    ...tree.commands.flatMap((each) => commandsOf(each, words)),
  ];
}

const COMMANDS = (await loadTree())
  .flatMap((noun) => commandsOf(treeOf(noun)))
  .filter(({ words }) => !ENDLESS.test(words.join(' ')));
/** They wait, show what is hidden, or reach what other tests have started. */
const LEFT_OUT = /^(--watch|--follow|-f|--show-url|--emulator=)$/;
const GLOBAL = [
  '--help',
  '--json',
  '--yes',
  '--dry-run',
  '--timeout=',
  '--launch=',
  '--url=',
  '-k',
  '--',
  '-v',
];

const WORDS = (
  'member member context parent_context row grades launch folder a 1 0.5 -1 1e9 2026 5s 42/50 a=b ' +
  'm=member {"a":1} {member} Completed Pending student size table 409 GET -'
).split(' ');

/** No path that leads out of the folder of the test: what is generated may write and delete. */
const word = fc.oneof(
  {
    weight: 1,
    arbitrary: oddText.filter((text) => !/[/\\.~\0]/.test(text) && text.length < 1_000),
  },
  { weight: 2, arbitrary: fc.constantFrom(...WORDS) },
);

const line = fc
  .tuple(
    fc.constantFrom(...COMMANDS),
    fc.array(word, { minLength: 3, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(), word), { maxLength: 4 }),
    fc.nat(9),
  )
  .map(([{ words, places, flags }, given, chosen, odds]) => {
    const own = [...flags, ...GLOBAL].filter((flag) => !LEFT_OUT.test(flag));
    const count = odds === 0 ? places + 1 : odds === 1 ? places - 1 : places;
    return words.concat(
      given.slice(0, Math.max(0, count)),
      chosen.map(([index, value]) => {
        const flag = own[index % own.length] ?? '--json';
        return flag.endsWith('=') ? flag + value : flag;
      }),
    );
  });

interface Place {
  readonly course: Course;
  readonly home: string;
}

/** A folder with files of every kind, a launch in use, and a service that takes everything. */
async function place(): Promise<Place> {
  const course = await startCourse();
  const home = temporaryFolder();
  writeFileSync(join(home, 'grades'), 'member,score\nm-1,0.5\n');
  writeFileSync(join(home, 'row'), '{"a":1}');
  writeFileSync(join(home, 'launch'), readFileSync(course.launch));
  return { course, home };
}

const TOKEN = 'launch-token-canary-1';

async function tryLine(
  run: typeof lectern,
  { course, home }: Place,
  args: readonly string[],
): Promise<RunResult> {
  const result = await run(args, {
    home,
    cwd: home,
    input: '{"a":1}',
    env: { LECTERN_LAUNCH: course.launch, EDITOR: 'true', TMPDIR: home },
  });
  const what = JSON.stringify(args);
  judged(result, what);
  // 1 is for a difference, doctor and local problems, never for the arguments.
  if (result.exit === 1)
    expect([what, result.stderr]).toEqual([what, expect.not.stringContaining('usage')]);
  expect(result.stdout + result.stderr, what).not.toContain(TOKEN);
  return result;
}

hostile(
  {
    tried: 'random command lines of all commands, flags and unusual words',
    size: { short: 60, long: 20_000 },
    limitMs: { short: 120_000, long: 3_000_000 },
  },
  async ({ size }) => {
    const at = await place();
    await fc.assert(
      fc.asyncProperty(line, async (args) => void (await tryLine(lectern, at, args))),
      { numRuns: size },
    );
  },
);

hostile(
  {
    tried: 'random command lines with the built binary',
    size: { short: 2, long: 500 },
    limitMs: { short: 120_000, long: 1_000_000 },
  },
  async ({ size }) => {
    const at = await place();
    await fc.assert(
      fc.asyncProperty(line, async (args) => {
        fc.pre(args.every((each) => !each.includes('\0')));
        await tryLine(binary, at, args);
      }),
      { numRuns: size },
    );
  },
);

/** What may follow the origin of an opaque address, as it is sent. */
const PATHS = [
  '/rows/member',
  '/rows//member',
  '/rows/%2e%2e/x',
  '/rows/./x/../y',
  '/rows/a%2Fb?x=%2e&y=+',
  '/rows/member?',
  '/rows/member?a=b?c=d',
  "/rows/'quote'!$&()*,;=:@",
  '/rows/~%7E%zz%',
  '/',
  '',
  '?only=query',
];

hostile(
  { tried: 'opaque addresses that URL parsers rewrite: they are sent unchanged' },
  async () => {
    const { course, home } = await place();
    for (const path of PATHS) {
      const before = course.requests.length;
      const args = ['storage', 'get', '--raw', '--url', `${course.origin}${path}`];
      await tryLine(lectern, { course, home }, args);
      const sent = course.requests.slice(before).map(({ target }) => target);
      const wire = path.startsWith('/') ? path : `/${path}`;
      expect([path, sent]).toEqual([path, [wire]]);
    }
  },
);

hostile(
  {
    tried: 'invalid addresses, and addresses on other origins: nothing is sent',
    size: { short: 60, long: 10_000 },
    limitMs: { short: 120_000, long: 600_000 },
  },
  async ({ size }) => {
    const { course, home } = await place();
    const odd = fc.oneof(
      oddText.filter((text) => !text.includes('\0') && text.length < 1_000),
      fc.constantFrom(
        'ftp://',
        'file:///etc/passwd',
        'javascript:1',
        'http://',
        'http:///',
        'https:',
        'http://[::1',
        'http://127.0.0.1:99999/',
        '//x',
      ),
      oddText
        .filter((text) => !/[\0#]/.test(text) && text.length < 1_000)
        .map((text) => `http://user:${text}@127.0.0.1:9/`),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (url) => {
        const before = course.requests.length;
        const result = await tryLine(lectern, { course, home }, ['storage', 'get', `--url=${url}`]);
        expect([2, 3, 4, 8], `${url}: ${result.exit} ${result.stderr}`).toContain(result.exit);
        expect(course.requests.length).toBe(before);
      }),
      { numRuns: size },
    );
  },
);

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

hostile(
  {
    tried: 'file keys with unusual characters: rejected with nothing sent, or sent unchanged',
    size: { short: 60, long: 10_000 },
    limitMs: { short: 120_000, long: 600_000 },
  },
  async ({ size }) => {
    const { course, home } = await place();
    const keys = fc.oneof(
      oddText.filter((text) => text.length < 1_000),
      fc.string({ unit: fc.constantFrom(...'aZ0._-'), maxLength: 130 }),
    );
    await fc.assert(
      fc.asyncProperty(keys, async (key) => {
        course.files.clear();
        const before = course.requests.length;
        const args = ['files', 'upload', 'member', 'row', `--key=${key}`, '-q'];
        const { exit } = await tryLine(lectern, { course, home }, args);
        const declared = course.requests
          .slice(before)
          .filter(({ method, target }) => method === 'PUT' && AT.files.test(target));
        if (KEY.test(key)) {
          expect([exit, declared.map(({ target }) => target)]).toEqual([
            0,
            [`/files/member/${key}`],
          ]);
        } else
          expect([key, [2, 3].includes(exit), course.requests.length - before]).toEqual([
            key,
            true,
            0,
          ]);
      }),
      { numRuns: size },
    );
  },
);
