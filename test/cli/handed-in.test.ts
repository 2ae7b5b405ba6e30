import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/index.ts';
import { FastClock } from '../support/clock.ts';
import { fetchTransport } from '../support/fetch-transport.ts';
import { type HereOptions, lectern, temporaryFolder } from '../support/lectern.ts';

const HOUR_MS = 3_600_000;

/** An emulator without a port, with lectern and it on one clock. */
function emulated() {
  const clock = new FastClock();
  const emulator = createEmulator({ now: clock.now });
  const home = temporaryFolder();
  const LECTERN_LAUNCH = join(home, 'launch.json');
  writeFileSync(LECTERN_LAUNCH, JSON.stringify(emulator.launch({ role: 'student' })));
  const transport = fetchTransport(emulator.fetch);
  const options: HereOptions = { home, clock, transport, env: { LECTERN_LAUNCH } };
  return { clock, run: (args: readonly string[]) => lectern(args, options) };
}

test('an injected network carries every request', async () => {
  const { run } = emulated();
  expect(await run(['storage', 'patch', 'member', '--add', '/a:=1'])).toMatchObject({ exit: 0 });
  expect((await run(['storage', 'get', 'member', '--raw'])).stdout).toBe('{"a":1}');
  const { exit, stdout } = await run(['grade', 'submit', '--score', '0.5', '--json']);
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { status: 'success', score: 0.5 }]);
});

test('an injected clock determines the time and the end of a token', async () => {
  const { clock, run } = emulated();
  expect((await run(['storage', 'get', 'member'])).exit).toBe(0);
  await run(['grade', 'submit', '--score', '0.5']);
  clock.advance(12 * HOUR_MS);
  expect((await run(['storage', 'get', 'member'])).exit).toBe(4);
  expect((await run(['grade', 'log', '--since', '11h', '--json'])).stdout).toBe('');
  expect((await run(['grade', 'log', '--since', '13h', '--json'])).stdout).toContain('"score":0.5');
});
