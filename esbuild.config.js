// `npm run build`: bundles the command line and the library into dist/ (docs/decisions/0001-bundle.md).
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  // npm runs `prepare` after `prepack`: the declarations made there must survive this build.
  if (name !== 'types') rmSync(`dist/${name}`, { recursive: true });
}

const { metafile } = await build({
  entryPoints: ['src/cli/main.ts', 'src/index.ts', 'src/cli/adapters/keychain-worker.ts'],
  outdir: 'dist',
  outbase: 'src',
  // As deep as cli/main.js: `new URL('../../bin/…', import.meta.url)` holds in every file of it.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay as written: a stack trace in a bug report must be readable, and start-up is the same.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'external',
  // They carry native addons, so they cannot be bundled: the run-time dependencies.
  external: ['@photostructure/sqlite', '@napi-rs/keyring'],
  define: { __VERSION__: JSON.stringify(version) },
  // CommonJS packages in the bundle `require` Node's own modules, and nothing else.
  banner: {
    js: `const require=id=>{const m=process.getBuiltinModule(id);if(m)return m;throw Object.assign(new Error("Cannot find module '"+id+"'"),{code:'MODULE_NOT_FOUND'})};`,
  },
  metafile: true,
  logLevel: 'warning',
});

writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(bundledPackages(metafile)));

/** The folders of the packages that have code in the bundle. */
function bundledPackages({ outputs }) {
  const folders = Object.values(outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
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
