import { PROVISION_RETRY_MS } from '../../../contract/index.ts';
import { isReady } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { ProvisionCall } from '../../state/records.ts';
import type { Launched } from '../launches/launches.ts';
import {
  type ProvisionRequest,
  requestProvision,
  waitingLocations,
} from '../launches/provision-request.ts';
import { postToTool } from './post.ts';
import { signedToken } from './signature.ts';

/** "Asked once, and again": the maximum number of automatic requests for a level. */
export const MAX_REQUESTS = 2;

/** The provision requests that were sent to tools' servers, or why there were none. */
export interface SentProvisions {
  readonly sent: readonly ProvisionCall[];
  /** null if something was sent, or no tool of the course has a `provision_url`. */
  readonly not_sent: string | null;
}

/**
 * Sends provision requests to the tools with a `provision_url`: for every location of the course
 * that still waits, or for the requested location if it is given or none waits.
 */
export async function sendProvisions(
  state: EmulatorState,
  requested: Launched,
  request: ProvisionRequest,
): Promise<SentProvisions> {
  const { course, location, tool } = requested.token;
  const { world } = state;
  const hasServer = (id: string): boolean => world.tools.get(id)?.provision_url !== undefined;
  const isNamed = request.location !== undefined;
  const waiting = isNamed ? [] : waitingLocations(state, course, request.tool);
  // If none waits, the printed request is sent anyway.
  const targets = waiting.length > 0 ? waiting : [{ id: location, tool }];
  const due = targets.filter((each) => hasServer(each.tool));
  const sent = await Promise.all(
    due.map(({ id }) => {
      const own = id === location ? requested : requestProvision(state, { course, location: id });
      return sendProvision(state, own);
    }),
  );
  const isAnyServer = world.locationsOf(course).some((each) => hasServer(each.tool));
  const why = !isNamed
    ? `no tool of course ${course} with a provision_url has a location left to make ready; name one with --location to ask again`
    : `tool ${tool} has no provision_url`;
  return {
    sent: sent.filter((call) => call !== undefined),
    not_sent: due.length === 0 && isAnyServer ? why : null,
  };
}

/**
 * Sends a provision request to a tool with a `provision_url` and stores the result; undefined if the
 * tool has none. The contract does not show its shape: claims as JSON are lectern's interpretation.
 */
async function sendProvision(
  state: EmulatorState,
  { token, claims }: Launched,
  before = 0,
): Promise<ProvisionCall | undefined> {
  const { tool: id, course, location, launch_id } = token;
  const tool = state.world.tools.get(id);
  if (tool?.provision_url === undefined) return undefined;
  const sent = { tool: id, course, location, launch_id, requests: before + 1 };
  const pending = { ...sent, asked: state.clock.now(), status: null, error: 'no answer yet' };
  // Stored first: the tool's finish call may arrive before its answer, and the emulator may stop.
  state.provisionCalls.put(pending);
  const signed = await signedToken(state, tool, claims, 'RS256');
  const { status, error } = await postToTool(state, tool.provision_url, {
    body: claims,
    token: signed,
  });
  const call = { ...pending, status, error };
  // Unless a reset or a later request has replaced it.
  if (state.provisionCalls.get(id, location)?.launch_id === launch_id)
    state.provisionCalls.put(call);
  return call;
}

/** Repeats requests that have waited for their finish call for about 3 hours ("Limits"). */
export async function askAgain(state: EmulatorState): Promise<void> {
  const now = state.clock.now();
  const waiting = 'requests < ? AND asked <= ?';
  const due = state.provisionCalls
    .all(waiting, [MAX_REQUESTS, now - PROVISION_RETRY_MS])
    .filter(
      (call) => state.world.tools.get(call.tool)?.status === 'active' && !isReady(state, call),
    );
  await Promise.all(
    due.map(async ({ tool, course, location, requests }) => {
      const again = requestProvision(state, { tool, course, location });
      await sendProvision(state, again, requests);
    }),
  );
}
