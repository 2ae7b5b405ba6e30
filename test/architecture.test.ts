/**
 * Who may import whom, checked on the syntax tree of every file in src: static, type-only and
 * dynamic imports alike. The picture is in CONTRIBUTING.md.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import {
  type CallExpression,
  type Expression,
  type NewExpression,
  type Program,
  Visitor,
  parseSync,
} from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { JSON_FORMS, WITHOUT_JSON } from '../src/cli/json-forms/index.ts';
import * as limits from '../src/contract/limits.ts';
import { commandTree } from './support/command-tree.ts';

const LIMITS_FILE = 'src/contract/limits.ts';
/** Below this a number is too common to be a limit. */
const SMALLEST_TELLING_NUMBER = 10_000;

type Sources = ReadonlyMap<string, string>;
type ImportKind = 'static' | 'type' | 'dynamic';

interface Import {
  readonly from: string;
  /** A file of the project, a package, or undefined when the specifier is not a plain string. */
  readonly to: string | undefined;
  readonly kind: ImportKind;
}

describe('the source tree', () => {
  const sources = readSources('src');
  const imports = importsOf(sources);

  test('is read completely', () => {
    expect(sources.size).toBeGreaterThan(5);
    expect(sources.has(LIMITS_FILE)).toBe(true);
    expect(imports.length).toBeGreaterThan(5);
  });

  test('imports only down the layers of the map', () => {
    expect(wrongImports(imports, sources)).toEqual([]);
  });

  test('has no import cycles', () => {
    expect(cycles(imports)).toEqual([]);
  });

  test('has no import cycles between folders, at any depth', () => {
    expect(cycles(betweenFolders(imports))).toEqual([]);
  });

  test('has an emulator in floors, each of which imports only earlier ones', () => {
    expect(wrongFloors(imports, sources)).toEqual([]);
  });

  test('declares each exported name once', () => {
    expect(namesDeclaredTwice(sources)).toEqual([]);
  });

  test('has at most twelve files in a folder of the ledger', () => {
    expect(fullFolders(sources)).toEqual([]);
  });

  test("states each of the contract's numbers in one file", () => {
    expect(strayLimits(sources)).toEqual([]);
  });
});

test('no call spreads a list of unknown length into its arguments', () => {
  // Some hundred thousand arguments overflow the stack, which a user would see as a bug.
  expect(
    spreadArguments(readSources('src')).filter((found) => !OF_KNOWN_LENGTH.test(found)),
  ).toEqual([]);
});

test('every command has a JSON form in src/cli/json-forms, or prints no JSON', async () => {
  const formless: string[] = [];
  const known = [...Object.keys(JSON_FORMS), ...WITHOUT_JSON];
  for await (const { path, command } of commandTree()) {
    const isGroup = command.commands.length > 0 && !known.includes(path);
    if (!isGroup && !known.includes(path)) formless.push(path);
  }
  expect(formless).toEqual([]);
});

