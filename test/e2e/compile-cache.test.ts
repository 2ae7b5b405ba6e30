import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFile, startService } from '../support/service.ts';

/** In all other tests Node keeps no compiled code. */
const CACHING = { NODE_DISABLE_COMPILE_CACHE: undefined };
/** Node 20 cannot. */
const isKept = 'enableCompileCache' in module;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('no command writes a file outside LECTERN_HOME', async () => {
  const service = await startService(({ method }, response) => {
    if (method === 'GET') response.end('{"a":1}');
    else response.writeHead(204).end();
  });
  const launch = launchFile(service.origin);
  const [home, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const places = ['HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];
  const env = {
    ...CACHING,
    ...Object.fromEntries(places.map((name) => [name, mkdtempSync(join(elsewhere, name))])),
  };
  const commands = [
    ['--version'],
    ['launch', 'decode', launch],
    ['launch', 'save', 'here', launch],
    ['launch', 'use', 'here'],
    ['storage', 'get', 'member'],
    ['storage', 'put', 'member', launch, '--yes'],
  ];
  for (const args of commands) {
    const { exit, stderr } = await binary(args, { home, env, cwd: elsewhere });
    expect([args, exit, stderr]).toEqual([args, 0, expect.any(String)]);
  }
  expect(filesBelow(elsewhere)).toEqual([]);
  expect(existsSync(join(home, 'launches', 'here.json'))).toBe(true);
  expect(existsSync(join(home, 'cache'))).toBe(isKept);
});

test('a missing home is not created for compiled code', async () => {
  const home = join(temporaryFolder(), 'home');
  const { exit } = await binary(['--version'], { home, env: CACHING });
  expect([exit, existsSync(home)]).toEqual([0, false]);
});

test.runIf(isKept)('compiled code is below the home, readable by the user only', async () => {
  const home = temporaryFolder();
  await binary(['explain', 'limits'], { home, env: CACHING });
  const folder = join(home, 'cache');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const files = filesBelow(folder);
  expect(files.length).toBeGreaterThan(2);
  expect(new Set(files.map((file) => statSync(file).mode & 0o777))).toEqual(new Set([0o600]));
});

test.runIf(isKept)('without LECTERN_HOME compiled code is stored in the cache folder', async () => {
  const root = temporaryFolder();
  const env = { ...CACHING, LECTERN_HOME: '', XDG_CACHE_HOME: root };
  await binary(['explain', 'limits'], { env });
  expect(readdirSync(root)).toEqual(process.platform === 'linux' ? ['lectern'] : []);
});

test.runIf(isKept)('compiled code is not stored if its folder cannot be created', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'cache'), '');
  const { exit, stderr } = await binary(['explain', 'limits'], { home, env: CACHING });
  expect([exit, stderr]).toEqual([0, '']);
});
