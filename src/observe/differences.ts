import {
  checkDeclaration,
  checkGradeBody,
  checkKey,
  checkPatchBody,
  checkQuota,
  checkRowBody,
  checkRowSize,
  type Code,
  codeInText,
  explainViolation,
  type FileItem,
  type GradeAttempt,
  type GradeBody,
  isCertain,
  isObject,
  type Params,
  PATCH_LEVELS,
  readJson,
  readNativeObject,
  readObject,
  type Violation,
  violation,
  withGradeDefaults,
} from '../contract/index.ts';
import { compactSize } from '../json/index.ts';
import { checkShape, matches } from '../schema/check.ts';
import type { Schema } from '../schema/schema.ts';
import { FILE_LISTING, FILE_RECORD, SIGNED_FORM } from '../emulator/service/answers.ts';
import { GRADE_ATTEMPT } from '../emulator/state/attempts.ts';
import type { Target } from '../emulator/service/addresses.ts';
import { aboutOf } from '../emulator/review/exchange.ts';
import { type PassedAnswer, isSuccess } from './facts.ts';
import { jsonOf } from './body.ts';

/** What the contract says of the outcomes of an operation. */
interface Outcomes {
  /** The statuses of success; 2xx where the contract names none. */
  readonly success: readonly number[] | '2xx';
  readonly refusals: readonly number[];
  /** The body of a success, by the OpenAPI document of the service; none for 204. */
  readonly answers?: Schema;
  /** What certainly has to be refused. */
  readonly refuse?: (answer: PassedAnswer) => readonly Violation[];
  /** What a body shows that is beyond a limit. */
  readonly beyond?: (answer: PassedAnswer) => readonly Violation[];
}

const STORAGE = [401, 403, 404, 422];

/** "Endpoints" and "Errors", by method and kind of address. */
const OUTCOMES: Readonly<Record<string, Outcomes>> = {
  'GET row': { success: [200], refusals: STORAGE, beyond: rowRead },
  'PUT row': { success: [204], refusals: STORAGE, refuse: rowPut },
  'PATCH row': { success: [204], refusals: STORAGE, refuse: rowPatch },
  'GET files': { success: [200], refusals: STORAGE, answers: FILE_LISTING, beyond: listing },
  'GET file': { success: [200], refusals: STORAGE, answers: FILE_RECORD },
  'PUT file': { success: '2xx', refusals: STORAGE, answers: SIGNED_FORM, refuse: declaration },
  'DELETE file': { success: [204], refusals: STORAGE },
  'POST grade': {
    success: [200],
    refusals: [401, 403, 404, 422],
    answers: GRADE_ATTEMPT,
    refuse: grade,
  },
  'PUT provision': { success: '2xx', refusals: STORAGE },
};

/** "Status codes beyond those listed: not shown": such as 405, 429, and trouble of the service. */
const isNotShown = (status: number): boolean => status > 404 && status !== 422;

type Found = (code: Code, params: Params) => void;

/** Compares an answer of a service with what the contract allows. */
export function findDifferences(answer: PassedAnswer, found: Found): void {
  const { method, target, status } = answer;
  const outcomes = target && OUTCOMES[`${method} ${target.kind}`];
  if (outcomes === undefined || isNotShown(status)) return;
  const what = `${method} ${aboutOf(target)}`;
  const { success, refusals, answers, refuse, beyond } = outcomes;
  const isKnown = success === '2xx' ? isSuccess(answer) : success.includes(status);
  if (!isKnown && !refusals.includes(status)) {
    const allowed = [success, refusals].flat().join(', ');
    found('service.status', { what, status, allowed });
  }
  const wrong = [...unauthorized(answer), ...(refuse?.(answer) ?? [])].filter(isCertain);
  if (isSuccess(answer)) {
    for (const fault of shapeFaults(answer, answers)) found('service.shape', { what, fault });
    for (const each of [...wrong, ...(beyond?.(answer) ?? [])]) reportAccepted(each, what, found);
  } else if (status === 422 && target?.kind === 'grade') checkMessage(answer, wrong, what, found);
}

/** "Authentication": no bearer token, or the API key of a tool for anything but a grade. */
function unauthorized({ caller, target }: PassedAnswer): readonly Violation[] {
  if (caller.credential === null) return [violation('auth.missing', '')];
  const isKey = caller.credential === 'api_key' && target?.kind !== 'grade';
  return isKey ? [violation('auth.key_not_accepted', '')] : [];
}

const LIMITS = /too_large|too_many|quota/;

function reportAccepted(broken: Violation, what: string, found: Found): void {
  const fault = explainViolation(broken).message;
  found(LIMITS.test(broken.code) ? 'service.limit' : 'service.not_refused', { what, fault });
}

