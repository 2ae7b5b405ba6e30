import { createHash } from 'node:crypto';
import type { PlainRequest } from '../../http/messages.ts';
import type { Rule } from '../rule.ts';

interface Submitted {
  readonly number: number;
  /** By the emulator's clock, in ms since the epoch. */
  readonly at: number;
  /** When that clock had last been moved. */
  readonly moved: number;
  /** The body, or where it is long its hash. */
  readonly grade: string;
  readonly isLost: boolean;
  readonly hasFailed: boolean;
}

const MINUTE_MS = 60_000;

/**
 * The same grade once more: "a repeat call is a new attempt and a new LMS call". After an answer was
 * lost nobody knows whether there is one already. A failed attempt that was answered may be repeated,
 * and one that the LMS took is, within a minute, hardly meant to be. Only what was recorded counts, and
 * no minute in which somebody moved the clock.
 */
export const gradeRepeated: Rule<Submitted> = {
  code: 'request.grade_repeated',
  also: ['request.grade_repeated_after_lost_answer'],
  at: ['grade'],
  // The latest attempt of so many students.
  keeps: 50_000,
  mayCite: ({ isLost, number }) => (isLost ? [number] : []),
  see: ({ number, now, request, isLost, facts }, { state, memory, tell }) => {
    const { attempt } = facts;
    if (attempt === undefined) return;
    const { member, location, status } = attempt;
    const id = `${location}/${member}`;
    const before = memory.get(id);
    const grade = gradeText(request.body);
    const { moved } = state.clock;
    if (before?.grade === grade) {
      const requests = [before.number, number];
      if (before.isLost) {
        tell(id, requests, { member, location }, 'request.grade_repeated_after_lost_answer');
      } else if (!before.hasFailed && before.moved === moved && now - before.at < MINUTE_MS) {
        tell(id, requests, { member, location });
      }
    }
    memory.set(id, { number, at: now, moved, grade, isLost, hasFailed: status === 'failed' });
  },
};

const LONG_BYTES = 200;

function gradeText(body: PlainRequest['body']): string {
  if (!(body instanceof Uint8Array)) return '';
  if (body.length > LONG_BYTES) return createHash('sha256').update(body).digest('base64');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
}