describe('the import rules', () => {
  const allowed: [from: string, statement: string][] = [
    ['src/contract/rows.ts', `import { x } from './limits.ts'`],
    ['src/contract/files.ts', `import mime from 'mime'`],
    ['src/diff/rows.ts', `import { x } from '../json/index.ts'`],
    ['src/contract/rows.ts', `import { x } from '../json/index.ts'`],
    ['src/client/rows.ts', `import { x } from '../contract/rows.ts'`],
    ['src/client/rows.ts', `import { x } from './http.ts'`],
    ['src/client/rows.ts', `await import('undici')`],
    ['src/emulator/app.ts', `import type { x } from '../contract/rows.ts'`],
    ['src/cli/program.ts', `await import('./commands/storage.ts')`],
    ['src/cli/main.ts', `await import('./adapters/runtime.ts')`],
    ['src/cli/run.ts', `import { x } from './adapters/runtime.ts'`],
    ['src/cli/commands/storage.ts', `await import('../storage/get.ts')`],
    ['src/cli/commands/emulator-control.ts', `await import('../emulator/request.ts')`],
    ['src/cli/commands/storage.ts', `import type { x } from '../storage/get.ts'`],
    ['src/cli/commands/storage.ts', `import { whole } from '../arguments/numbers.ts'`],
    ['src/cli/commands/storage.ts', `import { x } from '../storage/flags.ts'`],
    ['src/cli/commands/validate.ts', `import { KINDS } from '../../validator/schema.ts'`],
    ['src/cli/declare/define.ts', `import { UsageError } from '../errors.ts'`],
    ['src/cli/commands/storage.ts', `import type { Runtime } from '../runtime.ts'`],
    ['src/cli/storage/get.ts', `import { x } from '../../client/rows.ts'`],
    ['src/cli/validate/grades.ts', `import { x } from '../grade/bulk/rows.ts'`],
    ['src/cli/output/table.ts', `import { x } from './text.ts'`],
    ['src/cli/output/table.ts', `import { x } from '../../contract/rows.ts'`],
    ['src/cli/output/table.ts', `import type { x } from '../../client/rows.ts'`],
    ['src/cli/adapters/terminal.ts', `import { x } from '../output/text.ts'`],
    ['src/grades/run.ts', `import { createHash } from 'node:crypto'`],
    ['src/grades/run.ts', `import type { Clock } from '../ports.ts'`],
    ['src/transfer/upload.ts', `import { InvalidError } from '../errors.ts'`],
    ['src/cli/files/upload.ts', `import { x } from '../../transfer/upload.ts'`],
    ['src/console/pages/rows.tsx', `import { x } from '../../validator/row.ts'`],
    ['src/console/pages/rows.tsx', `import { useState } from 'preact/hooks'`],
    ['src/console/api.ts', `import type { x } from '../emulator/control/index.ts'`],
    ['src/console/app.tsx', `import { x } from './pages/rows.tsx'`],
    ['src/index.ts', `export * from './client/rows.ts'`],
    ['src/index.ts', `export { x } from './ledger/ledger.ts'`],
    ['src/index.ts', `export { x } from './emulator/app.ts'`],
    ['src/fixtures/lectern.ts', `import { x } from '../emulator/index.ts'`],
  ];
  const refused: [from: string, statement: string][] = [
    ['src/contract/rows.ts', `import { x } from '../client/rows.ts'`],
    ['src/contract/rows.ts', `import type { x } from '../client/rows.ts'`],
    ['src/contract/rows.ts', `import { readFile } from 'node:fs'`],
    ['src/json/parse.ts', `import { readFile } from 'node:fs'`],
    ['src/json/parse.ts', `import { x } from '../contract/limits.ts'`],
    ['src/diff/rows.ts', `import type { x } from '../contract/patch.ts'`],
    ['src/client/rows.ts', `import { x } from '../emulator/app.ts'`],
    ['src/client/rows.ts', `import type { x } from '../ledger/ledger.ts'`],
    ['src/client/rows.ts', `let x: import('../ledger/ledger.ts').Ledger`],
    ['src/client/rows.ts', `let x: typeof import('../ledger/ledger.ts')`],
    ['src/client/rows.ts', `import x = require('../ledger/ledger.ts')`],
    ['src/client/rows.ts', `export * from '../validator/rows.ts'`],
    ['src/client/rows.ts', `export type { x } from '../validator/rows.ts'`],
    ['src/client/rows.ts', `import '../emulator/app.js'`],
    ['src/client/rows.ts', `import { x } from '../index.ts'`],
    ['src/client/rows.ts', `import { x } from 'lectern'`],
    ['src/client/rows.ts', `import { x } from 'lectern/dist/index.js'`],
    ['src/ledger/ledger.ts', `import { x } from '../client/rows.ts'`],
    ['src/validator/rows.ts', `import { x } from '../emulator/app.ts'`],
    ['src/emulator/app.ts', `import { x } from '../validator/rows.ts'`],
    ['src/emulator/app.ts', `await import('../cli/main.ts')`],
    ['src/emulator/app.ts', 'await import(`../contract/rows.ts`)'],
    ['src/emulator/app.ts', 'await import(`../${folder}/rows.ts`)'],
    ['src/cli/commands/storage.ts', `import { x } from '../adapters/terminal.ts'`],
    ['src/cli/commands/storage.ts', `import type { x } from '../adapters/terminal.ts'`],
    ['src/cli/commands/storage.ts', `await import('../adapters/terminal.ts')`],
    ['src/cli/commands/storage.ts', `import { runGet } from '../storage/get.ts'`],
    ['src/cli/commands/storage.ts', `import { printJson } from '../ui.ts'`],
    ['src/cli/commands/storage.ts', `import { x } from '../../client/rows.ts'`],
    ['src/cli/commands/storage.ts', `import { x } from '../../emulator/app.ts'`],
    ['src/cli/commands/storage.ts', `await import('../files/ls.ts')`],
    ['src/cli/commands/emulator-control.ts', `await import('../files/ls.ts')`],
    ['src/cli/commands/storage.ts', `await import('../ui.ts')`],
    ['src/cli/storage/get.ts', `import { x } from '../commands/storage.ts'`],
    ['src/cli/storage/get.ts', `import { x } from '../adapters/terminal.ts'`],
    ['src/cli/ui.ts', `import type { x } from './adapters/terminal.ts'`],
    ['src/cli/output/table.ts', `import type { x } from '../adapters/terminal.ts'`],
    ['src/cli/output/table.ts', `import { x } from '../../client/rows.ts'`],
    ['src/cli/output/table.ts', `import { x } from '../runtime.ts'`],
    ['src/cli/output/table.ts', `import type { x } from '../commands/storage.ts'`],
    ['src/console/pages/rows.tsx', `import type { x } from '../../emulator/index.ts'`],
    ['src/console/api.ts', `import { x } from '../client/index.ts'`],
    ['src/console/api.ts', `import { x } from '../emulator/control/index.ts'`],
    ['src/console/api.ts', `import { readFile } from 'node:fs'`],
    ['src/console/api.ts', `import mime from 'mime'`],
    ['src/emulator/app.ts', `import { x } from '../console/text.ts'`],
    ['src/cli/emulator/open.ts', `import { x } from '../../console/names.ts'`],
    ['src/index.ts', `export { x } from './cli/main.ts'`],
    ['src/fixtures/lectern.ts', `import { x } from '../cli/main.ts'`],
    ['src/grades/run.ts', `import { x } from '../transfer/upload.ts'`],
    ['src/grades/run.ts', `import type { x } from '../cli/runtime.ts'`],
    ['src/rows/write.ts', `import { readFile } from 'node:fs/promises'`],
    ['src/ledger/ledger.ts', `import { StateError } from '../errors.ts'`],
    ['src/ports.ts', `import type { x } from './cli/runtime.ts'`],
    ['src/cli/program.ts', `import x from '../../test/harness.ts'`],
    ['src/utilities/text.ts', `import { x } from '../contract/rows.ts'`],
  ];

  test.each(allowed)('allow %s: %s', (from, statement) => {
    expect(check(from, statement)).toEqual([]);
  });

  test.each(refused)('forbid %s: %s', (from, statement) => {
    expect(check(from, statement)).toHaveLength(1);
  });

  test('report a file in an unknown folder even if it imports nothing', () => {
    expect(check('src/utilities/text.ts', 'export const x = 1')).toHaveLength(1);
  });

  test('ignore words in comments and strings', () => {
    const text = `// import '../emulator/app.ts'\nexport const x = "import '../emulator/app.ts'";`;
    expect(check('src/client/rows.ts', text)).toEqual([]);
  });

  test('report a file that does not parse', () => {
    expect(() => check('src/client/rows.ts', 'import {')).toThrow('src/client/rows.ts');
  });

  function check(from: string, text: string): string[] {
    const sources = new Map([[from, text]]);
    return wrongImports(importsOf(sources), sources);
  }
});

