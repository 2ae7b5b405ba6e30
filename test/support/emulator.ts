import { CONTROL_PREFIX, serveEmulator } from '../../src/emulator/index.ts';
import { atEnd } from './scope.ts';

const CONTROL_TOKEN = 'control-of-the-test';

export interface RunningEmulator {
  readonly url: string;
  /** Does something on the control side, such as `POST launch`, and returns its answer. */
  readonly control: (operation: string, body?: object) => Promise<Record<string, unknown>>;
  /** The claims of a fresh launch. */
  readonly launch: (wish: object) => Promise<Record<string, unknown>>;
}

/** An emulator behind real HTTP, in this process, that keeps nothing. */
export async function startEmulator(): Promise<RunningEmulator> {
  const served = await serveEmulator({ controlToken: CONTROL_TOKEN, pid: process.pid });
  atEnd(served.close);
  const control: RunningEmulator['control'] = async (operation, body) => {
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(`${served.url}${CONTROL_PREFIX}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${CONTROL_TOKEN}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  return {
    url: served.url,
    control,
    launch: async (wish) => (await control('POST launch', wish)).claims as Record<string, unknown>,
  };
}
