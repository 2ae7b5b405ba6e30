import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { begin, type Started } from './started.ts';
import { hostileCases, sampled } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Process');

const random = seededRandom();

const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP'] as const;
/** An emulator is ready well within that, when the machine has nothing else to do. */
const START_MS = 600;

interface Place {
  readonly home: string;
  readonly env: { readonly TMPDIR: string };
}

function place(): Place {
  return { home: temporaryFolder(), env: { TMPDIR: temporaryFolder() } };
}

/** Starts an emulator, and resolves when it is ready. */
async function emulator(options: Place): Promise<Started> {
  const started = begin(['emulator', 'start'], options);
  await started.says('stop it with Ctrl-C');
  return started;
}

hostile(
  {
    tried: 'emulator start: a signal at a random moment, and the next start on the same data',
    times: { short: 1, long: 50 },
  },
  async () => {
    for (const signal of sampled(SIGNALS, 2, Math.floor(random() * 2))) {
      const options = place();
      const { kill, ended } = begin(['emulator', 'start'], options);
      await Promise.race([sleep(random() * START_MS), ended]);
      kill(signal);
      const { exit, signal: endedBy, stderr } = await ended;
      // Node listens to no signal while it starts.
      if (endedBy === null) expect([signal, exit, stderr]).toEqual([signal, 0, expect.any(String)]);
      else expect(endedBy).toBe(signal);

      const next = await emulator(options);
      expect((await lectern(['emulator', 'state', '--json'], options)).exit).toBe(0);
      next.kill(signal === 'SIGKILL' ? 'SIGTERM' : signal);
      expect((await next.ended).exit).toBe(0);
      const records = join(options.home, 'emulators');
      expect(existsSync(join(options.home, 'emulator', 'running-emulator.json'))).toBe(false);
      if (signal !== 'SIGKILL') expect(readdirSync(records)).toEqual([]);
    }
  },
);

hostile(
  {
    tried:
      'emulator requests --follow: a signal, and an emulator that stops or is killed (kill -9)',
    times: { short: 1, long: 50 },
  },
  async () => {
    const options = place();
    const follow = async (): Promise<Started> => {
      const following = begin(['emulator', 'requests', '--follow'], options);
      // It shows what comes after it has begun.
      const get = ['launch', 'check', '-l', 'me', '-q'];
      while (!following.output.stdout.includes('GET')) await lectern(get, options);
      return following;
    };
    const first = await emulator(options);
    const save = ['emulator', 'launch', '--role', 'student', '--save', 'me'];
    expect(await lectern(save, options)).toMatchObject({ exit: 0 });
    const interrupted = await follow();
    interrupted.kill('SIGTERM');
    expect(await interrupted.ended).toMatchObject({ exit: 130, stderr: 'lectern: interrupted\n' });

    const left = await follow();
    first.kill('SIGTERM');
    expect(await left.ended).toMatchObject({ exit: 0, stderr: 'the emulator has stopped\n' });

    const second = await emulator(options);
    const cut = await follow();
    second.kill('SIGKILL');
    expect(await cut.ended).toMatchObject({ exit: 0, stderr: 'the emulator has stopped\n' });
  },
);

hostile(
  {
    tried: 'emulator exec: a signal at a random moment; nothing is left',
    times: { short: 1, long: 50 },
  },
  async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const options = place();
      const command = ['emulator', 'exec', '--', 'sleep', '30'];
      const { kill, ended } = begin(command, options);
      await Promise.race([sleep(random() * START_MS), ended]);
      kill(signal);
      const { exit, signal: endedBy, stderr } = await ended;
      const number = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 }[signal];
      // It ends as the command does, or before that starts.
      if (endedBy === null) expect([130, 128 + number], stderr).toContain(exit);
      else expect(endedBy).toBe(signal);
      expect(readdirSync(options.env.TMPDIR)).toEqual([]);
    }
  },
);
