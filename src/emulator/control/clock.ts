import type { EmulatorState } from '../state.ts';
import { endOverdueTokens } from '../service/tokens.ts';
import { numberIn, text, wrongBody, type Body } from './body.ts';

/** The year 9999 is as far as an ISO 8601 timestamp goes without a sign. */
const CLOCK_END = Date.UTC(10_000, 0);

export function showClock({ clock }: EmulatorState) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offset_ms: clock.offset };
}

/** Moves the clock by seconds, or to an instant. What is overdue before or after has ended. */
export function moveClock(state: EmulatorState, body: Body) {
  const { clock } = state;
  const target =
    body.set === undefined
      ? clock.now() + numberIn(body, 'advance_seconds') * 1000
      : Date.parse(text(body, 'set'));
  if (!(target >= 0 && target < CLOCK_END)) throw wrongBody('the clock cannot be set to that');
  endOverdueTokens(state);
  clock.set(Math.round(target));
  endOverdueTokens(state);
  return showClock(state);
}
