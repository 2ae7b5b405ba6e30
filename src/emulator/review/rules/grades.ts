import { truncate } from '../../../contract/index.ts';
import { exchangesWhere, type Rule } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Each attempt whose body is that of the same student's attempt before it. */
const REPEATED = `
  SELECT * FROM (
    SELECT number, member, location, digest, at, moved, coalesce(caller, credential) AS sender,
      lag(number) OVER student AS before, lag(digest) OVER student AS digest_before,
      lag(at) OVER student AS at_before, lag(moved) OVER student AS moved_before,
      lag(lost) OVER student AS was_lost,
      lag(coalesce(caller, credential)) OVER student AS sender_before, lag(outcome) OVER student AS outcome_before
    FROM exchanges WHERE judged AND location IS NOT NULL AND outcome LIKE 'attempt.%'
    WINDOW student AS (PARTITION BY location, member ORDER BY number)
  ) WHERE digest = digest_before ORDER BY number`;

type Repeated = Pick<StoredExchange, 'number' | 'member' | 'location' | 'at' | 'moved'> & {
  readonly before: number;
  readonly at_before: number;
  readonly moved_before: number;
  readonly was_lost: 0 | 1;
  readonly sender: string;
  readonly sender_before: string;
  readonly outcome_before: string;
};

/**
 * The same grade once more: "a repeat call is a new attempt and a new LMS call". After a lost
 * answer it is not known whether the first one was recorded: a tool that sends it again does so
 * soon, but the same person, or another one, may decide later to give the same grade. A failed
 * attempt with an answer may be repeated; repeating a successful one within a minute, in which the
 * clock was not moved, is hardly intended. Only recorded attempts count.
 */
export const gradeRepeated: Rule = {
  code: 'request.grade_repeated',
  *find({ exchanges }) {
    for (const each of exchanges.rows<Repeated>(REPEATED)) {
      const { number, before, at, moved } = each;
      const [member, location] = [each.member ?? '', each.location ?? ''];
      const requests = [before, number];
      const found = { subject: `${location}/${member}`, requests, params: { member, location } };
      const passed = at - each.at_before;
      const isSoon = moved === each.moved_before && passed < MINUTE_MS;
      const isRetry = passed < (each.sender === each.sender_before ? HOUR_MS : MINUTE_MS);
      if (each.was_lost === 1 && isRetry)
        yield { ...found, code: 'request.grade_repeated_after_lost_answer' };
      else if (each.outcome_before === 'attempt.success' && isSoon) yield found;
    }
  },
};

/** Members of a grade's body that the contract does not name, or no longer: "body loses launch_id". */
export const gradeFields: Rule = {
  code: 'request.unknown_field',
  *find({ exchanges }) {
    const condition = 'unnamed IS NOT NULL';
    for (const { number, unnamed } of exchangesWhere(exchanges, ['number', 'unnamed'], condition)) {
      const requests = [number];
      for (const field of JSON.parse(unnamed ?? '[]') as string[]) {
        if (field === 'launch_id') {
          yield { subject: '', requests, params: {}, code: 'request.launch_id' };
        } else yield { subject: field, requests, params: { field: truncate(field) } };
      }
    }
  },
};
