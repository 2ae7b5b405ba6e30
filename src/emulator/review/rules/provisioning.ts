import { rowKey, isReady } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { Token } from '../../state/records.ts';
import type { Rule } from '../rule.ts';

/** Requests that show that a tool has a provision request, or needed it finished. */
interface Shown {
  readonly requests: readonly number[];
}

const LISTED = 20;

/**
 * A provision request is finished by a PUT to its URLs. If a tool has made no call with its token,
 * launches that meet unprovisioned rows show that it is unfinished, provided the tool's server
 * accepted the request: one that was only printed may never have reached the tool.
 */
export const provisionUnfinished: Rule<Shown> = {
  code: 'request.provision_unfinished',
  at: ['row', 'files', 'file', 'provision'],
  keeps: 1000,
  isDurable: true,
  see: ({ number, caller, facts }, { memory }) => {
    const { token } = caller;
    if (token === undefined) return;
    const isMissed = token.kind === 'launch' && facts.code === 'row.unprovisioned';
    if (!isMissed && token.kind !== 'provision') return;
    const id = isMissed ? `missed ${token.tool}/${token.course}` : token.launchId;
    const { requests = [] } = memory.get(id) ?? {};
    if (requests.length < LISTED) memory.set(id, { requests: [...requests, number] });
  },
  open: ({ state, memory, report }) => {
    if (memory.size === 0) return;
    for (const token of state.tokens.values()) {
      if (token.kind !== 'provision' || isFinished(state, token)) continue;
      const { tool, course, location, launchId } = token;
      const own = memory.get(launchId)?.requests ?? [];
      if (own.length === 0 && !wasTaken(state, token)) continue;
      const requests = [...own, ...(memory.get(`missed ${tool}/${course}`)?.requests ?? [])];
      const inOrder = [...new Set(requests)].sort((a, b) => a - b);
      if (inOrder.length > 0) report(`${tool}/${location}`, inOrder, { course });
    }
  },
};

/** Whether the tool's server has answered the request with success. */
function wasTaken({ provisionCalls }: EmulatorState, { tool, location, launchId }: Token): boolean {
  const call = provisionCalls.get(`${tool}/${location}`);
  const { status = null } = call?.launchId === launchId ? call : {};
  return status !== null && status >= 200 && status < 300;
}

/** Whether everything is ready, or one of the two levels became ready after the request. */
function isFinished(state: EmulatorState, token: Token): boolean {
  const { tool, course, location, issued } = token;
  if (isReady(state, { tool, course, location })) return true;
  const rows = [
    rowKey({ kind: 'context', tool, course, location: '', member: '' }),
    rowKey({ kind: 'location', tool, course, location, member: '' }),
  ];
  return rows.some((row) => (state.provisioned.get(row)?.at ?? -Infinity) >= issued);
}
