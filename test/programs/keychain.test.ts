import { createServer } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { pty } from '../support/pty.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';

const KEY = 'api-key-canary-1';
const SAVE = ['key', 'save', 'prod', '--origin', 'https://service.example'];

/** The session bus of a desktop that takes the connection and says nothing: the keychain hangs. */
async function hangingBus(): Promise<string> {
  const path = join(temporaryFolder(), 'bus');
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return `unix:path=${path}`;
}

const savedKey = (home: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(home, 'keys', 'prod.json'), 'utf8')) as Record<string, unknown>;

// Elsewhere the system's own keychain would answer, and hold what the test leaves behind.
const onLinux = process.platform === 'linux';

test.runIf(onLinux)('a secret is stored in a file if the keychain does not work', async () => {
  const home = temporaryFolder();
  const env = { LECTERN_KEYCHAIN: 'on' };
  expect(await binary(SAVE, { home, env, input: KEY })).toMatchObject({ exit: 0 });
  expect(savedKey(home)).toMatchObject({ secret: KEY });
  const { stdout } = await binary(['doctor', '--json'], { home, env });
  const { checkups } = JSON.parse(stdout) as { checkups: { name: string }[] };
  expect(checkups).toContainEqual(
    expect.objectContaining({ name: 'keychain', state: 'warning', hint: expect.any(String) }),
  );
});

test.runIf(onLinux)('a keychain that hangs is abandoned after 3 s without a terminal', async () => {
  const home = temporaryFolder();
  const env = { LECTERN_KEYCHAIN: 'on', DBUS_SESSION_BUS_ADDRESS: await hangingBus() };
  expect(await binary(SAVE, { home, env, input: KEY })).toMatchObject({ exit: 0 });
  expect(savedKey(home)).toMatchObject({ secret: KEY });
});

test.runIf(onLinux)(
  'a keychain may ask at a terminal for longer, and can be interrupted',
  async () => {
    const home = temporaryFolder();
    const env = { LECTERN_KEYCHAIN: 'on', DBUS_SESSION_BUS_ADDRESS: await hangingBus() };
    const terminal = pty(SAVE, { home, env });
    await terminal.shows('API key (hidden)');
    terminal.type(`${KEY}\r`);
    await terminal.shows('waiting for the system keychain, which may ask you to unlock it');
    terminal.type('\x03');
    expect(await terminal.exit).toBe(130);
    expect(existsSync(join(home, 'keys', 'prod.json'))).toBe(false);
  },
);

test('a secret that is missing in the keychain is an error with a hint', async () => {
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor('https://service.example'));
  await binary(['launch', 'save', 'x'], { home, input });
  const file = join(home, 'launches', 'x.json');
  const { claims, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  delete claims.api.token;
  writeFileSync(file, JSON.stringify({ ...rest, claims, keychain: true }));
  const { exit, stderr } = await binary(['storage', 'get', 'member'], { home });
  expect(exit).toBe(1);
  expect(stderr).toContain('LECTERN_KEYCHAIN=off');
  expect(stderr).not.toContain('bug');
  // What needs no token asks no keychain.
  for (const args of [['list'], ['use', 'x'], ['show', 'x']]) {
    expect([args, (await binary(['launch', ...args], { home })).exit]).toEqual([args, 0]);
  }
});

test.runIf(onLinux)('a secret that the keychain cannot remove stays listed', async () => {
  const home = temporaryFolder();
  await binary(SAVE, { home, input: KEY });
  const { name, origin, saved } = savedKey(home);
  const entry = { name, origin, saved, keychain: true };
  writeFileSync(join(home, 'keys', 'prod.json'), JSON.stringify(entry));
  for (const args of [
    ['key', 'rm', 'prod'],
    [...SAVE, '--force'],
  ]) {
    const { exit, stderr } = await binary(args, { home, input: KEY });
    expect([args, exit]).toEqual([args, 1]);
    expect(stderr).toContain('cannot remove the secret in the system keychain');
    expect(stderr).toContain(`remove ${join(home, 'keys', 'prod.json')}`);
    expect(savedKey(home)).toEqual(entry);
  }
});
