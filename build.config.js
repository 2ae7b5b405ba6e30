// `npm run build`: bundles the command line and the library into dist/ (docs/decisions/0001-bundle.md).
import { EventEmitter } from 'node:events';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'rolldown';

const { version, man } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  // The declarations are made beside it, when packing.
  if (name !== 'types') rmSync(`dist/${name}`, { recursive: true });
}

/**
 * What people wait for most often, and all that it loads. Each file costs time, and so does each
 * kilobyte that is compiled in vain: these modules stand in files of their own (`groupsOf`).
 */
const READ = ['cli/adapters/disk', 'cli/adapters/secrets'];
const DECODE = ['cli/launch/decode', 'cli/adapters/disk'];
const GET = ['cli/storage/get', 'client/index', 'garbage-collection', ...READ];
/** What `launch decode` alone does. The rest of what it loads is used by other commands, too. */
const OF_LAUNCHES =
  /[\\/]src[\\/](.+[\\/])?(launch[\\/]|(launch|claims|permits|decoded)[^\\/]*\.ts$)/;
/** Used by nearly all commands, and with more of it than these two need. */
const UNITS = /[\\/]src[\\/]cli[\\/]output[\\/]units\.ts$/;
/** Both ways of a file, which take little more than what they share. */
const FILES = ['cli/files/upload', 'cli/files/download'];
/** What `--help` loads besides the noun's commands: nothing of what a command does. */
const HELP = ['cli/help/add-help-texts'];

