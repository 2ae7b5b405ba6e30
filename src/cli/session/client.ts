import type { CallEvent, Client, Transport } from '../../client/index.ts';
import { escapeText } from '../../contract/escape.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { UsedCredential } from './credential.ts';
import type { LaunchRef } from '../stores.ts';

/**
 * A client for one command, with its deadline, its interrupt and `--verbose`. `drains`: the first
 * interrupt waits for calls in progress, the second cancels them.
 */
export async function clientFor(
  context: Context,
  bearer: UsedCredential,
  transport: { connections?: number; drains?: boolean } = {},
): Promise<Client> {
  const { options } = context;
  const { createClient } = await import('../../client/index.ts');
  const observers = [
    await trackTokenStatus(context, bearer.launch),
    options.verbose ? showCalls(context) : undefined,
  ].filter((each) => each !== undefined);
  const { timeout } = options;
  return createClient(bearer, {
    transport: asLectern(await context.transport(transport)),
    clock: context,
    policy: context.policy.value,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    signal: transport.drains ? context.secondInterrupt : context.interrupt,
    ...(observers.length > 0
      ? { observe: (event) => observers.forEach((observe) => observe(event)) }
      : {}),
  });
}

/** Names lectern in each call: the emulator lists these calls apart from those of a tool. */
function asLectern(transport: Transport): Transport {
  const agent = { 'user-agent': `lectern/${__VERSION__}` };
  return (request) => transport({ ...request, headers: { ...agent, ...request.headers } });
}

function showCalls(runtime: Runtime) {
  return ({ method, url, outcome, ms }: CallEvent): void =>
    void runtime.stderr.write(`${escapeText(`${method} ${url} -> ${outcome} (${ms} ms)`)}\n`);
}

/** Records whether a saved launch's token is accepted, once at the end of the command. */
async function trackTokenStatus(
  runtime: Runtime,
  launch: LaunchRef | undefined,
): Promise<((event: CallEvent) => void) | undefined> {
  if (launch === undefined) return undefined;
  const store = await runtime.tokenStatus();
  return ({ area, outcome }) => {
    // Signed addresses take no token, so their responses do not concern it.
    if (area === 'signed' || typeof outcome !== 'number') return;
    const at = new Date(runtime.now()).toISOString();
    if (outcome >= 200 && outcome < 300) store.note(launch, { success: at });
    if (outcome === 401) store.note(launch, { ended: at });
  };
}
