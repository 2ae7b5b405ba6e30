import { parseInstant } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import { wrongBody } from '../http/refusals.ts';
import { askAgain } from '../service/external/provision-calls.ts';
import type { EmulatorState } from '../state/state.ts';
import { expiryOf } from '../state/tokens.ts';
import { needs, operation } from './operation.ts';

export const CLOCK = {
  now: s.described(s.anyNumber, 'milliseconds since the epoch'),
  iso: s.instant,
  offset_ms: s.integer,
};

/** A number, also as text: scripts fill in the bodies of the fixture's hooks. */
const SECONDS = s.typed<number | string>({
  type: ['number', 'string'],
  minimum: -1e9,
  maximum: 1e11,
  pattern: String.raw`^\s*(?:\+?\d{1,11}|-\d{1,9})(?:\.\d+)?\s*$`,
  title: 'a number from -1e9 to 1e11',
});

/** Years that are within the range of the clock in every time zone. A leap second is no instant. */
const YEARS = String.raw`^(?!.*:60)(?:197[1-9]|19[89]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-\d\d-\d\d(?:[Tt]|$)`;

const INSTANT = s.typed<string>({
  type: 'string',
  pattern: YEARS,
  anyOf: [{ format: 'date-time' }, { format: 'date' }],
  title: 'an ISO 8601 date, or date and time with its zone, from 1971 to 9998',
});

const MOVE = s.object({ 'advance_seconds?': SECONDS, 'set?': INSTANT, 'machine?': s.oneOf(true) });

export const CLOCK_OPERATIONS = {
  'GET clock': operation({
    summary: 'show the clock',
    answers: s.object(CLOCK),
    run: ({ state }) => shownClock(state),
  }),
  'POST clock': operation({
    summary: "move the clock by seconds, to an instant, or back to the machine's",
    takes: MOVE,
    rules: [
      {
        schema: needs('advance_seconds', 'set', 'machine'),
        message: 'advance_seconds must be a number',
      },
    ],
    answers: s.object(CLOCK),
    run: async ({ state }, move) => {
      const shown = moveClock(state, move);
      await askAgain(state);
      return shown;
    },
  }),
  'GET clock/ends': operation({
    summary: 'how many tokens will have ended after these seconds, comma-separated, without a call',
    takes: s.object({ 'seconds?': s.text }),
    answers: s.object({ ends: s.list(s.object({ seconds: s.anyNumber, ended: s.count })) }),
    run: ({ state }, given) => ({ ends: clockEnds(state, given.seconds) }),
  }),
};

/** ISO 8601 timestamps without a sign end with the year 9999. */
const CLOCK_END = Date.UTC(10_000, 0);

/** The clock, as it is shown. */
export function shownClock({ clock }: EmulatorState) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offset_ms: clock.offset };
}

function clockEnds(state: EmulatorState, asked = '') {
  const now = state.clock.now();
  const moves = asked.split(',').filter(Boolean).map(Number);
  if (moves.some((seconds) => !(seconds >= 0))) throw wrongBody('seconds must be numbers');
  const expiries = state.tokens.live().map(expiryOf);
  return moves.map((seconds) => {
    const ended = expiries.filter((expiry) => expiry <= now + seconds * 1000).length;
    return { seconds, ended };
  });
}

/** Moves the clock. Tokens that are overdue before or after have ended. */
function moveClock(
  state: EmulatorState,
  { machine, set, advance_seconds: advance }: s.Static<typeof MOVE>,
) {
  const { clock } = state;
  const target = machine
    ? clock.now() - clock.offset
    : set === undefined
      ? clock.now() + Number(advance) * 1000
      : parseInstant(set);
  if (!(target >= 0 && target < CLOCK_END)) throw wrongBody('the clock cannot be set to that');
  state.tokens.endOverdue();
  if (machine) clock.advance(-clock.offset);
  else clock.set(Math.round(target));
  state.tokens.endOverdue();
  return shownClock(state);
}
