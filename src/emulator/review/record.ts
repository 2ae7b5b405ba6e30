import { hash } from 'node:crypto';
import {
  GRADE_FIELDS,
  type GradeBody,
  isObject,
  isShared,
  withGradeDefaults,
} from '../../contract/index.ts';
import { isSecret, redactor } from '../../redaction.ts';
import { bearerOf, type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';
import type { Target } from '../service/addresses.ts';
import type { Answered, Call, Facts, RequestCaller } from '../service/call.ts';
import type { Token } from '../state/records.ts';
import type { RowNames } from '../state/row-table.ts';
import type { EmulatorState } from '../state/state.ts';
import { endOf, isTokenForm } from '../state/tokens.ts';
import { isStaffMember } from '../state/world.ts';
import { addressKey, differingSegments, isHandedOut } from './address-book.ts';
import { asBuffer, parsed } from './parsed.ts';
import { aboutOf, errorTextOf, placeOf } from './exchange.ts';
import { pointersChanged, pointersDropped } from './row-keys.ts';
import type { StoredExchange } from './stored-exchange.ts';

type Recorded = Omit<StoredExchange, 'number'>;
type About = Pick<
  Recorded,
  'at' | 'started' | 'begun' | 'ms' | 'fault' | 'trouble' | 'judged' | 'processed' | 'meanwhile'
>;

const PATH_MAX_CHARACTERS = 2000;
const flag = (is: boolean | undefined): 0 | 1 => (is === true ? 1 : 0);

/** An exchange with the service of an emulator, after it was answered, without secrets. */
export function exchangeOf(
  state: EmulatorState,
  call: Call,
  { reply, facts }: Answered,
  about: About,
): Recorded {
  const { request, target, caller } = call;
  const { credential, token } = caller;
  const { origin, method } = request;
  const { redact } = state;
  const place = placeOf(request, target);
  const signedAbout = method === 'POST' ? 'upload' : 'download';
  const isRefused = reply.status >= 400;
  const error = isRefused ? (facts.message ?? errorTextOf(reply)) : null;
  const failure = facts.attempt?.status === 'failed' ? failureTextOf(reply) : null;
  const outcome = (isRefused ? (facts.code ?? codeIn(reply)) : situationOf(reply, facts)) ?? null;
  const ended = reply.status === 401 && outcome !== null && token ? endNow(state, token) : null;
  const isElsewhere = place === 'unknown' || place === 'signed';
  const { address, segments } = addressFacts(state, target, caller);
  const row = rowFacts(state, call, { reply, facts }, about.meanwhile);
  const file = fileFacts(target, request, reply, facts);
  // Each field by its name: a spread makes an object that V8 handles slowly, 100 µs in each request.
  return {
    at: about.at,
    started: about.started,
    begun: about.begun,
    ms: about.ms,
    fault: about.fault,
    trouble: about.trouble,
    judged: about.judged,
    processed: about.processed,
    meanwhile: about.meanwhile,
    moved: state.clock.moved,
    origin,
    method,
    path: pathOf(call, redact),
    place,
    about: place === 'signed' ? signedAbout : aboutOf(target),
    member: redactedId(facts.attempt?.member ?? memberIn(target), redact),
    credential,
    launch: token?.launch_id ?? null,
    caller: token?.member || null,
    tool: caller.tool?.id ?? token?.tool ?? null,
    by_lectern: flag(String(request.headers['user-agent']).startsWith('lectern/')),
    status: reply.cutAfterBytes === 0 ? 0 : reply.status,
    bytes: reply.cutAfterBytes ?? sizeOf(reply),
    error: error ? redact(error) : null,
    failure: failure && redact(failure),
    lost: flag(isCut(reply) || request.isGone?.()),
    outcome,
    ended,
    framed: flag(ended !== null && isFromFrame(state, request)),
    stray: flag(credential === 'unknown' && isTokenForm(bearerOf(request) ?? '')),
    leaks: flag(isElsewhere && state.hasToken(request.target)),
    legacy: flag(place === 'unknown' && postsAll(request, 'launch_id', 'score')),
    untyped: untypedOf(call, place, redact),
    unnamed: place === 'grade' ? unnamedIn(request, redact) : null,
    location: facts.attempt?.location ?? (target?.kind === 'grade' ? target.grade.location : null),
    digest: digestOf(request, place),
    address,
    segments,
    row: row.row,
    first: row.first,
    size: row.size,
    wrote: row.wrote,
    dropped: row.dropped,
    file: file.file,
    form: file.form,
    expired: file.expired,
  };
}

function pathOf({ request, caller }: Call, redact: EmulatorState['redact']): string {
  const target = request.target.slice(0, PATH_MAX_CHARACTERS);
  // A signed URL gives access by itself, so its query is as secret as a token.
  const path = redact(request.origin === 'blobs' ? target.replace(/\?.*$/s, '?…') : target);
  const bearer = caller.credential === 'unknown' ? (bearerOf(request) ?? '') : '';
  return isSecret(bearer) ? redactor([bearer], { shown: () => '…' })(path) : path;
}

function memberIn(target: Target | undefined): string | null {
  if (target === undefined || target.kind === 'provision') return null;
  const { member } = 'row' in target ? target.row : target.grade;
  return member || null;
}

/** An ID in a URL may be anything. */
function redactedId(id: string | null, redact: EmulatorState['redact']): string | null {
  return id && redact(id.slice(0, PATH_MAX_CHARACTERS));
}

/** The reason in the record of a failed attempt. */
function failureTextOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  const { data } = JSON.parse(body) as { data?: { error?: string } };
  return data?.error ?? null;
}

