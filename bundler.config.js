// How rolldown makes the files that are published (docs/decisions/0001-bundle.md).
import { copyFileSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'rolldown';
import { packageIn } from './licences.config.js';

const { version } = packageIn('.');

/** Of the command line and the library, in a package as in an executable. */
const FOR_NODE = {
  platform: 'node',
  // Each platform's addon is a package of its own there, and npm installs the right one. The test
  // runners are those of the user.
  external: ['@napi-rs/keyring', 'vitest', '@playwright/test'],
  transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
  treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]/, sideEffects: false }] },
  // A module that others import anyway is still not loaded before it is needed.
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
};

const WRITTEN = {
  // `require` loads a module of Node faster than `import()` does.
  dynamicImportInCjs: false,
  // Names stay as written: a stack trace in a bug report must be readable, and start-up is the same.
  minify: { compress: true, mangle: false, codegen: { asciiOnly: true } },
  comments: { legal: true, annotation: false, jsdoc: false },
};

/** Bundles modules of src/ into `dist`, and returns the files made. */
export async function bundle(entries, format, groups) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    ...FOR_NODE,
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    plugins: [withoutUnused(), withAddons(), rawText()],
    output: {
      ...WRITTEN,
      dir: 'dist',
      format,
      entryFileNames: `[name].${extension}`,
      // As deep as cli/main: `new URL('../../bin/…', import.meta.url)` holds in every file of it.
      chunkFileNames: `chunks/[name]-[hash].${extension}`,
      codeSplitting: { groups },
    },
  });
  return output;
}

/**
 * Bundles the command line into one file, as an executable needs it, and returns the files on the way.
 * It is split first: joined, CommonJS modules load the modules of Node that they need when they are
 * loaded themselves. A bundle of the sources would load all of Node's at every start.
 */
export async function bundleInOne(entry, folder) {
  const { output } = await build({
    ...FOR_NODE,
    input: { entry },
    plugins: [withoutUnused(), withNodesSqlite(), rawText()],
    output: { ...WRITTEN, dir: folder, format: 'cjs', entryFileNames: '[name].cjs' },
  });
  await build({
    ...FOR_NODE,
    input: join(folder, 'entry.cjs'),
    output: { ...WRITTEN, file: join(folder, 'lectern.cjs'), format: 'cjs', codeSplitting: false },
  });
  return output;
}

/** The emulator's console: one script for the browser, with its style and its page beside it. */
export async function bundleConsole() {
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

/** The Node of an executable has SQLite itself, with the same interface: it needs no addon. */
function withNodesSqlite() {
  return {
    name: 'with-nodes-sqlite',
    resolveId: {
      filter: { id: /^@photostructure\/sqlite$/ },
      handler: () => ({ id: 'node:sqlite', external: true }),
    },
  };
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
