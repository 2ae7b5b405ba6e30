import { type Served, serveEmulator } from '../../src/emulator/index.ts';
import { atEnd } from './scope.ts';

export interface RunningEmulator {
  readonly url: string;
  /** Does something on the control side, such as `POST launch`, and returns its answer. */
  readonly control: Served['control'];
  /** The claims of a fresh launch. */
  readonly launch: (wish: object) => Promise<Record<string, unknown>>;
}

/** An emulator behind real HTTP, in this process, that keeps nothing. */
export async function startEmulator(): Promise<RunningEmulator> {
  const { url, control, close } = await serveEmulator({ pid: process.pid });
  atEnd(close);
  return {
    url,
    control,
    launch: async (wish) => (await control('POST launch', wish)).claims,
  };
}