describe('the search for cycles', () => {
  test('reports a ring of static imports once', () => {
    const ring = {
      'src/client/a.ts': `import './b.ts'`,
      'src/client/b.ts': `export * from './c.ts'`,
      'src/client/c.ts': `import './a.ts'; import './d.ts'`,
      'src/client/d.ts': '',
    };
    expect(check(ring)).toEqual(['src/client/a.ts → src/client/b.ts → src/client/c.ts']);
  });

  test('reports a file that imports itself', () => {
    expect(check({ 'src/client/a.ts': `import './a.ts'` })).toEqual(['src/client/a.ts']);
  });

  test('reports a ring that is entered from outside', () => {
    const files = {
      'src/client/a.ts': `import './b.ts'; import './c.ts'`,
      'src/client/b.ts': `import './c.ts'`,
      'src/client/c.ts': `import './b.ts'`,
    };
    expect(check(files)).toEqual(['src/client/b.ts → src/client/c.ts']);
  });

  test.each([
    `import type { A } from './a.ts'`,
    `export type { A } from './a.ts'`,
    `let x: import('./a.ts').A`,
    `void import('./a.ts')`,
  ])('reports a ring that %s closes', (statement) => {
    const files = { 'src/client/a.ts': `import './b.ts'`, 'src/client/b.ts': statement };
    expect(check(files)).toEqual(['src/client/a.ts → src/client/b.ts']);
  });

  function check(files: Record<string, string>): string[] {
    return cycles(importsOf(new Map(Object.entries(files))));
  }
});