/** Where a file opens a module of Node's own. */
const OPENED = /^(?:let|const|var) (node_\w+) = require\("(node:[\w/]+)"\);$/gm;
/** Where a file loads the bundler's own functions, which not every file uses. */
const RUNTIME = /^const (require_rolldown_runtime) = require\("[^"]+"\);\n/m;
/** Where a file loads one when it is needed. */
const IMPORTED = /\bimport\((["'`])(node:[\w/]+)\1\)/g;

const commandLine = await bundle(['cli/main'], 'cjs', await groupsOf());
const library = await bundle(['index', 'cli/adapters/keychain-worker'], 'esm', []);

const consolePage = await bundleConsole();

const inBundle = [...commandLine, ...library, ...consolePage].flatMap((file) =>
  Object.keys(file.modules ?? {}),
);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(packagesOf(inBundle)));
copyAddons();
await writeManPages();
await writeSchemas();

/**
 * One file each: what every command needs, help, what both of the two do, each one's own, what many
 * share, and the rest of both ways of a file.
 */
async function groupsOf() {
  const entries = [['cli/run'], HELP, DECODE, GET, FILES];
  const [run, help, decode, get, files] = await Promise.all(entries.map(loadedBy));
  return [
    // What help shares with these two is little.
    {
      name: 'run',
      test: (module) =>
        run.has(module) || (help.has(module) && (decode.has(module) || get.has(module))),
    },
    { name: 'help', test: (module) => help.has(module) },
    {
      name: 'read',
      test: (module) =>
        UNITS.test(module) ||
        (decode.has(module) && (get.has(module) || !OF_LAUNCHES.test(module))),
    },
    { name: 'decode', test: (module) => decode.has(module) },
    { name: 'get', test: (module) => get.has(module) },
    {
      name: 'shared',
      test: /[\\/]src[\\/](?!ledger|rows|cli[\\/](?!arguments|input|session|shared|output)\w+[\\/])/,
      minShareCount: 6,
    },
    { name: 'files', test: (module) => files.has(module) },
  ];
}

/** The modules that have code to be run when these are loaded. */
async function loadedBy(entries) {
  const files = await bundle(entries, 'cjs', [], false);
  const loaded = new Set(files.filter((file) => file.isEntry));
  for (const file of loaded) {
    for (const each of files) if (file.imports.includes(each.fileName)) loaded.add(each);
  }
  const modules = [...loaded].flatMap((file) => Object.entries(file.modules));
  return new Set(modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id));
}

/** Bundles modules of src/, and returns the files made. */
async function bundle(entries, format, groups, write = true) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    write,
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // Each platform's addon is a package of its own there, and npm installs the right one.
    external: ['@napi-rs/keyring'],
    transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
    plugins: [
      withoutUnused(),
      withAddons(),
      lateWidths(),
      rawText(),
      ...(format === 'cjs' ? [withoutNodeHttp(), lateBuiltins()] : []),
    ],
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
 * undici asks `node:http` for the largest head of a response and for a class that lectern gives it no
 * object of, and `node:assert` for one function: 2.5 ms of every call.
 */
function withoutNodeHttp() {
  return {
    name: 'without-node-http',
    resolveId: {
      filter: { id: /^node:(http|assert)$/ },
      handler: (id, importer) =>
        /node_modules[\\/]undici[\\/]/.test(importer) ? `\0${id.slice('node:'.length)}.cjs` : null,
    },
    load: {
      filter: { id: /^\0(http|assert)\.cjs$/ },
      handler: (id) =>
        id === '\0http.cjs'
          ? `
        const given = [process.env.NODE_OPTIONS, ...process.execArgv].join();
        exports.IncomingMessage = class {};
        exports.maxHeaderSize = given.includes('--max-http-header-size')
          ? require('node:http').maxHeaderSize
          : 16384;`
          : `
        module.exports = (value, message = 'undici: assertion failed') => {
          if (!value) throw message instanceof Error ? message : new Error(message);
        };`,
    },
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

/**
 * What measures text is loaded when there is other text than ASCII: V8 takes a millisecond for its
 * expressions. cli-table3 measures with an old string-width that does not know the newer emoji: it is given
 * the one that lectern's own code measures with.
 */
function lateWidths() {
  return {
    name: 'late-widths',
    resolveId: {
      filter: { id: /^(fast-)?string-width$/ },
      handler: (id, importer) =>
        /[\\/]src[\\/]/.test(importer) || /node_modules[\\/]cli-table3[\\/]/.test(importer)
          ? '\0widths.cjs'
          : null,
    },
    load: {
      filter: { id: /^\0widths\.cjs$/ },
      handler: () => `
        module.exports = (text) =>
          /^[ -~]*$/.test(text) ? text.length : require('fast-string-width').default(text);`,
    },
  };
}

/**
 * Opens Node's own modules when they are first used: a file holds more than one command runs, and each
 * of them takes up to some milliseconds.
 */
function lateBuiltins() {
  return {
    name: 'late-builtins',
    renderChunk: (original) => {
      // Node 20 refuses `import()` in code that was compiled before (src/cli/adapters/code-cache.ts).
      const code = original
        .replace(
          IMPORTED,
          (_, _quote, builtin) => `Promise.resolve().then(() => require("${builtin}"))`,
        )
        .replace(RUNTIME, (line, name) => (original.split(name).length > 2 ? line : ''));
      const names = [];
      const opened = code.replace(OPENED, (whole, name, builtin) => {
        // A default import is another object than the module.
        if (code.includes(`${name} = require_`)) return whole;
        names.push(name);
        return `const ${name} = () => require("${builtin}");`;
      });
      if (names.length === 0) return code === original ? null : code;
      return opened.replace(new RegExp(`\\b(${names.join('|')})\\.`, 'g'), '($1()).');
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

/** The folders of the packages that have code in the bundle. */
function packagesOf(modules) {
  const folders = modules
    .map((file) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

/** What their licences ask for: each one's notice, whole. */
function licences(folders) {
  const notices = folders.map((folder) => {
    const {
      name,
      version: bundled,
      license,
    } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
    const notice = file ? readFileSync(`${folder}/${file}`, 'utf8') : licenceInReadme(folder);
    if (!notice) throw new Error(`${name} is bundled but has no licence to pass on`);
    return `${name} ${bundled} (${license})\n\n${notice.trim()}\n`;
  });
  return `lectern contains code of these packages.\n\n${notices.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

/** The last section of the README, where a package has it there. */
function licenceInReadme(folder) {
  return /\n#+ licen[cs]e\n([^]*)$/i.exec(readFileSync(`${folder}/README.md`, 'utf8'))?.[1];
}
