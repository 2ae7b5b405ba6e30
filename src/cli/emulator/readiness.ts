import { text } from 'node:stream/consumers';
import { TransportError } from '../../client/index.ts';
import { controlRequest } from '../../control-request.ts';
import type { Runtime } from '../runtime.ts';

/**
 * `open`: ready, and reachable by other machines too. `gone`: nothing listens there. `other`: another
 * kind of server does. `unknown`: no answer in time, or one that only says why not.
 */
type Readiness = 'ready' | 'open' | 'gone' | 'other' | 'unknown';

/** The timeout of one request. */
const LOOK_MS = 1000;

/** Whether an emulator responds at a URL; needs no token. */
export async function readinessOf(runtime: Runtime, url: string): Promise<Readiness> {
  const transport = await runtime.transport();
  const { method, target, headers } = controlRequest('GET ready');
  const { response, cancel } = transport({ method, url: url + target, headers });
  const stop = runtime.setTimer(LOOK_MS, cancel);
  runtime.interrupt.addEventListener('abort', cancel);
  try {
    const { status, body } = await response;
    return readinessIn(status, await text(body));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return isRefused(error) ? 'gone' : 'unknown';
  } finally {
    stop();
    runtime.interrupt.removeEventListener('abort', cancel);
  }
}

/** Whether nothing listens there; other failures do not show whether an emulator runs. */
export function isRefused({ cause }: TransportError): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
}

function readinessIn(status: number, answer: string): Readiness {
  if (status !== 200) return answer.includes('"error":{"code":') ? 'unknown' : 'other';
  if (!answer.includes('"ready":')) return 'other';
  if (!answer.includes('"ready":true')) return 'unknown';
  return answer.includes('"open":true') ? 'open' : 'ready';
}

export async function isServing(runtime: Runtime, url: string): Promise<boolean> {
  return ['ready', 'open'].includes(await readinessOf(runtime, url));
}
