import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { start, type Started } from '../cli/emulator/running.ts';
import { startBinary } from '../support/binary.ts';
import { startEmulator } from '../support/emulator.ts';
import { keptPorts } from '../support/free-port.ts';
import { type RunOptions, start as startLectern, temporaryFolder } from '../support/lectern.ts';
import { step, stepsAt } from '../support/steps.ts';

const CLOCK = 'emulator clock show';

/** Starts an emulator in a process of its own. */
const startApart = (args: readonly string[], options: RunOptions): Promise<Started> =>
  start(args, options, startBinary);

/** Ends it as nothing can foresee. */
async function killed({ kill, ended }: Started): Promise<void> {
  kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
}

test('commands use another emulator if the last one was killed, and exit with 8 if all were', async () => {
  const home = temporaryFolder();
  const first = await startApart(['--memory'], { home });
  const second = await startApart(['--memory'], { home });
  await killed(second);
  await step(CLOCK, { home });
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  await killed(first);
  await step(`${CLOCK} # exit 8: lectern emulator start\n${CLOCK} # exit 2`, { home });
});

test('a killed observer leaves only its record, which the next command removes', async () => {
  const { home, step: at } = stepsAt();
  const input = JSON.stringify(await (await startEmulator()).launch({}));
  await at('launch save amina', { input });
  const before = readdirSync(home, { recursive: true });
  const observer = startBinary(['observe', '-l', 'amina'], { home });
  await expect.poll(() => observer.output.stderr, { timeout: 30_000 }).toContain('are forwarded');
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  observer.kill('SIGKILL');
  await observer.ended;
  await at(`${CLOCK} # exit 8`);
  const left = readdirSync(home, { recursive: true }).toSorted();
  expect(left).toEqual([...before, 'emulators'].toSorted());
});

test('--emulator with a URL forgets a killed emulator, and means the running one on its port', async () => {
  const env = { TMPDIR: temporaryFolder() };
  const home = temporaryFolder();
  const first = await startApart(['--memory', ...(await keptPorts())], { home, env });
  await killed(first);
  const { url } = first.ready;
  await step(`${CLOCK} --emulator ${url} # exit 8`, { env });
  expect(readdirSync(env.TMPDIR)).toEqual([]);
  await startApart(['--memory', '--port', new URL(url).port], { env });
  await step(`${CLOCK} --emulator ${url}`, { home, env });
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
    const { home, step: at } = stepsAt();
    const started = await startApart(['--memory'], { home });
    await at('emulator export everything');
    started.kill('SIGSTOP');
    const expected = { exit: 8, stderr: 'no answer within 1 s' };
    const calls = ['state', 'export -', 'import everything', 'requests --follow'];
    await Promise.all(calls.map((call) => at(`emulator ${call} --timeout 1`, expected)));
    // It runs, so its record is not removed.
    started.kill('SIGCONT');
    await at('emulator state');
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
