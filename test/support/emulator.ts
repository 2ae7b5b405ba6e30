import { generateKeyPairSync } from 'node:crypto';
import { serveEmulator, type Served, type ServeOptions } from '../../src/emulator/index.ts';
import { type Choices, chosenBy, FREEDOMS, type Vary } from '../../src/emulator/freedom/vary.ts';
import { LAUNCH_KEY } from '../../src/emulator/state/records.ts';
import { freePort } from './free-port.ts';
import { atEnd } from './scope.ts';
import { seededBytes } from './seeded.ts';

export interface RunningEmulator {
  readonly url: string;
  /** Of the control API. */
  readonly token: string;
  /** Does something on the control side, such as `POST launch`, and returns its answer. */
  readonly control: Served['control'];
  /** The claims of a fresh launch. */
  readonly launch: (wish: object) => Promise<Record<string, unknown>>;
}

/** An emulator behind real HTTP, in this process, that keeps nothing. */
export async function startEmulator(options: ServeOptions = {}): Promise<RunningEmulator> {
  const served = await serveSeeded({ pid: process.pid, ...options });
  const { url, control, controlToken: token, close } = served;
  atEnd(close);
  return {
    url,
    token,
    control,
    launch: async (wish) => (await control('POST launch', wish)).claims,
  };
}

/** What LECTERN_TEST_VARY has the emulators of the tests vary, as `--vary` does. */
const seed = process.env.LECTERN_TEST_VARY;
const VARY: Vary | undefined = seed === undefined ? undefined : { seed: Number(seed) };

/** Whether these points that the contract leaves open have their first values in the emulators. */
export function isUsual(...names: (keyof Choices)[]): boolean {
  const { choices } = chosenBy(VARY);
  return names.every((name) => choices[name] === FREEDOMS[name].values[0][0]);
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** It takes longer to make one than to serve. */
const KEY = { name: LAUNCH_KEY, value: JSON.stringify(privateKey.export({ format: 'jwk' })) };

/**
 * Serves an emulator whose IDs, tokens and keys are the same in every run. One with a data folder
 * begins on ports that no other test takes while it is restarted.
 */
export async function serveSeeded(options: ServeOptions = {}): Promise<Served> {
  const lastPorts = options.data && { api: await freePort(), blobs: await freePort() };
  const served = await serveEmulator({
    random: seededBytes(),
    ...(lastPorts && { lastPorts }),
    ...(VARY && { vary: VARY }),
    ...options,
  });
  const { settings } = served.emulator.state;
  if (!settings.has(LAUNCH_KEY)) settings.put(KEY);
  return served;
}
