/**
 * Mutation testing: changes one operator, condition or number of a file at a time, in a copy of the
 * repository, and runs the tests of its folder that reach it, see `runner.ts`. A mutant that
 * they do not notice is printed.
 *
 * npm run mutation -- src/contract/grades.ts …   every mutant of these files
 * npm run mutation -- --sample 40 src/rows       forty of them, the same each time
 */
import {
  appendFileSync,
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
import { createVitest } from 'vitest/node';
import { mutantsOf, withMutants } from './mutants.ts';
import { isAlive, readWords } from './words.ts';

/** The tests that hold each folder, the quick ones first. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/contract': [
    'test/contract',
    'test/validator',
    'test/cli/launch',
    'test/cli/explain',
    'test/client',
    'test/rules',
  ],
  'src/grades': [
    'test/validator/grades',
    'test/cli/grade',
    'test/grades',
    'test/cli/ledger/move',
    'test/simulation/runs',
  ],
  'src/rows': ['test/rows', 'test/cli/storage', 'test/simulation/rows'],
  'src/ledger': [
    'test/ledger',
    'test/cli/storage/history',
    'test/cli/grade/resume',
    'test/cli/grade/once',
    'test/cli/ledger/move',
    'test/simulation/runs',
  ],
};

/** Those of the project `modules`; the last one is made here. */
const SETUP = ['own-environment', 'check-answers', 'own-connections', 'mutants'].map(
  (name) => `test/support/${name}.ts`,
);

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' } },
  allowPositionals: true,
});
const files = positionals.flatMap((path) =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.startsWith('postgres'))
        .sort()
        .map((name) => join(path, name)),
);
const mutants = new Map(files.flatMap(mutantsOf).map((mutant, index) => [index + 1, mutant]));
const every = Math.max(1, Math.floor(mutants.size / Number(values.sample ?? mutants.size)));
const chosen = [...mutants.keys()].filter((number) => (number - 1) % every === 0);
const tests = Object.entries(TESTS)
  .filter(([folder]) => files.some((file) => file.startsWith(folder)))
  .flatMap(([, folders]) => folders);

const repository = process.cwd();
const copy = mkdtempSync(join(tmpdir(), 'lectern-mutation-'));
const log = join(copy, 'mutation.log');

/** Whether tests pass in the copy; `constant` is a mutant that their process has from its start. */
async function passes(folders: readonly string[], constant = 0): Promise<boolean> {
  const vitest = await createVitest(
    'test',
    {
      root: copy,
      config: false,
      watch: false,
      pool: 'forks',
      isolate: false,
      maxWorkers: 1,
      bail: constant ? 1 : 0,
      execArgv: ['--no-warnings'],
      env: { LECTERN_MUTANT: String(constant) },
      runner: join(repository, 'scripts/mutation/runner.ts'),
      exclude: ['**/node_modules/**', '**/postgres/**'],
      setupFiles: SETUP,
      testTimeout: 30_000,
      reporters: [{}],
      silent: true,
      dangerouslyIgnoreUnhandledErrors: true,
      experimental: { fsModuleCache: true, fsModuleCachePath: join(copy, 'cache') },
    },
    { define: { __VERSION__: '"1.0.0"' } },
  );
  const { testModules } = await vitest.start([...folders]);
  await vitest.close();
  return testModules.every((each) => each.ok());
}

/** How many mutants have ended their process: the tests after them were not run. */
const countEnded = (): number =>
  [...readWords(log).values()].filter((word) => word === 'try').length;

try {
  for (const name of ['src', 'test', 'docs', 'README.md', 'package.json', 'tsconfig.json']) {
    cpSync(name, join(copy, name), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  for (const file of files) writeFileSync(join(copy, file), withMutants(file, mutants));
  // Their constants are made before the first test.
  const imports = files.map((file) => `import '../../${file}';\n`);
  writeFileSync(join(copy, 'test/support/mutants.ts'), imports.join(''));
  writeFileSync(log, '');
  process.env.LECTERN_MUTATION_LOG = log;
  process.env.LECTERN_MUTANTS = chosen.join(',');
  process.chdir(copy);
  for (const folder of tests) {
    let ended: number;
    do {
      ended = countEnded();
      await passes([folder]);
    } while (countEnded() > ended);
  }
  // A simulation takes long, and rarely finds a constant.
  const quick = tests.filter((folder) => !folder.includes('simulation'));
  const loaded = readFileSync(log, 'utf8').matchAll(/^load (\d+)$/gm);
  for (const mutant of new Set([...loaded].map(([, number]) => Number(number)))) {
    if (isAlive(readWords(log).get(mutant)) && !(await passes(quick, mutant)))
      appendFileSync(log, `kill ${mutant}\n`);
  }
  const words = readWords(log);
  const survivors = chosen.filter((mutant) => isAlive(words.get(mutant)));
  const lines = [
    ...(readFileSync(log, 'utf8').match(/^unusable .*/gm) ?? []),
    ...survivors.map((mutant) => `survived: ${mutants.get(mutant)?.change}`),
  ];
  lines.push(
    `${chosen.length - survivors.length} of ${chosen.length} mutants killed, of ${mutants.size}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  process.chdir(repository);
  rmSync(copy, { recursive: true, force: true });
}
