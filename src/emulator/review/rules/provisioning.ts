import type { Token } from '../../state/records.ts';
import { rowKey } from '../../state/row-table.ts';
import { isReady } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import { type RuleInput, exchangesWhere, type Rule } from '../rule.ts';

/**
 * A provision request is finished by a PUT to its URLs. If a tool has made no call with its token,
 * launches that meet unprovisioned rows show that it is unfinished, provided the tool's server
 * accepted the request: one that was only printed may never have reached the tool.
 */
export const provisionUnfinished: Rule = {
  code: 'request.provision_unfinished',
  *find({ exchanges }, state) {
    for (const token of state.tokens.all("kind = 'provision'")) {
      if (isFinished(state, token)) continue;
      const { tool, course, location, launch_id: launch } = token;
      const own = numbersOf(exchanges, launch);
      if (own.length === 0 && !wasTaken(state, token)) continue;
      const requests = [...own, ...missed(exchanges, state, token)].sort((a, b) => a - b);
      if (requests.length === 0) continue;
      yield { subject: `${tool}/${location}`, requests, params: { course } };
    }
  },
};

/** The calls with the token of a provision request. */
function numbersOf(exchanges: RuleInput['exchanges'], launch: string): number[] {
  const condition = "credential = 'provision_token' AND launch = ?";
  const calls = exchangesWhere(exchanges, ['number'], condition, [launch]);
  return Array.from(calls, ({ number }) => number);
}

/** The calls of launches that met an unprovisioned row of the same tool and course. */
function missed(
  exchanges: RuleInput['exchanges'],
  state: EmulatorState,
  { tool, course }: Token,
): number[] {
  const met = `outcome = 'row.unprovisioned' AND processed AND credential = 'launch_token'`;
  const calls = [...exchangesWhere(exchanges, ['number', 'launch'], met)];
  if (calls.length === 0) return [];
  const inCourse = state.tokens.all('tool = ? AND course = ?', [tool, course]);
  const launches = new Set<string | null>(inCourse.map(({ launch_id: launch }) => launch));
  return calls.filter(({ launch }) => launches.has(launch)).map(({ number }) => number);
}

/** Whether the tool's server has answered the request with success. */
function wasTaken({ provisionCalls }: EmulatorState, { tool, location, ...token }: Token): boolean {
  const call = provisionCalls.get(tool, location);
  const { status = null } = call?.launch_id === token.launch_id ? call : {};
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
  return rows.some((row) => (state.rows.provisioned(row) ?? -Infinity) >= issued);
}
