import { defineCommand } from '../declare/define.ts';
import * as flags from '../emulator/flags.ts';
import { CONTROL_EXITS } from './exits.ts';

const start = defineCommand({
  name: 'start',
  summary: 'run the emulator, in the foreground or with --detach',
  description:
    'Run the emulator until interrupted, on loopback unless --host is given. Acknowledged writes survive a crash. On another address than loopback the control API and the console take only the token in LECTERN_EMULATOR_TOKEN; if there is none, one is made and printed.',
  flags: flags.START_FLAGS,
  examples: [
    'lectern emulator start --port 8080 --data course',
    'lectern emulator start --detach --memory',
    'lectern emulator start --host 0.0.0.0 --public-url http://emulator:8080',
  ],
  exits: [1, 3, 8, 130],
  load: async () => (await import('../emulator/start.ts')).runStart,
});

const wait = defineCommand({
  name: 'wait',
  summary: 'wait until an emulator is ready',
  description:
    'Wait until an emulator is ready, for at most 30 seconds or --timeout. LECTERN_EMULATOR or --emulator may name one that is not up yet; else any of this home counts. Needs no token.',
  examples: ['lectern emulator wait --timeout 60'],
  exits: [8, 130],
  load: async () => (await import('../emulator/wait.ts')).runWait,
});

const stop = defineCommand({
  name: 'stop',
  summary: 'stop the emulator',
  description:
    'Stop the emulator, started in the background or not, and wait until it has ended. Acknowledged writes are kept. No error if none is running.',
  examples: ['lectern emulator stop'],
  exits: [1, 4, 8, 130],
  load: async () => (await import('../emulator/stop.ts')).runStop,
});

const env = defineCommand({
  name: 'env',
  summary: 'print the environment variables that lead to the emulator',
  description:
    'Print LECTERN_EMULATOR and, with --launch ROLE, LECTERN_LAUNCH with the file of a new launch, for eval in a shell or for a file of variables.',
  flags: flags.ENV_FLAGS,
  examples: ['lectern emulator env --launch student', 'lectern emulator env --format json'],
  exits: CONTROL_EXITS,
  load: async () => (await import('../emulator/env.ts')).runEnv,
});

/** The commands that start an emulator, wait for it and end it. */
export const processes = [start, wait, stop, env];
