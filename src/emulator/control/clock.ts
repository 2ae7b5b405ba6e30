import { parseInstant } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import { endOf, endOverdueTokens } from '../state/tokens.ts';
import { numberIn, text, wrongBody, type Body } from '../http/fields.ts';
import { expiryOf, shownToken } from './list-people.ts';

/** The year 9999 is as far as an ISO 8601 timestamp goes without a sign. */
const CLOCK_END = Date.UTC(10_000, 0);

export function shownClock({ clock }: EmulatorState) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offset_ms: clock.offset };
}

/** How many tokens are named of those that will end. */
const NAMED = 50;

/** Which tokens would have ended so many seconds from now if no call came; the first of them. */
export function clockEnds(state: EmulatorState, given: URLSearchParams) {
  const now = state.clock.now();
  const live = [...state.tokens.values()].filter((token) => endOf(token, now) === '');
  const moves = (given.get('seconds') ?? '').split(',').filter(Boolean).map(Number);
  if (moves.some((seconds) => !(seconds >= 0))) throw wrongBody('seconds must be numbers');
  const soonest = live.toSorted((a, b) => expiryOf(a) - expiryOf(b)).slice(0, NAMED);
  return {
    live: live.length,
    ends: moves.map((seconds) => {
      const ended = live.filter((token) => expiryOf(token) <= now + seconds * 1000).length;
      return { seconds, ended };
    }),
    tokens: soonest.map((token) => shownToken(state, token, now)),
  };
}

/**
 * Moves the clock by seconds, to an instant, or back to the machine's. What is overdue before or
 * after has ended.
 */
export function moveClock(state: EmulatorState, body: Body) {
  const { clock } = state;
  const target =
    body.machine === true
      ? clock.now() - clock.offset
      : body.set === undefined
        ? clock.now() + numberIn(body, 'advance_seconds') * 1000
        : parseInstant(text(body, 'set'));
  if (!(target >= 0 && target < CLOCK_END)) throw wrongBody('the clock cannot be set to that');
  endOverdueTokens(state);
  if (body.machine === true) clock.advance(-clock.offset);
  else clock.set(Math.round(target));
  endOverdueTokens(state);
  return shownClock(state);
}
