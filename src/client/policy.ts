import { isLoopback } from '../contract/index.ts';
import { CONTROL_PREFIX } from '../control-request.ts';
import { call, type CallSettings, COMMON_HEADERS } from './call.ts';
import { NoAnswer, Refusal } from './errors.ts';

/** A running emulator answers at once. */
const LOOK_MS = 5000;

/** Whether an emulator answers at the origin, which must be on loopback; asked without a credential. */
export async function isEmulator(settings: CallSettings): Promise<boolean> {
  const { origin } = settings.caller;
  if (!isLoopback(origin)) return false;
  const url = `${origin}${CONTROL_PREFIX}ready`;
  const look = { ...settings, timeoutMs: Math.min(settings.timeoutMs, LOOK_MS) };
  try {
    const { bytes } = await call(look, {
      area: 'signed',
      method: 'GET',
      url,
      headers: COMMON_HEADERS,
    });
    const answer = new TextDecoder().decode(bytes);
    // lectern observe leads to a service.
    return answer.includes('"ready":true') && !answer.includes('"observes":');
  } catch (error) {
    if (error instanceof Refusal || error instanceof NoAnswer) return false;
    throw error;
  }
}
