import type { Ticket, Token } from './records.ts';
import type { EmulatorState } from './state.ts';
import { TOKEN_PREFIXES } from './tokens.ts';
import { versionIn } from './versions.ts';

export function issueToken(
  state: EmulatorState,
  launch: Pick<Token, 'kind' | 'tool' | 'course' | 'location' | 'member' | 'user' | 'account'>,
): Token {
  const issued = state.clock.now();
  const token: Token = {
    ...launch,
    token: state.newToken(TOKEN_PREFIXES[launch.kind]),
    launch_id: state.newId(),
    issued,
    last_call: state.tokens.callTime(),
    ended: '',
  };
  state.tokens.add(token);
  return token;
}

/**
 * The ticket of a launch for the version that its course runs now. It stays the same, so that a
 * frame keeps showing one version.
 */
export function ticketFor(state: EmulatorState, { launch_id, tool, course }: Token): Ticket {
  const { hosted, world } = state;
  const [runs, within] = [world.tools.get(tool), world.courses.get(course)];
  const version = (runs && within && versionIn(runs, within)?.number) ?? 0;
  const known = hosted.tickets.first('launch_id = ? AND version = ?', [launch_id, version]);
  if (known !== undefined) return known;
  const made = { ticket: state.secret(), launch_id, tool, version };
  hosted.tickets.put(made);
  return made;
}
