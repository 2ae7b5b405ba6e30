/** The packed library, as a script outside of the repository has it: types, examples, documentation. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator } from '../support/emulator.ts';
import { temporaryFolder } from '../support/lectern.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));
const packageFolder = (name: string): string => dirname(require.resolve(`${name}/package.json`));

const EXAMPLES = ['regrade', 'row', 'emulator.test', 'tool.test'];
const BLOCKS = [
  ...readFileSync(join(root, 'docs/library.md'), 'utf8').matchAll(/```js\n(.*?)```/gs),
].map((match) => match[1] as string);
/** Run by test/programs/fixtures.test.ts and test/browser/examples.test.ts. */
const FIXTURES = ['vitest/token.test', 'playwright/notes.spec'];
const MODULES = [...EXAMPLES, ...BLOCKS.map((_, index) => `block-${index}`)];
const SCRIPTS = MODULES.filter((name) => !name.endsWith('.test'));

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
  await run(process.execPath, [compiler('typescript'), '-p', 'tsconfig.build.json'], { cwd: root });
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', modules]);
  await run('mv', [join(modules, 'package'), join(modules, 'lectern')]);
  mkdirSync(join(modules, '@playwright'));
  for (const name of ['@types/node', 'undici-types', 'vitest', '@playwright/test']) {
    symlinkSync(packageFolder(name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of [...EXAMPLES, ...FIXTURES]) {
    cpSync(join(modules, `lectern/docs/examples/${name}.js`), join(folder, `${name}.js`));
  }
  const [setUp = '', ...others] = BLOCKS;
  const end = 'await Promise.all([client.close(), ledger.close()]);\n';
  for (const [index, block] of ['', ...others].entries()) {
    writeFileSync(join(folder, `block-${index}.js`), `${setUp}\n${block}\n${end}`);
  }
  for (const name of [...MODULES, ...FIXTURES]) {
    cpSync(join(folder, `${name}.js`), join(folder, `typed/${name}.ts`));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compiler(name: string): string {
  return join(packageFolder(name), 'bin/tsc');
}

describe('the types of the library resolve without skipLibCheck', () => {
  // Playwright's own types need those of a browser.
  const ofPlaywright = FIXTURES.filter((name) => name.startsWith('playwright/'));
  const rest = [...MODULES, ...FIXTURES].filter((name) => !ofPlaywright.includes(name));

  // The older compiler takes long: `npm run nightly` has all in both.
  const isLong = process.env.LECTERN_HOSTILE === 'long';
  test.each([
    { compiler: 'typescript', moduleResolution: 'node16', hasRunners: true },
    { compiler: 'typescript', moduleResolution: 'bundler', hasRunners: true },
    { compiler: 'typescript-5', moduleResolution: 'node16', hasRunners: isLong },
    ...(isLong
      ? [{ compiler: 'typescript-5', moduleResolution: 'bundler', hasRunners: true }]
      : []),
  ])('with $compiler and moduleResolution $moduleResolution', async (each) => {
    const { moduleResolution, hasRunners } = each;
    const compile = (modules: readonly string[], lib: readonly string[] = ['es2023']) =>
      compiled(each.compiler, { moduleResolution, lib }, modules);
    if (!hasRunners) return expect(await compile(SCRIPTS)).toBe('');
    expect(await compile(rest)).toBe('');
    expect(await compile(ofPlaywright, ['es2023', 'dom'])).toBe('');
  });
});

/** What a compiler says of modules, in JavaScript and in TypeScript. */
async function compiled(
  name: string,
  options: { readonly moduleResolution: string; readonly lib: readonly string[] },
  modules: readonly string[],
): Promise<string> {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    types: ['node'],
    module: options.moduleResolution === 'bundler' ? 'esnext' : 'node16',
    ...options,
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: false,
  };
  const files = modules.flatMap((each) => [`${each}.js`, `typed/${each}.ts`]);
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(process.execPath, [compiler(name), '-p', project]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

describe('the example scripts of the library', () => {
  test.each(SCRIPTS)('include %s, which runs', async (name) => {
    const emulator = await startEmulator();
    const role = name === 'row' ? 'student' : 'instructor';
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'launch.json'), JSON.stringify(await emulator.launch({ role })));
    const { stdout } = await run(process.execPath, [join(folder, `${name}.js`)], { cwd });
    if (name === 'row') expect(stdout).toBe('done: written, before-image 1\n');
    if (name === 'regrade') expect(stdout).toContain('"success":2,"failed":0');
    expect((await emulator.control('GET report')).findings).toEqual([]);
  });

  test('include emulator.test, which passes in Vitest', async () => {
    const vitest = join(packageFolder('vitest'), 'vitest.mjs');
    const example = readFileSync(join(folder, 'emulator.test.js'), 'utf8');
    const judged = example.replace(
      'afterAll(close);',
      `afterAll(async () => {
        const { requests, findings } = await control('GET report');
        expect([requests, findings]).toEqual([2, []]);
        await close();
      });`,
    );
    expect(judged).not.toBe(example);
    mkdirSync(join(folder, 'judged'), { recursive: true });
    writeFileSync(join(folder, 'judged/emulator.test.js'), judged);
    // In JavaScript and in TypeScript, and with what the report says of it.
    const args = [vitest, 'run', '--root', folder, 'emulator.test'];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(stdout).toMatch(/Tests .*6 passed/);
  });

  test('include tool.test, which passes in the test runner of Node', async () => {
    const script = join(folder, 'tool.test.js');
    const args = ['--test', '--test-reporter=tap', script];
    // Node would take itself for a part of another test run.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const { stdout } = await run(process.execPath, args, { cwd: folder, env });
    const count = readFileSync(script, 'utf8').match(/^test\(/gm)?.length;
    expect(stdout).toContain(`# pass ${count}\n`);
  });

  test.each([...EXAMPLES, ...FIXTURES])('have at most thirty lines: %s', (name) => {
    const lines = readFileSync(join(folder, `${name}.js`), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
  });
});
