/*
 * Which files of src may import which: static, type-only and dynamic imports alike. The picture is in
 * CONTRIBUTING.md.
 */
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Import, importsOf, readSources, type Sources } from './sources.ts';

describe('the source tree', () => {
  const sources = readSources();
  const imports = importsOf(sources);

  test('is read completely', () => {
    expect(sources.size).toBeGreaterThan(5);
    expect(sources.has('src/contract/limits.ts')).toBe(true);
    expect(imports.length).toBeGreaterThan(5);
  });

  test('imports only down the layers of the map', () => {
    expect(wrongImports(imports, sources)).toEqual([]);
  });

  test('has an emulator in floors, each of which imports only earlier ones', () => {
    expect(wrongFloors(imports, sources)).toEqual([]);
  });
});

describe('the import rules', () => {
  // What they allow is what the source has.
  const refused: [from: string, statement: string][] = [
    ['src/contract/rows.ts', `import { x } from '../client/rows.ts'`],
    ['src/contract/rows.ts', `import { readFile } from 'node:fs'`],
    ['src/client/rows.ts', `let x: import('../ledger/ledger.ts').Ledger`],
    ['src/client/rows.ts', `import { x } from 'lectern'`],
    ['src/emulator/app.ts', 'await import(`../${folder}/rows.ts`)'],
    ['src/cli/commands/storage.ts', `import { x } from '../adapters/terminal.ts'`],
    ['src/cli/commands/storage.ts', `await import('../files/ls.ts')`],
    ['src/cli/storage/get.ts', `import { x } from '../commands/storage.ts'`],
    ['src/cli/output/table.ts', `import { x } from '../../client/rows.ts'`],
    ['src/console/pages/rows.tsx', `import type { x } from '../../emulator/index.ts'`],
    ['src/console/api.ts', `import mime from 'mime'`],
    ['src/rows/write.ts', `import { readFile } from 'node:fs/promises'`],
    ['src/cli/program.ts', `import x from '../../test/harness.ts'`],
    ['src/utilities/text.ts', `export const x = 1`],
  ];

  test.each(refused)('forbid %s: %s', (from, statement) => {
    expect(check(from, statement)).toHaveLength(1);
  });

  test('forbid a floor of the emulator to import a higher one', () => {
    const text = `import type { x } from '../state/state.ts'`;
    const sources = new Map([['src/emulator/http/listener.ts', text]]);
    expect(wrongFloors(importsOf(sources), sources)).toHaveLength(1);
  });

  function check(from: string, text: string): string[] {
    const sources = new Map([[from, text]]);
    return wrongImports(importsOf(sources), sources);
  }
});

const ENGINE = 'client clock.ts contract diff errors.ts json ledger ports.ts validator';

/** What a folder may reach inside src, besides itself; the console, of the emulator, types only. */
const ARROWS: Readonly<Record<string, string>> = {
  json: '',
  schema: 'json',
  'redaction.ts': 'contract',
  diff: 'json',
  contract: 'json',
  'console-pages.ts': '',
  'control-api': 'contract fault-kinds.ts schema',
  'control-request.ts': '',
  'fault-kinds.ts': '',
  'own-environment.ts': '',
  console:
    'console-pages.ts contract control-api control-request.ts diff emulator fault-kinds.ts json validator',
  client: 'clock.ts contract control-request.ts json ports.ts redaction.ts',
  'clock.ts': 'ports.ts',
  sqlite: 'clock.ts disk',
  disk: 'errors.ts ports.ts',
  emulator:
    'contract control-api control-request.ts diff disk fault-kinds.ts json redaction.ts schema sqlite zip.ts',
  ledger: 'clock.ts contract disk json ports.ts schema sqlite',
  validator: 'contract diff json schema',
  'errors.ts': 'validator',
  'ports.ts': '',
  'zip.ts': 'contract',
  grades: `${ENGINE} schema sqlite`,
  transfer: ENGINE,
  backup: `${ENGINE} rows schema transfer`,
  rows: ENGINE,
  cli: `${ENGINE} backup console-pages.ts control-api control-request.ts disk emulator fault-kinds.ts grades observe own-environment.ts rows schema sqlite transfer zip.ts`,
  observe: 'contract control-request.ts emulator json redaction.ts schema',
  fixtures: 'contract emulator own-environment.ts',
  'index.ts': `${ENGINE} disk emulator grades rows transfer`,
};

/** The engines: they print nothing, ask nothing, and are given the machine. */
const ENGINES = new Set(['backup', 'grades', 'transfer', 'rows']);
const MACHINE =
  /^node:(child_process|dgram|dns|fs|http|https|http2|net|os|process|readline|timers|tls|tty|worker_threads)(\/|$)/;
/** The packages that the console is made of. */
const IN_BROWSER = /^(preact|@preact\/signals)(\/|$)/;
/** The control API, of which the console takes types. */
const CONTROL = 'src/emulator/control/';
/** What never touches the machine. */
const PURE = new Set(
  'control-api control-request.ts json redaction.ts diff contract schema'.split(' '),
);

