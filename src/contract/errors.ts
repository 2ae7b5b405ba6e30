import { CODES, type Code } from './violations.ts';

/** The part of the interface that responded ("Errors" has a table for each). */
export type Area = 'storage' | 'files' | 'grade' | 'provision';

export interface ErrorRow {
  readonly area: Area;
  readonly status: number;
  readonly cause: string;
  /** Not in the contract: lectern's interpretation. */
  readonly reading?: true;
}

const TOKEN_401 =
  'missing or ended bearer token: idle for 12 hours, or the tool, its code or the membership changed';
/** The contract lists no 404 of a grade submission. */
const GRADE_404 = 'no such course, location or member';

const CAUSES: Readonly<Record<Area, Readonly<Record<number, string>>>> = {
  storage: {
    401: TOKEN_401,
    403: "the token's user is not allowed on the row: a student writing a shared row, another member's row, or no member of the course",
    404: 'the row URL does not exist, or the row does not belong to the tool',
    422: 'malformed body, invalid patch operation, unprovisioned context or location row, or an object over its size limit',
  },
  files: {
    401: TOKEN_401,
    403: "the token's user is not allowed on the row that the files belong to",
    404: 'no file has the key, the row URL does not exist, or the row does not belong to the tool',
    422: 'malformed declaration, unprovisioned row, or the quota of 100 files or the total size of the row exceeded',
  },
  grade: {
    401: 'no credential, an unknown or rotated API key, a suspended or archived tool, an ended launch token, or an API key on an /account/v1/users/ address',
    403: "the API key belongs to another tool or the tool is not placed in the course, or a student's token was aimed at someone else",
    404: GRADE_404,
    422: 'a field of the submission is outside its rule, or the location is not an assessment',
  },
  provision: { 401: TOKEN_401 },
};

/** "Errors": the meaning of each status in each area. */
export const ERRORS: readonly ErrorRow[] = Object.entries(CAUSES).flatMap(([area, causes]) =>
  Object.entries(causes).map(([status, cause]): ErrorRow => {
    const [at, code] = [area as Area, Number(status)];
    if (cause === GRADE_404) return { area: at, status: code, cause, reading: true };
    return { area: at, status: code, cause };
  }),
);

/** The cause of a refusal in the contract's words; undefined if it does not list the status. */
export function causeOf(area: Area, status: number): string | undefined {
  return CAUSES[area][status];
}

/** What a caller knows about the credential that it sent. */
export interface SentCredential {
  readonly kind: 'launch_token' | 'api_key';
  /** It was accepted before. */
  readonly wasAccepted?: boolean | undefined;
  /** It was accepted less than 12 hours ago, by the clocks of caller and service. */
  readonly isRecent?: boolean | undefined;
  /** It is the token of a provision request, whose lifetime is fixed. */
  readonly isProvisionRequest?: boolean | undefined;
}

/** The causes of a 401 that remain for a credential ("States: launch token", "Errors: 401"). */
export function causeOf401(sent: SentCredential): string {
  if (sent.kind === 'api_key') return 'unknown or rotated API key, or a suspended or archived tool';
  const idle = sent.isRecent ? [] : ['idle for 12 hours'];
  const over = sent.isProvisionRequest ? ['older than 3 hours'] : idle;
  const causes = [...over, 'the tool, its code or the membership changed'];
  const ended = causes.join(', or ');
  return sent.wasAccepted ? ended : `an unknown token, or one that ended: ${ended}`;
}

const UNPROVISIONED = /\b(not (yet |been )?provisioned|unprovisioned)\b/i;

/**
 * Messages in which the service may use other values; matched without the word "app" ("Other
 * rules", 3).
 */
const PATTERNS: readonly [Area | undefined, number, RegExp, Code][] = [
  ['grade', 422, /^score must be between 0 and 1/i, 'grade.score_range'],
  ['grade', 422, /^max_score must be greater than 0/i, 'grade.max_score_range'],
  ['grade', 422, /^activity_progress must be one of/i, 'grade.activity_progress'],
  ['grade', 422, /^grading_progress must be one of/i, 'grade.grading_progress'],
  ['grade', 422, /only allowed for assessment locations/i, 'grade.not_assessment'],
  ['grade', 401, /^missing bearer/i, 'auth.missing_grade'],
  ['grade', 401, /^invalid api key/i, 'auth.key_unknown'],
  ['grade', 403, /api key is for /i, 'auth.other_tool'],
  ['grade', 403, /has no placement of location/i, 'auth.not_placed'],
  // "No message"; the emulator's envelope has the code alone.
  ['grade', 403, /^(auth\.not_this_member)?$/, 'auth.not_this_member'],
  [undefined, 401, /is (suspended|archived)/i, 'auth.suspended'],
  [undefined, 401, /^missing bearer/i, 'auth.missing'],
  ['storage', 422, UNPROVISIONED, 'row.unprovisioned'],
  ['files', 422, UNPROVISIONED, 'row.unprovisioned'],
  ['storage', 422, /over (the|its) .{0,99}limit/i, 'row.too_large'],
];

/**
 * The code of an error response; undefined if its message is unknown: then it is shown unchanged. Of the
 * causes of a 422, a read can only have that of an unprovisioned row. A 403 without a message is about
 * the user of a token, and never about an API key.
 */
export function recognise(
  area: Area,
  status: number,
  message: string,
  { isRead = false, isOfKey = false } = {},
): Code | undefined {
  if (isRead && status === 422 && area !== 'grade') return 'row.unprovisioned';
  const match = PATTERNS.find(
    ([where, code, pattern]) =>
      (where === undefined || where === area) && code === status && pattern.test(message),
  );
  return isOfKey && match?.[3] === 'auth.not_this_member' ? undefined : match?.[3];
}

/** The code of the first message of the service, of an area if one is given, that a text contains. */
export function codeInText(text: string, area?: Area): Code | undefined {
  const anywhere = PATTERNS.filter(
    ([where = area, , pattern]) =>
      (area === undefined || where === area) && !pattern.source.endsWith('$'),
  );
  return anywhere.find(([, , { source }]) =>
    new RegExp(source.replace(/^\^/, ''), 'i').test(text),
  )?.[3];
}

/** The hint for an error response: for its code, or else for its status. */
export function hintFor(area: Area, status: number, code: Code | undefined): string | undefined {
  if (code !== undefined) return CODES[code].hint({});
  if (status === 401) return 'get a token from a new launch';
  if (status === 403 && area !== 'grade') return CODES['row.forbidden'].hint({});
  if (status === 429) return 'rate limited; nothing took effect, try again later';
  return undefined;
}