/** The code of an error envelope, or of the XML of the signed addresses. */
function codeIn({ body }: Reply): string | undefined {
  if (typeof body !== 'string') return undefined;
  const { error } = (parsed(Buffer.from(body)) ?? {}) as { error?: { code?: unknown } };
  if (typeof error?.code === 'string') return error.code;
  return /<Code>([^<]*)<\/Code>/.exec(body)?.[1];
}

/** What a response shows that is no refusal. */
function situationOf({ status }: Reply, facts: Facts): string | undefined {
  const { attempt, isUnwritten, isAbsent } = facts;
  if (attempt !== undefined) {
    return `attempt.${attempt.status === 'success' ? 'success' : attempt.failure}`;
  }
  if (isUnwritten === true && status === 200) return 'row.never_written';
  return isAbsent === true ? 'file.deleted_absent' : undefined;
}

function endNow({ tokens, clock }: EmulatorState, token: Token) {
  return endOf(tokens.get(token.token) ?? token, clock.now()) || null;
}

function isFromFrame({ hosted }: EmulatorState, { headers: { origin } }: PlainRequest): boolean {
  return typeof origin === 'string' && hosted.origins.has(origin);
}

/** Half of a one-byte body is empty; of an empty body nothing is sent at all. */
function isCut(reply: Reply): boolean {
  const { cutAfterBytes } = reply;
  return cutAfterBytes !== undefined && (cutAfterBytes === 0 || cutAfterBytes < sizeOf(reply));
}

/** Whether the body of a POST has these names. */
function postsAll({ method, body }: PlainRequest, ...names: [string, ...string[]]): boolean {
  if (method !== 'POST' || !(body instanceof Uint8Array)) return false;
  // Most bodies are not parsed.
  if (!asBuffer(body).includes(`"${names[0]}"`)) return false;
  const object = parsed(body);
  return isObject(object) && names.every((name) => Object.hasOwn(object, name));
}

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
const TYPE_CHARACTERS = 100;
const TYPED: ReadonlySet<string> = new Set(['row', 'file', 'grade']);

