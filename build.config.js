// `npm run build`: bundles the command line and the library into dist/ (docs/decisions/0001-bundle.md).
import { EventEmitter } from 'node:events';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'rolldown';
import { billOf, licences, packagesOf } from './bundled.config.js';

const { version, man } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  // The declarations are made beside it, when packing.
  if (name !== 'types') rmSync(`dist/${name}`, { recursive: true });
}

/**
 * Files of the command line. Each holds the modules that match, and all that they import, unless an earlier
 * group has it. The rest is split at dynamic imports. To open a file takes time, and so does code that is
 * only read: the commands that users wait for most get few files without much else in them.
 */
const GROUPS = [
  // Every command.
  { name: 'run', test: /src.cli.(run|errors|output.wrap)\.ts$|src.contract.changes\.ts$/ },
  // What the flags of the emulator are read with: without it each of its commands would load `read`.
  { name: 'arguments', test: /src.cli.arguments.(addresses|clock|formats|numbers)\.ts$/ },
  { name: 'help', test: /src.cli.help.add-help-texts\.ts$/ },
  // `launch decode` and `storage get`, and most others.
  {
    name: 'read',
    test: /src.cli.(ui|session.launch|input.(read|limit)|adapters.(disk|settings)|output.(units|escape|colors|paint))\.ts$/,
  },
  { name: 'contract', test: /src.(contract|json)./, minShareCount: 16 },
  { name: 'decode', test: /src.cli.launch.decode\.ts$/ },
  { name: 'get', test: /src.(client.index|cli.(storage.get|adapters.(secrets|wasm-flag)))\.ts$/ },
  { name: 'files', test: /src.cli.files.(up|down)load\.ts$/ },
];

const commandLine = await bundle(['cli/main'], 'cjs', GROUPS);
const library = await bundle(
  ['index', 'fixtures/vitest', 'fixtures/playwright', 'cli/adapters/keychain-worker'],
  'esm',
  [],
);
const consolePage = await bundleConsole();

