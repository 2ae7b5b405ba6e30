import {
  applyPatch,
  type Area,
  checkPatchBody,
  type Code,
  codeInText,
  isGradeAttempt,
  readObject,
  refusal,
} from '../contract/index.ts';
import { compactJson, compactSize } from '../json/index.ts';
import type { Target } from '../emulator/service/addresses.ts';
import type { Facts, RequestCaller, RowWriteFact } from '../emulator/service/call.ts';
import { pointersWritten } from '../emulator/service/rows.ts';
import { rowKey, type RowNames } from '../emulator/state/row-table.ts';
import { jsonOf } from './body.ts';

/** A request to the service and its answer, with the bodies as far as they were kept. */
export interface PassedAnswer {
  readonly method: string;
  readonly target: Target | undefined;
  readonly status: number;
  readonly sent: Uint8Array | undefined;
  readonly body: Uint8Array | undefined;
  /** Whether the request has the content type of JSON. */
  readonly isTyped?: boolean;
  readonly caller: RequestCaller;
}

/** Whether an answer is a success: "200" and "204", and others that a service may have. */
export function isSuccess({ status }: Pick<PassedAnswer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** Finds, from requests and answers alone, the facts that the emulator records of its own exchanges. */
export class FactFinder {
  readonly #world: (names: RowNames) => RowNames;
  /** The rows as they were last read or written through here. */
  readonly #rows = new Map<string, Uint8Array>();

  /** @param world fills in the tool and the course of a row that its address does not name */
  constructor(world: (names: RowNames) => RowNames) {
    this.#world = world;
  }

  find(answer: PassedAnswer): Facts {
    const { target, status, body } = answer;
    // It may have been recorded.
    if (status === 0) return target?.kind === 'grade' ? lostAttempt(target.grade) : {};
    if (!isSuccess(answer)) {
      const code = refusalCode(answer);
      return code === undefined ? {} : { code };
    }
    if (target === undefined || target.kind === 'provision') return {};
    if (target.kind === 'grade') return gradeFacts(target.grade, body);
    const names = this.#world(target.row);
    const row = { ...names, key: rowKey(names) };
    if (target.kind !== 'row') return { row };
    if (answer.method !== 'GET') {
      const written = this.#written(row.key, answer);
      return written === undefined ? { row } : { row, written };
    }
    if (body !== undefined && status === 200) this.#rows.set(row.key, body);
    return { row, isUnwritten: body?.toString() === '{}' };
  }

  /** What a write did; undefined for a patch of a row that was never read here. */
  #written(key: string, { method, sent }: PassedAnswer): RowWriteFact | undefined {
    const before = this.#rows.get(key);
    const written = method === 'PUT' ? put(sent) : patch(before, sent);
    if (written === undefined) this.#rows.delete(key);
    else this.#rows.set(key, written.after);
    return written && { before, ...written };
  }
}

type Written = Omit<RowWriteFact, 'before'>;

function put(sent: Uint8Array | undefined): Written | undefined {
  const read = sent === undefined ? undefined : readObject(sent);
  if (sent === undefined || read === undefined || 'violation' in read) return undefined;
  return { after: sent, size: compactSize(read.text) };
}

function patch(before: Uint8Array | undefined, sent: Uint8Array | undefined): Written | undefined {
  const [row, body] = [before && readObject(before), sent && readObject(sent)];
  if (!row || !body || 'violation' in row || 'violation' in body) return undefined;
  const { operations, violations } = checkPatchBody(body.value);
  const result = refusal(violations) ? undefined : applyPatch(row.value, operations);
  if (result === undefined || 'violation' in result) return undefined;
  const after = Buffer.from(compactJson(result.row));
  return { after, size: after.length, pointers: pointersWritten(operations) };
}

const AREAS: Readonly<Record<Target['kind'], Area>> = {
  row: 'storage',
  files: 'files',
  file: 'files',
  grade: 'grade',
  provision: 'provision',
};

/** "Errors": the code that a message or, without one, a status has. */
function refusalCode({ status, body, caller, target }: PassedAnswer): Code | undefined {
  const text = body === undefined ? '' : Buffer.from(body).toString();
  const code = codeInText(text, target && AREAS[target.kind]);
  if (code !== undefined) return code;
  if (status === 401) return UNAUTHENTICATED[caller.credential ?? 'none'];
  return target && CODES_BY_STATUS[`${status} ${target.kind}`];
}

type Credential = NonNullable<RequestCaller['credential']>;

const UNAUTHENTICATED: Readonly<Record<Credential | 'none', Code>> = {
  launch_token: 'auth.ended',
  provision_token: 'auth.ended',
  api_key: 'auth.suspended',
  unknown: 'auth.unknown',
  none: 'auth.missing',
};

/** What a status without a message most likely means. */
const CODES_BY_STATUS: Readonly<Record<string, Code>> = {
  '404 file': 'file.not_found',
  '404 row': 'row.not_found',
  '403 row': 'row.forbidden',
  '403 file': 'row.forbidden',
  '403 files': 'row.forbidden',
  '403 grade': 'auth.not_this_member',
};

function lostAttempt({ location, member }: GradeNames): Facts {
  return { attempt: { location, member, status: 'success', failure: undefined } };
}

interface GradeNames {
  readonly location: string;
  readonly member: string;
}

function gradeFacts({ location, member }: GradeNames, body: Uint8Array | undefined): Facts {
  const attempt = jsonOf(body);
  if (!isGradeAttempt(attempt)) return {};
  const { status, data } = attempt;
  const failure = status === 'success' ? undefined : failureOf(String(data?.error ?? ''));
  return { attempt: { location, member, status, failure } };
}

/** "A location with no gradebook column", "the line item scope", or the LMS itself. */
function failureOf(error: string): 'refused' | 'no_line_item' | 'scope' {
  if (/no line item/i.test(error)) return 'no_line_item';
  return /scope/i.test(error) ? 'scope' : 'refused';
}