/** "Errors, Grade submission": the refusals whose message the contract gives. */
const MESSAGES: ReadonlySet<Code> = new Set<Code>([
  'grade.score_range',
  'grade.max_score_range',
  'grade.activity_progress',
  'grade.grading_progress',
]);

/** One of the messages has to be somewhere in the error envelope, whose fields are not shown. */
function checkMessage(
  { body, isTyped }: PassedAnswer,
  wrong: readonly Violation[],
  what: string,
  found: Found,
): void {
  const [first] = wrong;
  if (first === undefined || !isTyped || !wrong.every(({ code }) => MESSAGES.has(code))) return;
  const text = body === undefined ? '' : Buffer.from(body).toString();
  // Another cause may come first.
  if (codeInText(text, 'grade') !== undefined) return;
  const expected = explainViolation(first).message.replace(/ \[.*/s, '');
  found('service.message', { what, expected });
}

const MOST_FAULTS = 3;

function shapeFaults(
  { method, target, body, sent, status }: PassedAnswer,
  schema?: Schema,
): string[] {
  if (body === undefined) return [];
  if (target?.kind === 'row' && method === 'GET') {
    const read = readObject(body);
    return 'violation' in read ? [explainViolation(read.violation).message] : [];
  }
  if (schema === undefined || status === 204) return [];
  const value = jsonOf(body);
  if (value === undefined) return ['it is not JSON'];
  const faults = checkShape(schema, value)
    .filter(({ path }) => path !== '/submitted' || !isInstant(value))
    .slice(0, MOST_FAULTS);
  if (faults.length > 0) return faults.map(({ path, message }) => `${path} ${message}`.trim());
  const submitted = jsonOf(sent);
  if (target?.kind !== 'grade' || !isObject(submitted)) return [];
  return changedFields(value as GradeAttempt, submitted as unknown as GradeBody);
}

/** Any form of ISO 8601: `20261013T100000Z` too. */
function isInstant(attempt: unknown): boolean {
  const { submitted } = attempt as { submitted?: unknown };
  return typeof submitted === 'string' && /^\d{4}-?\d\d-?\d\dT\d\d/.test(submitted);
}

/** "Grade attempt": what was sent, with its defaults, and a reason for a failed attempt alone. */
function changedFields(attempt: GradeAttempt, submitted: GradeBody): string[] {
  const { comment, ...fields } = withGradeDefaults(submitted);
  const changed = Object.entries(fields)
    .filter(([name, each]) => attempt[name as keyof typeof fields] !== each)
    .map(([name]) => `/${name} is not what was sent`);
  if (attempt.data.comment !== comment) changed.push('/data/comment is not what was sent');
  const isReason = attempt.data.error !== '';
  if (isReason !== (attempt.status === 'failed'))
    changed.push(`/data/error is not the reason of a failed attempt`);
  return changed;
}

function rowKindOf(target: Target | undefined) {
  return target !== undefined && 'row' in target ? target.row.kind : 'context';
}

function rowRead({ target, body }: PassedAnswer): readonly Violation[] {
  const read = body && readObject(body);
  if (!read || 'violation' in read) return [];
  return checkRowSize(rowKindOf(target), compactSize(read.text)).filter(isCertain);
}

function rowPut({ target, sent }: PassedAnswer): readonly Violation[] {
  return sent === undefined ? [] : checkRowBody(rowKindOf(target), sent).violations;
}

function rowPatch({ sent }: PassedAnswer): readonly Violation[] {
  const read = sent && readJson(sent, PATCH_LEVELS);
  if (read === undefined) return [];
  return 'violation' in read ? [read.violation] : checkPatchBody(read.value).violations;
}

function listing({ target, body }: PassedAnswer): readonly Violation[] {
  const items = jsonOf(body);
  if (!matches(FILE_LISTING, items)) return [];
  const [last, ...others] = [...items].reverse() as FileItem[];
  if (last === undefined) return [];
  return checkQuota(rowKindOf(target), others, last.key, last.size).filter(isCertain);
}

function declaration({ target, sent }: PassedAnswer): readonly Violation[] {
  if (target?.kind !== 'file' || sent === undefined) return [];
  const { key } = target;
  return [...checkKey(key), ...ofObject(sent, (body) => checkDeclaration(key, body).violations)];
}

function grade({ sent }: PassedAnswer): readonly Violation[] {
  if (sent === undefined) return [];
  return ofObject(sent, (body) =>
    checkGradeBody(body).filter(({ code }) => !/field|launch_id/.test(code)),
  );
}

function ofObject(
  sent: Uint8Array,
  check: (body: Readonly<Record<string, unknown>>) => readonly Violation[],
): readonly Violation[] {
  const read = readNativeObject(sent);
  return 'violation' in read ? [read.violation] : check(read.object);
}