function wrongImports(imports: readonly Import[], sources: Sources): string[] {
  const strangers = [...sources.keys()]
    .filter((file) => !(folderOf(file) in ARROWS))
    .map((file) => `${file} is in no folder of the picture`);
  const wrong = imports
    .filter(({ from }) => folderOf(from) in ARROWS)
    .map((edge) => ({ edge, reason: objection(edge) }))
    .filter(({ reason }) => reason !== undefined)
    .map(({ edge, reason }) => `${edge.from} imports ${edge.to ?? '(an expression)'}: ${reason}`);
  return [...strangers, ...wrong];
}

function objection({ from, to, kind }: Import): string | undefined {
  if (to === undefined) return 'a computed import cannot be checked or bundled';
  const here = folderOf(from);
  if (!to.startsWith('src/')) {
    if (to.startsWith('.') || to.startsWith('test/')) return 'it is outside src';
    if (PURE.has(here) && to.startsWith('node:')) return `${here} is pure`;
    if (here === 'console' && !IN_BROWSER.test(to))
      return 'the console brings little into a browser';
    if (ENGINES.has(here) && MACHINE.test(to)) return 'an engine is given the machine';
    return undefined;
  }
  const there = folderOf(to);
  if (there !== here && !ARROWS[here]?.split(' ').includes(there))
    return `${here} may not reach ${there}`;
  if (here === 'console' && there === 'emulator' && (kind !== 'type' || !to.startsWith(CONTROL))) {
    return 'the console takes the types of the control API, and no code';
  }
  const isRuntime = from === 'src/cli/runtime.ts' && kind === 'type';
  if (to.startsWith('src/cli/adapters/') && !KNOWS_ADAPTERS.test(from) && !isRuntime) {
    return 'only main, run, the executable and the adapters themselves know the adapters';
  }
  if (to.startsWith('src/cli/commands/') && !KNOWS_COMMANDS.test(from)) {
    return 'only the program and the declarations themselves know the declarations';
  }
  if (from.startsWith('src/cli/commands/') && !isOfDeclaration(from, to, kind)) {
    return 'a declaration loads verbs of its own noun only, when they are called';
  }
  if (from.startsWith('src/cli/output/')) {
    const isData = PURE.has(there) || ENGINES.has(there) || to.startsWith('src/cli/output/');
    if (PRINTS.test(from)) return undefined;
    const isShape = kind === 'type' && (there !== 'cli' || SHAPES.includes(to));
    if (!isData && !isShape) return 'output knows data only';
  }
  return undefined;
}

/** What is printed, and the schemas of what is printed with `--json`. */
const PRINTS =
  /^src\/cli\/output\/(print|notes|error-text|fields|forms|[a-z]+-(forms|progress))\.ts$/;
const SHAPES = ['src/cli/colors.ts', 'src/cli/runtime.ts'];
const KNOWS_ADAPTERS = /^src\/cli\/(main\.ts|run\.ts|executable\.ts|adapters\/)/;
const KNOWS_COMMANDS = /^src\/cli\/(program\.ts|commands\/)/;
/** Modules that reach the service or the machine. */
const ACTS =
  /^src\/(client|emulator|cli\/(?!commands\/|declare\/|arguments\/|output\/|[a-z]+\/flags\.ts|errors\.ts|exit-codes\.ts|runtime\.ts))/;

/**
 * A declaration, `commands/<noun>.ts` or `commands/<noun>-<group>.ts`, imports data and any type, and
 * loads the verbs of its own noun when they are called, and the tables that they print.
 */
function isOfDeclaration(from: string, to: string, kind: Import['kind']): boolean {
  if (kind === 'type') return true;
  if (kind === 'static') return !ACTS.test(to);
  const [noun] = posix.basename(from, '.ts').split('-');
  return [`src/cli/${noun}/`, 'src/cli/output/'].some((folder) => to.startsWith(folder));
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** The floors of the emulator, from the lowest. */
const FLOORS = 'freedom http store state service review session trouble'
  .concat(' control openapi pages app.ts emulator.ts serve.ts index.ts')
  .split(' ');

function wrongFloors(imports: readonly Import[], sources: Sources): string[] {
  const floorOf = (file: string): number => FLOORS.indexOf(file.split('/')[2] ?? '');
  const isInside = (file = ''): boolean => file.startsWith('src/emulator/');
  const strangers = [...sources.keys()]
    .filter((file) => isInside(file) && floorOf(file) === -1)
    .map((file) => `${file} is on no floor`);
  const wrong = imports
    .filter(({ from, to = '' }) => isInside(from) && isInside(to) && floorOf(from) < floorOf(to))
    .map(({ from, to }) => `${from} imports ${to}, which is on a higher floor`);
  return [...strangers, ...wrong];
}