describe('the search for cycles between folders', () => {
  test('reports two folders that import each other by different files', () => {
    const files = {
      'src/client/a.ts': `import '../ledger/a.ts'`,
      'src/ledger/b.ts': `import type { B } from '../client/b.ts'`,
    };
    expect(check(files)).toEqual(['src/client → src/ledger']);
  });

  test('reports a folder in a folder that both imports a file beside it and is imported by one', () => {
    const files = {
      'src/client/a.ts': `import './inner/a.ts'`,
      'src/client/inner/b.ts': `import '../a.ts'`,
    };
    expect(check(files)).toEqual(['src/client/a.ts → src/client/inner']);
  });

  test('accepts a file that imports from a folder beside it', () => {
    expect(check({ 'src/client/a.ts': `import './inner/a.ts'` })).toEqual([]);
  });

  function check(files: Record<string, string>): string[] {
    return cycles(betweenFolders(importsOf(new Map(Object.entries(files)))));
  }
});

describe("the check of the emulator's floors", () => {
  test.each([
    ['src/emulator/service/rows.ts', `import { x } from '../store/store.ts'`],
    ['src/emulator/service/rows.ts', `import { x } from './access.ts'`],
    ['src/emulator/app.ts', `import { x } from './pages/console.ts'`],
    ['src/emulator/http/listen.ts', `import { x } from '../../contract/index.ts'`],
  ])('allows %s: %s', (from, statement) => {
    expect(check(from, statement)).toEqual([]);
  });

  test.each([
    ['src/emulator/http/listener.ts', `import type { x } from '../state/state.ts'`],
    ['src/emulator/state/state.ts', `await import('../service/rows.ts')`],
    ['src/emulator/review/review.ts', `import { x } from '../trouble/chaos.ts'`],
    ['src/emulator/pages/console.ts', `import { x } from '../app.ts'`],
    ['src/emulator/extra/a.ts', `export const x = 1`],
  ])('forbids %s: %s', (from, statement) => {
    expect(check(from, statement)).toHaveLength(1);
  });

  function check(from: string, text: string): string[] {
    const sources = new Map([[from, text]]);
    return wrongFloors(importsOf(sources), sources);
  }
});