/** "Requests with a JSON body send Content-Type: application/json." */
function untypedOf(
  { request: { headers, body } }: Call,
  place: string,
  redact: EmulatorState['redact'],
): string | null {
  if (!TYPED.has(place) || !(body instanceof Uint8Array) || body.length === 0) return null;
  const type = String(headers['content-type'] ?? '');
  if (JSON_TYPE.test(type) || !isObject(parsed(body))) return null;
  return redact(type.slice(0, TYPE_CHARACTERS));
}

/** The members of a grade's body that the contract does not name. */
function unnamedIn({ method, body }: PlainRequest, redact: EmulatorState['redact']): string | null {
  const grade = method === 'POST' && body instanceof Uint8Array ? parsed(body) : undefined;
  if (!isObject(grade)) return null;
  const names = Object.keys(grade).filter((name) => !GRADE_FIELDS.includes(name));
  return names.length === 0 ? null : JSON.stringify(names.map(redact));
}

/** Equal grades, whatever their bytes, and equal patches have the same. */
function digestOf({ method, body }: PlainRequest, place: string): string | null {
  const isOfRule = place === 'grade' || (place === 'row' && method === 'PATCH');
  if (!isOfRule || !(body instanceof Uint8Array)) return null;
  return hash('sha256', (place === 'grade' ? gradeIn(body) : undefined) ?? body, 'base64');
}

/** What the service takes of a grade's body, with its defaults ("Request body"). */
function gradeIn(body: Uint8Array): string | undefined {
  const grade = parsed(body);
  if (!isObject(grade)) return undefined;
  return JSON.stringify(withGradeDefaults(grade as unknown as GradeBody));
}

function addressFacts(state: EmulatorState, target: Target | undefined, caller: RequestCaller) {
  const { credential, token } = caller;
  const isStranger = credential === null || credential === 'unknown';
  const none = { address: null, segments: null };
  if (target === undefined || isStranger) return none;
  const address = addressKey(state, target);
  if (token !== undefined && isHandedOut(state, address, token)) return none;
  return {
    address,
    segments: token === undefined ? 'a segment' : differingSegments(target, token),
  };
}

function rowFacts(
  state: EmulatorState,
  { request, caller: { token } }: Call,
  { reply, facts: { row, written, isUnwritten } }: Answered,
  meanwhile: string | null,
) {
  const none = { row: null, first: 0, size: null, wrote: null, dropped: null } as const;
  if (row === undefined || token === undefined) return none;
  if (written === undefined) {
    const isRead = request.method === 'GET' && reply.status === 200 && !isCut(reply);
    if (isUnwritten === undefined || !isRead) return none;
    if (meanwhile === null && !canWrite(state, row, token)) return none;
    return { ...none, row: row.key, first: flag(isUnwritten) };
  }
  const { before, after, size, pointers } = written;
  return {
    row: row.key,
    first: flag(before === undefined),
    size,
    wrote: JSON.stringify(pointers ?? pointersChanged(before, after)),
    dropped: listOf(pointersDropped(before, after)),
  };
}

function listOf(pointers: readonly string[]): string | null {
  return pointers.length === 0 ? null : JSON.stringify(pointers);
}

/** "Students: read the shared context and location rows; a write returns 403." */
function canWrite({ world }: EmulatorState, { kind }: RowNames, { kind: of, member }: Token) {
  if (of === 'provision' || !isShared(kind)) return true;
  const person = world.members.get(member);
  return person !== undefined && isStaffMember(person);
}

function fileFacts(
  target: Target | undefined,
  { method }: PlainRequest,
  { status }: Reply,
  { row, declared, preventedUpload, uploaded, expired }: Facts,
) {
  const form = declared ?? preventedUpload ?? expired;
  const isStored = row !== undefined && target?.kind === 'file' && method !== 'GET';
  const named = isStored && status < 300 ? { row: row.key, key: target.key } : uploaded;
  return {
    file: named === undefined ? null : `${named.row}/${named.key}`,
    form: form === undefined ? null : hash('sha256', form, 'base64'),
    expired: flag(expired !== undefined),
  };
}
