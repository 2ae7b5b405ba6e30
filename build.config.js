// `npm run build`: bundles the command line and the library into dist/ (docs/decisions/0001-bundle.md).
import { EventEmitter } from 'node:events';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bundle, bundleConsole } from './bundler.config.js';
import { billOf, licences, packageIn, packagesOf } from './licences.config.js';

const { man } = packageIn('.');

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
  // The parsers of the emulator's flags: without this group each of its commands would load `read`.
  { name: 'arguments', test: /src.cli.arguments.(addresses|formats|numbers)\.ts$/ },
  { name: 'help', test: /src.cli.help.add-help-texts\.ts$/ },
  // `launch decode` and `storage get`, and most others.
  {
    name: 'read',
    test: /src.cli.(ask|session.(launch|precedence)|input.read|adapters.(disk|settings)|output.(print|notes|result|table|units|paint))\.ts$/,
  },
  { name: 'contract', test: /src.(contract|json)./, minShareCount: 16 },
  { name: 'decode', test: /src.cli.launch.decode\.ts$/ },
  {
    name: 'get',
    test: /src.(client.index|cli.(storage.get|session.resolve-call|adapters.(secrets|wasm-flag)))\.ts$/,
  },
  { name: 'files', test: /src.cli.files.(up|down)load\.ts$/ },
];

const commandLine = await bundle(['cli/main'], 'cjs', GROUPS);
const library = await bundle(['index', 'fixtures/vitest', 'fixtures/playwright'], 'esm', []);
const consolePage = await bundleConsole();

const inBundle = [...commandLine, ...library, ...consolePage].flatMap((file) =>
  Object.keys(file.modules ?? {}),
);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(packagesOf(inBundle)));
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOf(packagesOf(inBundle)), null, 2)}\n`);
copyAddons();
await writeManPages();
await writeSchemas();

/** `dist/addons/sqlite-PLATFORM-ARCHITECTURE-LIBRARY.node`: hard links, since every build creates them again. */
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

/** Runs the command line that was just built; resolves with its standard output. */
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
