import { createHash } from 'node:crypto';
import { GRADE_FIELDS, isObject, truncate } from '../../../contract/index.ts';
import type { PlainRequest } from '../../http/messages.ts';
import type { Rule } from '../rule.ts';
import { asBuffer, parsed } from '../seen-request.ts';

interface Submitted {
  readonly number: number;
  readonly at: number;
  /** When the emulator's clock was last moved. */
  readonly moved: number;
  /** The body, or its hash if it is long. */
  readonly grade: string;
  readonly isLost: boolean;
  readonly hasFailed: boolean;
}

const MINUTE_MS = 60_000;

/**
 * The same grade once more: "a repeat call is a new attempt and a new LMS call". After a lost
 * answer it is not known whether the first one was recorded. A failed attempt with an answer may be
 * repeated; repeating a successful one within a minute is hardly intended. Only recorded attempts
 * count, and only within a minute in which the clock was not moved.
 */
export const gradeRepeated: Rule<Submitted> = {
  code: 'request.grade_repeated',
  at: ['grade'],
  // The latest attempt of each student, for this many students.
  keeps: 50_000,
  mayCite: ({ isLost, number }) => (isLost ? [number] : []),
  see: ({ number, now, request, isLost, facts }, { state, memory, report }) => {
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
        report(id, requests, { member, location }, 'request.grade_repeated_after_lost_answer');
      } else if (!before.hasFailed && before.moved === moved && now - before.at < MINUTE_MS) {
        report(id, requests, { member, location });
      }
    }
    memory.set(id, { number, at: now, moved, grade, isLost, hasFailed: status === 'failed' });
  },
};

const LONG_BYTES = 200;

function gradeText(body: PlainRequest['body']): string {
  if (!(body instanceof Uint8Array)) return '';
  if (body.length > LONG_BYTES) return createHash('sha256').update(body).digest('base64');
  return asBuffer(body).toString('latin1');
}

/** Members of a grade's body that the contract does not name, or no longer: "body loses launch_id". */
export const gradeFields: Rule = {
  code: 'request.unknown_field',
  at: ['grade'],
  see: ({ number, request: { method, body } }, { state, report }) => {
    const grade = method === 'POST' && body instanceof Uint8Array ? parsed(body) : undefined;
    if (!isObject(grade)) return;
    for (const field of Object.keys(grade)) {
      if (GRADE_FIELDS.includes(field)) continue;
      if (field === 'launch_id') report('', [number], {}, 'request.launch_id');
      else report(field, [number], { field: truncate(state.redact(field)) });
    }
  },
};
