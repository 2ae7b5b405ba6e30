/**
 * Mutation testing: changes one operator, condition or number of a file at a time, in a copy of the
 * repository, and runs the tests of its folder. A mutant that they do not notice is printed.
 *
 * npm run mutation -- src/contract/grades.ts …   every mutant of these files
 * npm run mutation -- --sample 40 src/rows       forty of them, the same each time
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'oxc-parser';

/** The tests that hold each folder. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/contract': ['test/rules', 'test/contract', 'test/validator'],
  'src/grades': ['test/grades', 'test/simulation', 'test/cli/grade'],
  'src/rows': ['test/rows', 'test/simulation', 'test/cli/storage'],
  'src/ledger': ['test/ledger', 'test/simulation', 'test/cli/ledger'],
};

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Operation {
  readonly left: Place;
  readonly operator: string;
  readonly right: Place;
}

interface Mutant extends Place {
  readonly file: string;
  readonly text: string;
}

/** Every mutant of a file; types and imports have none. */
function mutantsOf(file: string): Mutant[] {
  const source = readFileSync(file, 'utf8');
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, text: string): void =>
    void mutants.push({ file, start, end, text });
  const operator = (node: Operation): void => {
    const between = source.slice(node.left.end, node.right.start);
    const start = node.left.end + between.indexOf(node.operator);
    const other = OPERATORS[node.operator];
    if (other !== undefined) add(start, start + node.operator.length, other);
  };
  const negate = ({ test: { start, end } }: { test: Place }): void =>
    add(start, end, `!(${source.slice(start, end)})`);
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: negate,
    ConditionalExpression: negate,
    Literal: ({ value, start, end }) => {
      if (typeof value === 'number') add(start, end, `(${source.slice(start, end)} + 1)`);
      if (typeof value === 'boolean') add(start, end, String(!value));
    },
  }).visit(parseSync(file, source).program);
  return mutants;
}

/** Whether the tests of a file's folder pass in the copy, and end. */
function passes(copy: string, file: string): boolean {
  const tests = Object.entries(TESTS).find(([folder]) => file.startsWith(folder))?.[1] ?? [];
  const args = ['vitest', 'run', '--project', 'modules', '--bail', '1'];
  const options = { cwd: copy, timeout: 600_000, killSignal: 'SIGKILL' } as const;
  return spawnSync('npx', [...args, '--reporter=dot', ...tests], options).status === 0;
}

function isKilled(copy: string, { file, start, end, text }: Mutant): boolean {
  const original = readFileSync(file, 'utf8');
  writeFileSync(join(copy, file), original.slice(0, start) + text + original.slice(end));
  const isPassed = passes(copy, file);
  writeFileSync(join(copy, file), original);
  return !isPassed;
}

function describe({ file, start, end, text }: Mutant): string {
  const source = readFileSync(file, 'utf8');
  const line = source.slice(0, start).split('\n').length;
  return `${file}:${line}: ${source.slice(start, end).replaceAll(/\s+/g, ' ')} -> ${text.replaceAll(/\s+/g, ' ')}`;
}

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' } },
  allowPositionals: true,
});
const files = positionals.flatMap((path) =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.startsWith('postgres'))
        .map((name) => join(path, name)),
);
const all = files.flatMap(mutantsOf);
const every = Math.max(1, Math.ceil(all.length / Number(values.sample ?? all.length)));
const chosen = all.filter((_, index) => index % every === 0);
const copy = mkdtempSync(join(tmpdir(), 'lectern-mutation-'));
try {
  for (const name of ['src', 'test', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
    cpSync(name, join(copy, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  const [first] = chosen;
  if (first && !passes(copy, first.file)) throw new Error('the tests fail without a mutant');
  let killed = 0;
  for (const mutant of chosen) {
    if (isKilled(copy, mutant)) killed += 1;
    else process.stdout.write(`survived: ${describe(mutant)}\n`);
  }
  process.stdout.write(`${killed} of ${chosen.length} mutants killed, of ${all.length}\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
