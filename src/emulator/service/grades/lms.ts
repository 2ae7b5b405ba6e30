import { type GradeBody, pointsOf } from '../../../contract/index.ts';
import { HttpError } from '../../http/messages.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { LmsBehaviour, LmsRefusal } from '../../state/records.ts';
import type { GradebookColumn, Location, Member } from '../../state/world.ts';

export const DEFAULT_LMS: LmsBehaviour = {
  refuse: null,
  scope: 'lineitem',
  slow_ms: 0,
  column: 'present',
};

/** The key of the behaviour for all locations without their own. */
export const EVERYWHERE = '*';

/** The request to the LMS. It contains the student's LMS identifier and is never shown to a tool. */
export interface ScorePayload {
  readonly userId: string;
  readonly scoreGiven: number;
  readonly scoreMaximum: number;
  readonly comment: string;
  readonly activityProgress: string;
  readonly gradingProgress: string;
  readonly timestamp: string;
}

/** A score to be sent to the LMS: the body of its request with its defaults, and when it came. */
export interface Score extends Required<Omit<GradeBody, 'max_score'>> {
  readonly max_score: number | null;
  /** ISO 8601. */
  readonly submitted: string;
  /** The LMS refuses this score, whatever its settings. */
  readonly isRefused: boolean;
}

/** The result of publishing: `error` is '' on success, `response` null if the LMS was not reached. */
export interface Published {
  readonly error: string;
  /** The kind of error; undefined on success. */
  readonly failure?: 'refused' | 'no_line_item' | 'scope';
  /** The score that the LMS accepted, if it did; its gradebook has the latest of each student. */
  readonly payload: ScorePayload | null;
  readonly response: { readonly status: number; readonly body: unknown } | null;
}

export function lmsAt(state: EmulatorState, location: string): LmsBehaviour {
  const own = { ...DEFAULT_LMS, ...state.lms.get(EVERYWHERE), ...state.lms.get(location) };
  const { refuse, scope, slow_ms, column } = own;
  return { refuse, scope, slow_ms, column };
}

/** The gradebook column of a location; null if there is none. */
export function columnAt(state: EmulatorState, id: string): GradebookColumn | null {
  if (lmsAt(state, id).column === 'missing') return null;
  return state.world.locations.get(id)?.column ?? null;
}

/**
 * Publishes a score ("Grade submission", rules 2 to 4, and `max_score`: "before publishing the
 * score, the gradebook column's points possible are set to this value").
 */
export async function publishScore(
  state: EmulatorState,
  location: Location,
  member: Member,
  score: Score,
): Promise<Published> {
  if (columnAt(state, location.id) === null) return noLineItem();
  const { scope, slow_ms: slowMs } = lmsAt(state, location.id);
  if (score.max_score !== null && scope === 'score') {
    return notReached(
      'scope',
      'max_score needs the line item scope, which the LMS developer key does not grant',
    );
  }
  if (slowMs > 0 && !(await state.delays.wait(slowMs))) {
    // The state that the score belongs to was replaced.
    throw new HttpError(503, 'emulator.reset', 'the emulator was reset or stopped');
  }
  if (score.max_score !== null) setPoints(state, location.id, score.max_score);
  return deliverScore(state, location.id, member, score);
}

function noLineItem(): Published {
  return notReached('no_line_item', 'location has no line item');
}

function notReached(failure: 'no_line_item' | 'scope', error: string): Published {
  return { error, failure, response: null, payload: null };
}

export function setPoints(state: EmulatorState, id: string, points: number): void {
  const location = state.world.locations.get(id);
  if (!location?.column || location.column.points === points) return;
  state.world.locations.put({ ...location, column: { ...location.column, points } });
}

function deliverScore(state: EmulatorState, id: string, member: Member, score: Score): Published {
  // Read again: the column may have changed during a slow response of the LMS.
  const column = columnAt(state, id);
  if (column === null) return noLineItem();
  const refuse = score.isRefused ? CLOSED : refusalOf(state, id, member);
  if (refuse !== null) {
    const body = jsonOrText(refuse.body.replaceAll(member.lms_user, '(withheld)'));
    return {
      error: `the LMS refused the score with status ${refuse.status}`,
      failure: 'refused',
      response: { status: refuse.status, body },
      payload: null,
    };
  }
  const resultUrl = `${column.lineitem}/results/${member.id}`;
  const payload = payloadOf(member, score, column.points);
  return { error: '', response: state.chosen.lms_answer(resultUrl), payload };
}

/** A typical refusal of an LMS. */
const CLOSED: LmsRefusal = { status: 422, body: '{"errors":["the grading period is closed"]}' };

/** The refusal of this score, if the LMS refuses it; counts it for `percent` and `times`. */
function refusalOf(state: EmulatorState, location: string, member: Member): LmsRefusal | null {
  const key = state.lms.get(location)?.refuse === undefined ? EVERYWHERE : location;
  const refuse = state.lms.get(key)?.refuse;
  if (!refuse || refuse.members?.includes(member.id) === false) return null;
  const { percent = 100, asked = 0, times } = refuse;
  const isRefused = Math.floor(((asked + 1) * percent) / 100) > Math.floor((asked * percent) / 100);
  const left = times === undefined || !isRefused ? times : times - 1;
  if (refuse.percent !== undefined || left !== times) {
    const next = left === 0 ? null : { ...refuse, asked: asked + 1, ...(left && { times: left }) };
    state.lms.put({ ...state.lms.get(key), location: key, refuse: next });
  }
  return isRefused ? refuse : null;
}

function payloadOf(member: Member, score: Score, points: number): ScorePayload {
  return {
    userId: member.lms_user,
    scoreGiven: pointsOf({ score: score.score, max_score: points }),
    scoreMaximum: points,
    comment: score.comment,
    activityProgress: score.activity_progress,
    gradingProgress: score.grading_progress,
    timestamp: score.submitted,
  };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
