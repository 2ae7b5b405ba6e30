import { randomBytes } from 'node:crypto';
import type { EmulatorState } from '../../state/state.ts';
import type { Ticket, Token } from '../../state/records.ts';
import { versionIn } from '../../state/versions.ts';

/** 128 bits: a ticket gives access to its launch. */
const TICKET_BYTES = 16;

/**
 * The ticket of a launch for the version that its course runs now. It stays the same, so that a
 * frame keeps showing one version.
 */
export function ticketFor(state: EmulatorState, { launchId, tool, course }: Token): Ticket {
  const { hosted, world } = state;
  const [runs, within] = [world.tools.get(tool), world.courses.get(course)];
  const version = (runs && within && versionIn(runs, within)?.number) ?? 0;
  for (const known of hosted.tickets.values()) {
    if (known.launchId === launchId && known.version === version) return known;
  }
  const ticket = randomBytes(TICKET_BYTES).toString('base64url');
  const made = { ticket, launchId, tool, version };
  hosted.tickets.set(ticket, made);
  return made;
}

/** The token of a launch, by the launch's ID. */
export function tokenOfLaunch({ tokens }: EmulatorState, launchId: string): Token | undefined {
  for (const token of tokens.values()) if (token.launchId === launchId) return token;
  return undefined;
}