describe('the search for names that are declared twice', () => {
  test.each([
    ['export class Report {}', 'export interface Report {}'],
    ['export const report = 1, other = 2;', 'export function report() {}'],
    ['export type Report = string;', 'export enum Report {}'],
  ])('reports %s beside %s', (one, other) => {
    const [found, ...more] = check({ 'src/client/a.ts': one, 'src/cli/b.ts': other });
    expect(found).toMatch(/^[Rr]eport is declared in src\/client\/a\.ts, src\/cli\/b\.ts$/);
    expect(more).toEqual([]);
  });

  test('accepts a re-export, and a name that is only used in its file', () => {
    const files = {
      'src/client/a.ts': 'export class Report {}',
      'src/client/index.ts': `export { Report } from './a.ts'; export * from './a.ts'`,
      'src/cli/b.ts': 'class Report {}',
    };
    expect(check(files)).toEqual([]);
  });

  test('accepts commands of the same name under two nouns', () => {
    const verb = 'export async function runList() {}';
    expect(check({ 'src/cli/key/list.ts': verb, 'src/cli/launch/list.ts': verb })).toEqual([]);
    expect(check({ 'src/cli/key/list.ts': verb, 'src/grades/list.ts': verb })).toEqual([]);
    expect(check({ 'src/rows/list.ts': verb, 'src/grades/list.ts': verb })).toHaveLength(1);
  });

  function check(files: Record<string, string>): string[] {
    return namesDeclaredTwice(new Map(Object.entries(files)));
  }
});

describe('the search for stray limits', () => {
  test('knows the numbers of the contract', () => {
    for (const bytes of [524_288, 1_048_576, 26_214_400, 524_288_000, 512_000, 25_000_000]) {
      expect(contractNumbers()).toContain(bytes);
    }
    const idleSeconds = 12 * 60 * 60;
    expect(contractNumbers()).toContain(idleSeconds);
  });

  test.each([
    '524288',
    '524_288',
    '0x80000',
    '512 * 1024',
    '(512) * (1_024)',
    '25 * 1024 * 1024',
    '1024 * 1024 * 25',
    '1024 * 1024',
    '1024 ** 2',
    '1 << 20',
    '2 ** 19',
    '1e6',
    'count * 1024 * 1024',
    'f(25 * (1024 * 1024))',
    '12 * 60 * 60 * 1000',
    '524288n',
    '524288 - 1',
    '(count + 524288) * 2',
    '-524288',
  ])('reports %s', (expression) => {
    expect(check(`export const x = ${expression};`)).toEqual(['src/client/a.ts:2']);
  });

  test.each(['64 * 1024', '4 * 1024 * 1024', '100', '"524288"', '/* 512 * 1024 */ 1', '2000'])(
    'accepts %s',
    (expression) => {
      expect(check(`export const x = ${expression};`)).toEqual([]);
    },
  );

  function check(text: string): string[] {
    const found = strayLimits(new Map([['src/client/a.ts', `\n${text}`]]));
    return found.map((line) => line.replace(/ .*/, ''));
  }
});

function readSources(folder: string): Sources {
  const root = new URL(`../${folder}/`, import.meta.url);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .sort();
  return new Map(
    names.map((name) => [`${folder}/${name}`, readFileSync(new URL(name, root), 'utf8')]),
  );
}

function parse(file: string, text: string): Program {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
  const { program, errors } = parseSync(file, text, { lang, sourceType: 'module' });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program;
}

function importsOf(sources: Sources): Import[] {
  const found: Import[] = [];
  for (const [from, text] of sources) {
    const add = (specifier: string | undefined, kind: ImportKind): void => {
      found.push({
        from,
        to: specifier === undefined ? undefined : resolve(from, specifier),
        kind,
      });
    };
    new Visitor({
      ImportDeclaration: (node) =>
        add(node.source.value, node.importKind === 'type' ? 'type' : 'static'),
      ExportAllDeclaration: (node) =>
        add(node.source.value, node.exportKind === 'type' ? 'type' : 'static'),
      ExportNamedDeclaration: (node) => {
        if (node.source) add(node.source.value, node.exportKind === 'type' ? 'type' : 'static');
      },
      TSImportType: (node) => add(node.source.value, 'type'),
      TSExternalModuleReference: (node) => add(node.expression.value, 'static'),
      ImportExpression: ({ source }) =>
        add(
          source.type === 'Literal' && typeof source.value === 'string' ? source.value : undefined,
          'dynamic',
        ),
    }).visit(parse(from, text));
  }
  return found;
}

