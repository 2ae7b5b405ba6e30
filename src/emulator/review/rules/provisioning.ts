import type { Token } from '../../state/records.ts';
import { rowKey } from '../../state/row-table.ts';
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
      const levels = levelsOf(state, token);
      const open = (['context', 'location'] as const).filter((level) => levels[level] === null);
      if (open.length === 0) continue;
      const { tool, course, location, launch_id: launch, issued } = token;
      const own = numbersOf(exchanges, launch);
      if (own.length === 0 && !wasTaken(state, token)) continue;
      // A tool may need no more than one of them.
      const isBegun = Object.values(levels).some((at) => at !== null && at >= issued);
      const met = missed(exchanges, state, token, open);
      const requests = [...(isBegun ? [] : own), ...met].sort((a, b) => a - b);
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

/** The calls of launches that met an unprovisioned row of one of these levels of the request. */
function missed(
  exchanges: RuleInput['exchanges'],
  state: EmulatorState,
  { tool, course, location }: Token,
  open: readonly Level[],
): number[] {
  const met = `outcome = 'row.unprovisioned' AND processed AND credential = 'launch_token'`;
  const calls = [...exchangesWhere(exchanges, ['number', 'launch', 'about'], met)];
  if (calls.length === 0) return [];
  const inCourse = state.tokens.all('tool = ? AND course = ?', [tool, course]);
  const locations = new Map<string | null, string>(
    inCourse.map((each) => [each.launch_id, each.location]),
  );
  const isMissed = (launch: string | null, level: Level): boolean =>
    level === 'context' ? locations.has(launch) : locations.get(launch) === location;
  return calls
    .filter(({ launch, about }) =>
      open.some((level) => about?.startsWith(level) && isMissed(launch, level)),
    )
    .map(({ number }) => number);
}

/** Whether the tool's server has answered the request with success. */
function wasTaken({ provisionCalls }: EmulatorState, { tool, location, ...token }: Token): boolean {
  const call = provisionCalls.get(tool, location);
  const { status = null } = call?.launch_id === token.launch_id ? call : {};
  return status !== null && status >= 200 && status < 300;
}

type Level = 'context' | 'location';

/** When each level became ready, in ms since the epoch; null if it is not. */
function levelsOf(state: EmulatorState, { tool, course, location }: Token) {
  return {
    context: state.rows.provisioned(
      rowKey({ kind: 'context', tool, course, location: '', member: '' }),
    ),
    location: state.rows.provisioned(
      rowKey({ kind: 'location', tool, course, location, member: '' }),
    ),
  };
}