const inBundle = [...commandLine, ...library, ...consolePage].flatMap((file) =>
  Object.keys(file.modules ?? {}),
);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(packagesOf(inBundle)));
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOf(packagesOf(inBundle)), null, 2)}\n`);
copyAddons();
await writeManPages();
await writeSchemas();

/** Bundles modules of src/, and returns the files made. */
async function bundle(entries, format, groups) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // Each platform's addon is a package of its own there, and npm installs the right one. The test
    // runners are those of the user.
    external: ['@napi-rs/keyring', 'vitest', '@playwright/test'],
    transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
    plugins: [withoutUnused(), withAddons(), rawText()],
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]/, sideEffects: false }] },
    // A module that others import anyway is still not loaded before it is needed.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: 'dist',
      format,
      entryFileNames: `[name].${extension}`,
      // As deep as cli/main: `new URL('../../bin/…', import.meta.url)` holds in every file of it.
      chunkFileNames: `chunks/[name]-[hash].${extension}`,
      codeSplitting: { groups },
      // `require` loads a module of Node faster than `import()` does.
      dynamicImportInCjs: false,
      // Names stay as written: a stack trace in a bug report must be readable, and start-up is the same.
      minify: { compress: true, mangle: false, codegen: { asciiOnly: true } },
      comments: { legal: true, annotation: false, jsdoc: false },
    },
    logLevel: 'warn',
  });
  return output;
}

/** The emulator's console: one script for the browser, with its style and its page beside it. */
async function bundleConsole() {
  const { output } = await build({
    input: { app: 'src/console/main.tsx' },
    platform: 'browser',
    tsconfig: 'src/console/tsconfig.json',
    transform: { target: 'es2022' },
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?!console)/, sideEffects: false }] },
    output: {
      dir: 'dist/console',
      format: 'esm',
      entryFileNames: '[name].js',
      codeSplitting: false,
      minify: true,
      comments: { legal: false, annotation: false, jsdoc: false },
    },
    logLevel: 'warn',
  });
  copyFileSync('src/console/style.css', 'dist/console/app.css');
  copyFileSync('src/console/index.html', 'dist/console/index.html');
  return output;
}

/**
 * commander loads what starts programs, and undici HTTP/2 and the bodies of fetch; pg reads password
 * files, and runs on other platforms. lectern uses none of them, and no command should wait for that.
 */
function withoutUnused() {
  return {
    name: 'without-unused',
    resolveId: {
      filter: {
        id: /^node:(child_process|http2)$|[\\/](client-h2|fetch[\\/]body)\.js$|^(pgpass|pg-native|pg-cloudflare|\.\/native)$/,
      },
      handler: (_, importer) =>
        /node_modules[\\/](commander|undici|pg)[\\/]/.test(importer) ? '\0unused' : null,
    },
    // undici takes its names of headers from there as soon as it is loaded.
    load: { filter: { id: /^\0unused$/ }, handler: () => 'export const constants = {};' },
  };
}

/**
 * SQLite's addon comes from `dist/addons`, where `copyAddons` puts those of all platforms: its
 * package brings its C sources too (a third of its 29 MB) and an install script, which npm warns of.
 */
function withAddons() {
  return {
    name: 'with-addons',
    resolveId: { filter: { id: /^node-gyp-build$/ }, handler: () => '\0addons' },
    load: {
      filter: { id: /^\0addons$/ },
      // On Linux one of the two C libraries is there; the other's addon cannot be loaded.
      handler: () => `
        const platform = process.platform + '-' + process.arch;
        module.exports = () => {
          const errors = [];
          for (const name of [platform + '-glibc', platform + '-musl']) {
            for (const up of ['..', '.', '../..']) {
              try {
                return require(up + '/addons/sqlite-' + name + '.node');
              } catch (error) {
                if (error.code !== 'MODULE_NOT_FOUND') errors.push(error);
              }
            }
          }
          throw errors[0] ?? new Error('lectern has no SQLite for ' + platform);
        };`,
    },
  };
}

/** `dist/addons/sqlite-PLATFORM-ARCHITECTURE-LIBRARY.node`: links, since every build makes them anew. */
function copyAddons() {
  const folder = 'node_modules/@photostructure/sqlite/prebuilds';
  mkdirSync('dist/addons', { recursive: true });
  for (const platform of readdirSync(folder)) {
    for (const file of readdirSync(`${folder}/${platform}`)) {
      const cLibrary = /(glibc|musl)\.node$/.exec(file)[1];
      const [from, to] = [
        `${folder}/${platform}/${file}`,
        `dist/addons/sqlite-${platform}-${cLibrary}.node`,
      ];
      try {
        linkSync(from, to);
      } catch {
        copyFileSync(from, to);
      }
    }
  }
}

/** `dist/man`: lectern(1) and a page for each noun, from the same source as the help. */
async function writeManPages() {
  mkdirSync('dist/man', { recursive: true });
  const whole = await printed('help', '--man');
  const names = [...whole.matchAll(/^\.BR lectern\\-(\w+)/gm)].map(([, noun]) => noun);
  const pages = [`dist/man/lectern.1`];
  writeFileSync('dist/man/lectern.1', whole);
  for (const noun of new Set(names)) {
    const file = `dist/man/lectern-${noun}.1`;
    writeFileSync(file, await printed('help', '--man', noun));
    pages.push(file);
  }
  const expected = JSON.stringify(pages.map((page) => `./${page}`));
  if (JSON.stringify(man) !== expected) throw new Error(`"man" in package.json: ${expected}`);
}

/** `dist/schemas`: what each command prints with `--json`, as JSON Schemas. */
async function writeSchemas() {
  mkdirSync('dist/schemas', { recursive: true });
  for (const { command } of JSON.parse(await printed('explain', 'json', '--json'))) {
    const schema = await printed('explain', 'json', ...command.split(' '));
    writeFileSync(`dist/schemas/${command.replaceAll(' ', '-')}.json`, schema);
  }
  for (const { schema } of JSON.parse(await printed('explain', 'schema', '--json'))) {
    writeFileSync(`dist/schemas/${schema}.json`, await printed('explain', 'schema', schema));
  }
}

/** What the command line that was built prints. */
async function printed(...args) {
  const { main } = createRequire(import.meta.url)('./dist/cli/main.cjs');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { pid, platform } = process;
  const host = Object.assign(new EventEmitter(), { env: {}, pid, platform, stdin, stdout, stderr });
  // Read from the start: a long page fills the stream, and its writer would wait for ever.
  const [output, errors] = [text(stdout), text(stderr)];
  const exit = await main(args, host);
  stdout.end();
  stderr.end();
  if (exit !== 0) throw new Error(`lectern ${args.join(' ')}: ${await errors}`);
  return output;
}

/** `import text from './page.html?raw'`: the file as a string. */
function rawText() {
  const filter = { id: /\?raw$/ };
  return {
    name: 'raw-text',
    resolveId: {
      filter,
      handler: (id, importer) => `${resolve(dirname(importer), id.slice(0, -'?raw'.length))}?raw`,
    },
    load: {
      filter,
      handler: (id) => ({
        code: `export default ${JSON.stringify(readFileSync(id.slice(0, -'?raw'.length), 'utf8'))};`,
        moduleType: 'js',
      }),
    },
  };
}