/** The file that a relative specifier names; a package's name as it is, our own as src/index.ts. */
function resolve(from: string, specifier: string): string {
  if (specifier === 'lectern' || specifier.startsWith('lectern/')) return 'src/index.ts';
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

const ENGINE_ARROWS = [
  'client',
  'clock.ts',
  'contract',
  'diff',
  'errors.ts',
  'json',
  'ledger',
  'ports.ts',
  'validator',
];

/** What a folder may reach inside src, besides itself. */
const ARROWS: Record<string, readonly string[]> = {
  json: [],
  schema: ['json'],
  'redaction.ts': [],
  diff: ['json'],
  contract: ['json'],
  'console-pages.ts': [],
  'control-request.ts': [],
  'fault-kinds.ts': [],
  // Of the emulator types only: they are those of the control API.
  console: [
    'console-pages.ts',
    'contract',
    'control-request.ts',
    'diff',
    'emulator',
    'fault-kinds.ts',
    'json',
    'validator',
  ],
  client: ['clock.ts', 'contract', 'json', 'ports.ts', 'redaction.ts'],
  'clock.ts': ['ports.ts'],
  sqlite: ['clock.ts', 'disk'],
  disk: ['errors.ts', 'ports.ts'],
  emulator: [
    'contract',
    'control-request.ts',
    'diff',
    'disk',
    'fault-kinds.ts',
    'json',
    'redaction.ts',
    'schema',
    'sqlite',
    'zip.ts',
  ],
  ledger: ['clock.ts', 'contract', 'disk', 'json', 'ports.ts', 'sqlite'],
  validator: ['contract', 'diff', 'json', 'schema'],
  'errors.ts': ['validator'],
  'ports.ts': [],
  'zip.ts': ['contract'],
  grades: ENGINE_ARROWS,
  transfer: ENGINE_ARROWS,
  rows: ENGINE_ARROWS,
  cli: [
    ...ENGINE_ARROWS,
    'console-pages.ts',
    'control-request.ts',
    'disk',
    'emulator',
    'fault-kinds.ts',
    'grades',
    'rows',
    'schema',
    'sqlite',
    'transfer',
    'zip.ts',
  ],
  fixtures: ['contract', 'emulator'],
  'index.ts': [...ENGINE_ARROWS, 'disk', 'emulator', 'grades', 'rows', 'transfer'],
};

/** The engines: they print nothing, ask nothing, and are given the machine. */
const ENGINES = new Set(['grades', 'transfer', 'rows']);
const MACHINE =
  /^node:(child_process|dgram|dns|fs|http|https|http2|net|os|process|readline|timers|tls|tty|worker_threads)(\/|$)/;
/** The packages that the console is made of. */
const IN_BROWSER = /^(preact|@preact\/signals)(\/|$)/;
/** The control API, of which the console takes types. */
const CONTROL = 'src/emulator/control/';
/** What never touches the machine. */
const PURE = new Set(['control-request.ts', 'json', 'redaction.ts', 'diff', 'contract', 'schema']);

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
  if (there !== here && !ARROWS[here]?.includes(there)) return `${here} may not reach ${there}`;
  if (here === 'console' && there === 'emulator' && (kind !== 'type' || !to.startsWith(CONTROL))) {
    return 'the console takes the types of the control API, and no code';
  }
  if (to.startsWith('src/cli/adapters/') && !KNOWS_ADAPTERS.test(from)) {
    return 'only main, run, the executable and the adapters themselves know the adapters';
  }
  if (to.startsWith('src/cli/commands/') && !KNOWS_COMMANDS.test(from)) {
    return 'only the program and the declarations themselves know the declarations';
  }
  if (from.startsWith('src/cli/commands/') && !isOfDeclaration(from, to, kind)) {
    return 'a declaration imports what acts when it is called, from the folder of its noun';
  }
  if (from.startsWith('src/cli/output/')) {
    const isData = PURE.has(there) || ENGINES.has(there) || to.startsWith('src/cli/output/');
    const isForm = to.startsWith('src/cli/json-forms/');
    const isShape = kind === 'type' && (there !== 'cli' || isForm);
    if (!isData && !isShape) return 'output knows data only';
  }
  return undefined;
}

