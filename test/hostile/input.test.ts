import * as fc from '../support/property.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { treeOf } from '../../src/cli/help/show-help.ts';
import type { CommandTree } from '../../src/cli/output/others-forms.ts';
import { loadTree } from '../../src/cli/program.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { judged } from './judged.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Input');

/** Characters that end, reorder, hide or break something, and such of two code units. */
const CHARACTERS = [
  ...'aZ09 ._-/\\"\'`$%&=?#@:;,|<>{}[]()*+~!^',
  ...'\0\t\n\r\u001b\u007f\u009b\u00e4\u200b\u202e\u2028\ufeff\ufffd\u{1f600}',
  '\ud800',
  '\udfff',
];

const oddText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 20 }),
  fc.constantFrom(
    ...' - -- .. ../../etc/passwd / __proto__ constructor null NaN 1e400 0x10 %00 %2e%2e %zz'.split(
      ' ',
    ),
    'x'.repeat(70_000),
    '\u202e'.repeat(300),
  ),
);

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
const GLOBAL = '--help --json --yes --dry-run --timeout= --launch= --url= -k -- -v'.split(' ');

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

hostile(
  {
    tried: 'random command lines of all commands, flags and unusual words',
    size: { short: 60, long: 20_000 },
  },
  async ({ size }) => {
    const course = await startCourse();
    const home = temporaryFolder();
    writeFileSync(join(home, 'grades'), 'member,score\nm-1,0.5\n');
    writeFileSync(join(home, 'row'), '{"a":1}');
    writeFileSync(join(home, 'launch'), readFileSync(course.launch));
    const env = { LECTERN_LAUNCH: course.launch, EDITOR: 'true', TMPDIR: home };
    await fc.assert(
      fc.asyncProperty(line, async (args) => {
        const result = await lectern(args, { home, cwd: home, input: '{"a":1}', env });
        const what = JSON.stringify(args);
        judged(result, what);
        // 1 is for a difference, doctor and local problems, never for the arguments.
        if (result.exit === 1) expect(result.stderr, what).not.toContain('usage');
        expect(result.stdout + result.stderr, what).not.toContain(course.token);
      }),
      { numRuns: size },
    );
  },
);
