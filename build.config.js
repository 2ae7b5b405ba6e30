// `npm run build`: bundles the command line and the library into dist/ (docs/decisions/0001-bundle.md).
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  // npm runs `prepare` after `prepack`: the declarations made there must survive this build.
  if (name !== 'types') rmSync(`dist/${name}`, { recursive: true });
}

/**
 * Each file costs a start time, more than a few kilobytes in it do. So these are one file each: what
 * every command needs; what many share; what the command that only explains needs beyond that.
 */
const GROUPS = [
  { name: 'run', test: /[\\/]src[\\/]cli[\\/]run\.ts$/ },
  // Not what is a noun's own; nor the ledger: it loads node:crypto, which takes as long as ten files.
  {
    name: 'shared',
    test: /[\\/]src[\\/](?!ledger|cli[\\/](?!arguments|input|session|shared|output)\w+[\\/])/,
    minShareCount: 6,
  },
  { name: 'decode', test: /[\\/]src[\\/]cli[\\/]launch[\\/]decode\.ts$/ },
];

const commandLine = await bundle(['cli/main'], 'cjs', GROUPS);
const library = await bundle(['index', 'cli/adapters/keychain-worker'], 'esm', []);

const inBundle = [...commandLine, ...library].flatMap((file) => Object.keys(file.modules ?? {}));
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(packagesOf(inBundle)));

/** Bundles modules of src/, and returns the files made. */
async function bundle(entries, format, groups) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // They carry native addons, so they cannot be bundled: the run-time dependencies.
    external: ['@photostructure/sqlite', '@napi-rs/keyring'],
    transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
    plugins: [withoutUnused()],
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

/**
 * commander loads what starts programs, and undici HTTP/2. lectern uses neither of them, and no
 * command should wait for that.
 */
function withoutUnused() {
  return {
    name: 'without-unused',
    resolveId: {
      filter: { id: /^node:(child_process|http2)$/ },
      handler: (_, importer) =>
        /node_modules[\\/](commander|undici)[\\/]/.test(importer) ? '\0unused' : null,
    },
    // undici takes its names of headers from there as soon as it is loaded.
    load: { filter: { id: /^\0unused$/ }, handler: () => 'export const constants = {};' },
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
    if (!file) throw new Error(`${name} is bundled but has no licence file to pass on`);
    return `${name} ${bundled} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
  });
  return `lectern contains code of these packages.\n\n${notices.join(`\n${'-'.repeat(72)}\n\n`)}`;
}