const KNOWS_ADAPTERS = /^src\/cli\/(main\.ts|run\.ts|executable\.ts|adapters\/)/;
const KNOWS_COMMANDS = /^src\/cli\/(program\.ts|commands\/)/;
/** What acts: it reaches the service or the world. */
const ACTS =
  /^src\/(client|emulator|cli\/(?!commands\/|declare\/|arguments\/|output\/|[a-z]+\/flags\.ts|errors\.ts|exit-codes\.ts|runtime\.ts))/;

/**
 * What `commands/<noun>.ts`, and `commands/<noun>-<group>.ts` for a group of its verbs, may say: data
 * and types of anybody; what acts only of `<noun>`, on demand.
 */
function isOfDeclaration(from: string, to: string, kind: ImportKind): boolean {
  if (kind === 'type') return true;
  if (kind === 'static') return !ACTS.test(to);
  const [noun] = posix.basename(from, '.ts').split('-');
  return to.startsWith(`src/cli/${noun}/`);
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/**
 * Rings of imports, type-only and dynamic ones too: what is in a ring can only be understood, moved or
 * taken out whole. Each ring once, from its first file on.
 */
function cycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (!to?.startsWith('src/')) continue;
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const rings = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const ring = path.slice(start);
      const first = ring.indexOf(ring.toSorted()[0] ?? file);
      rings.add([...ring.slice(first), ...ring.slice(0, first)].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...rings];
}

/** Each import as one between the files or folders that lie beside each other on its way. */
function betweenFolders(imports: readonly Import[]): Import[] {
  return imports.flatMap(({ from, to, kind }) => {
    if (!to?.startsWith('src/')) return [];
    const [here, there] = [from.split('/'), to.split('/')];
    const depth = here.findIndex((name, index) => name !== there[index]) + 1;
    if (depth === 0) return [];
    return { from: here.slice(0, depth).join('/'), to: there.slice(0, depth).join('/'), kind };
  });
}

/** The floors of the emulator, from the lowest. */
const FLOORS = [
  'http',
  'store',
  'state',
  'service',
  'review',
  'trouble',
  'control',
  'openapi',
  'pages',
  'app.ts',
  'emulator.ts',
  'serve.ts',
  'index.ts',
];

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

/** Names that more than one file declares and exports. */
function namesDeclaredTwice(sources: Sources): string[] {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const name of new Set(exportedNames(file, text))) {
      if (isOwnName(file, name)) continue;
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return [...files]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name} is declared in ${found.join(', ')}`);
}

function exportedNames(file: string, text: string): string[] {
  const names: string[] = [];
  for (const statement of parse(file, text).body) {
    if (statement.type !== 'ExportNamedDeclaration' || !statement.declaration) continue;
    const { declaration } = statement;
    if ('declarations' in declaration) {
      for (const { id } of declaration.declarations) if ('name' in id) names.push(id.name);
    } else if (declaration.id && 'name' in declaration.id) names.push(declaration.id.name);
  }
  return names;
}

/** Names that may be those of other files too, since few files can take one for the other. */
function isOwnName(file: string, name: string): boolean {
  // A verb is imported by the registration of its noun alone, a registration by the program alone.
  if (file.startsWith('src/cli/') && /^(register$|run[A-Z])/.test(name)) return true;
  // The console imports no other code, but uses the same names for what it shows.
  if (file.startsWith('src/console/')) return true;
  // The operations of the control API, which only its own table names.
  if (file.startsWith('src/emulator/control/') && /^(Operation|writeRow)$/.test(name)) return true;
  // The building blocks of forms, read as a language of their own.
  return file.startsWith('src/cli/json-forms/');
}

const MOST_FILES = 12;

/** The folders of the ledger with many files. */
function fullFolders(sources: Sources): string[] {
  const counts = new Map<string, number>();
  for (const file of sources.keys()) {
    const folder = posix.dirname(file);
    if (/^src\/ledger(\/|$)/.test(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder} has ${count} files`);
}

