import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { start, type Started } from '../cli/emulator/running.ts';
import { startBinary } from '../support/binary.ts';
import { startEmulator } from '../support/emulator.ts';
import { keptPorts } from '../support/free-port.ts';
import {
  lectern,
  type RunOptions,
  start as startLectern,
  temporaryFolder,
} from '../support/lectern.ts';

const CLOCK = ['emulator', 'clock', 'show'];

/** Starts an emulator in a process of its own. */
const startApart = (args: readonly string[], options: RunOptions): Promise<Started> =>
  start(args, options, startBinary);

/** Ends it as nothing can foresee. */
async function killed({ kill, ended }: Started): Promise<void> {
  kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'emulator start exits with 0 on %s, and removes its records',
  async (signal) => {
    const home = temporaryFolder();
    const { kill, ended } = await startApart([], { home });
    kill(signal);
    expect(await ended).toMatchObject({ exit: 0, stderr: '' });
    expect(readdirSync(join(home, 'emulators'))).toEqual([]);
    expect(existsSync(join(home, 'emulator', 'running-emulator.json'))).toBe(false);
  },
);

test('commands use another emulator if the last one was killed, and exit with 8 if all were', async () => {
  const home = temporaryFolder();
  const first = await startApart(['--memory'], { home });
  const second = await startApart(['--memory'], { home });
  await killed(second);
  expect((await lectern(CLOCK, { home })).exit).toBe(0);
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  await killed(first);
  const { exit, stderr } = await lectern(CLOCK, { home });
  expect([exit, stderr]).toEqual([8, expect.stringContaining('lectern emulator start')]);
  expect((await lectern(CLOCK, { home })).exit).toBe(2);
});

test('a killed observer leaves only its record, which the next command removes', async () => {
  const home = temporaryFolder();
  const served = await startEmulator();
  const input = JSON.stringify(await served.launch({}));
  await lectern(['launch', 'save', 'amina'], { home, input });
  const before = readdirSync(home, { recursive: true });
  const observer = startBinary(['observe', '-l', 'amina'], { home });
  await expect.poll(() => observer.output.stderr, { timeout: 30_000 }).toContain('led through');
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  observer.kill('SIGKILL');
  await observer.ended;
  expect((await lectern(CLOCK, { home })).exit).toBe(8);
  expect(readdirSync(home, { recursive: true }).toSorted()).toEqual(
    [...before, 'emulators'].toSorted(),
  );
});

test('commands forget a killed emulator that --emulator names by its URL', async () => {
  const env = { TMPDIR: temporaryFolder() };
  const started = await startApart(['--memory'], { env });
  await killed(started);
  const asked = [...CLOCK, '--emulator', started.ready.url];
  expect((await lectern(asked, { env })).exit).toBe(8);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

test('--emulator with a URL means the running emulator, even if another was killed on its port', async () => {
  const env = { TMPDIR: temporaryFolder() };
  const home = temporaryFolder();
  const first = await startApart(['--memory', ...(await keptPorts())], { home, env });
  await killed(first);
  const { url } = first.ready;
  await startApart(['--memory', '--port', new URL(url).port], { env });
  expect((await lectern([...CLOCK, '--emulator', url], { home, env })).exit).toBe(0);
});

test('emulator export leaves no incomplete file', async () => {
  const home = temporaryFolder();
  await killed(await startApart(['--memory'], { home }));
  const file = join(home, 'nothing');
  expect((await lectern(['emulator', 'export', file], { home })).exit).toBe(8);
  expect(existsSync(file)).toBe(false);
});

/** Resolves when somebody has connected to a port whose process takes no connection. */
async function connected(port: string): Promise<void> {
  const listener = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  // Sockets come and go while the list is read, and a line may be missing from it.
  const waiting = (): number =>
    Number.parseInt(
      readFileSync('/proc/net/tcp', 'utf8').split(listener)[1]?.slice(10, 18) ?? '0',
      16,
    );
  await expect.poll(waiting).toBeGreaterThan(0);
}

describe('an emulator that no longer responds', () => {
  test('ends any command after --timeout', async () => {
    const home = temporaryFolder();
    const started = await startApart(['--memory'], { home });
    const run = (args: readonly string[]) => lectern(['emulator', ...args], { home });
    const file = join(home, 'everything');
    expect((await run(['export', file])).exit).toBe(0);
    started.kill('SIGSTOP');
    const calls = [['state'], ['export', '-'], ['import', file], ['requests', '--follow']];
    const ends = await Promise.all(calls.map((args) => run([...args, '--timeout', '1'])));
    for (const [index, { exit, stderr }] of ends.entries()) {
      expect([calls[index], exit, stderr]).toEqual([
        calls[index],
        8,
        expect.stringContaining('no data received for 1 s'),
      ]);
    }
    // It runs, so its record is not removed.
    started.kill('SIGCONT');
    expect((await run(['state'])).exit).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('does not prevent an interrupt', async () => {
    const home = temporaryFolder();
    const started = await startApart(['--memory'], { home });
    started.kill('SIGSTOP');
    const { kill, ended } = startLectern(['emulator', 'requests', '--follow'], { home });
    await connected(new URL(started.ready.url).port);
    kill('SIGINT');
    expect((await ended).exit).toBe(130);
    started.kill('SIGCONT');
  });
});