/** Arguments as `...this`, with the file and the line. */
function spreadArguments(sources: Sources): string[] {
  const found: string[] = [];
  for (const [file, text] of sources) {
    const look = (node: CallExpression | NewExpression): void => {
      for (const argument of node.arguments) {
        if (argument.type !== 'SpreadElement') continue;
        const line = text.slice(0, argument.start).split('\n').length;
        found.push(`${file}:${line} ${text.slice(argument.start, argument.end)}`);
      }
    };
    new Visitor({ CallExpression: look, NewExpression: look }).visit(parse(file, text));
  }
  return found;
}

/** Parameters of our own statements, and what a file lists itself. */
const OF_KNOWN_LENGTH = new RegExp(
  [
    '^src/sqlite/database\\.ts:',
    '^src/emulator/control/fixture\\.ts:',
    '^src/(emulator|cli)/.*:\\d+ \\.\\.\\.[A-Z_]+$',
    '^src/cli/(emulator/control\\.ts:\\d+ \\.\\.\\.sent|(declare/define|commands/emulator-request)\\.ts:\\d+ \\.\\.\\.called)',
  ].join('|'),
);

/** Every distinctive number that the limits file exports, durations in seconds too. */
function contractNumbers(): Set<number> {
  const numbers = new Set<number>();
  const collect = (name: string, value: unknown): void => {
    if (typeof value === 'number') {
      numbers.add(value);
      if (name.endsWith('_MS')) numbers.add(value / 1000);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) collect(name, inner);
    }
  };
  for (const [name, value] of Object.entries(limits)) collect(name, value);
  return new Set([...numbers].filter((number) => number >= SMALLEST_TELLING_NUMBER));
}

function strayLimits(sources: Sources): string[] {
  const forbidden = contractNumbers();
  const found: string[] = [];
  for (const [file, text] of sources) {
    if (file === LIMITS_FILE) continue;
    const counted: Expression[] = [];
    const look = (node: Expression): void => {
      if (counted.some((whole) => whole.start <= node.start && node.end <= whole.end)) return;
      const factors = constantFactors(node);
      if (factors.length === 0) return;
      counted.push(...factors.map(([part]) => part));
      if (!forbidden.has(factors.reduce((product, [, value]) => product * value, 1))) return;
      const line = text.slice(0, node.start).split('\n').length;
      found.push(`${file}:${line} says ${text.slice(node.start, node.end)}; see ${LIMITS_FILE}`);
    };
    new Visitor({ BinaryExpression: look, Literal: look }).visit(parse(file, text));
  }
  return found;
}

/** The numbers that a product is made of: 25 and 1024 in `files * 25 * 1024`. */
function constantFactors(node: Expression): [part: Expression, value: number][] {
  const value = constant(node);
  if (value !== undefined) return [[node, value]];
  if (node.type === 'ParenthesizedExpression') return constantFactors(node.expression);
  if (node.type !== 'BinaryExpression' || node.operator !== '*') return [];
  return [...constantFactors(node.left), ...constantFactors(node.right)];
}

/** The value of an expression of numbers alone. */
function constant(node: Expression): number | undefined {
  if (node.type === 'ParenthesizedExpression') return constant(node.expression);
  if (node.type === 'Literal') {
    if (typeof node.value === 'bigint') return Number(node.value);
    return typeof node.value === 'number' ? node.value : undefined;
  }
  if (node.type !== 'BinaryExpression' || node.left.type === 'PrivateIdentifier') return undefined;
  const left = constant(node.left);
  const right = constant(node.right);
  if (left === undefined || right === undefined) return undefined;
  if (node.operator === '*') return left * right;
  if (node.operator === '**') return left ** right;
  if (node.operator === '<<') return left << right;
  return undefined;
}
