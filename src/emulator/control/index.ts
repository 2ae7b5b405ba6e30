import { Readable } from 'node:stream';
import { exportState } from '../state/export.ts';
import {
  bodyOf,
  jsonReply,
  noSuchAddress,
  HttpError,
  errorReply,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import { objectOf } from '../service/refuse.ts';
import { uploadCode, uploadRequestOf } from '../service/hosted/upload.ts';
import { importState } from '../state/import.ts';
import type { EmulatorState } from '../state/state.ts';
import { checkCaller, checkContentType, NEW_CODE, openSession, SESSION } from './access.ts';
import { CONTROL_PREFIX } from './address.ts';
import { clockEnds } from './clock.ts';
import type { Control } from './control.ts';
import { listAttempts, listGradebook } from './list-grades.ts';
import { listMembers, listTokens } from './list-people.ts';
import { listFiles, listFileSets, listRows } from './list-rows.ts';
import { forgetTraffic, type Operation, OPERATIONS } from './operations.ts';
import { followEvents, listRequests, showRequest } from './requests.ts';
import { showRow, showVersions, writeRow } from './rows.ts';
import { shownCode } from './state.ts';
import { showSummary, showWorld } from './summary.ts';
import { endUnderCourses, shownTool } from './tools.ts';

export { CONTROL_PREFIX };

type View = (control: Control, query: URLSearchParams) => object;

/** What is asked by a query. */
const VIEWS = {
  'GET summary': (control) => showSummary(control),
  'GET world': ({ state }) => showWorld(state),
  'GET members': ({ state }, query) => listMembers(state, query),
  'GET tokens': ({ state }, query) => listTokens(state, query),
  'GET rows': ({ state }, query) => listRows(state, query),
  'GET file-sets': ({ state }, query) => listFileSets(state, query),
  'GET files': ({ state }, query) => listFiles(state, query),
  'GET attempts': ({ state }, query) => listAttempts(state, query),
  'GET gradebook': ({ state }, query) => listGradebook(state, query),
  'GET row/versions': ({ state }, query) => showVersions(state, query),
  'GET requests': (control, query) => listRequests(control, query),
  'GET request': (control, query) => showRequest(control, query),
  'GET clock/ends': ({ state }, query) => clockEnds(state, query),
} satisfies Readonly<Record<string, View>>;

/** What the operations answer. */
export type Answers = {
  readonly [Name in keyof typeof OPERATIONS]: Awaited<ReturnType<(typeof OPERATIONS)[Name]>>;
} & {
  readonly [Name in keyof typeof VIEWS]: ReturnType<(typeof VIEWS)[Name]>;
} & {
  readonly 'POST import': object;
  readonly [UPLOAD]: Awaited<ReturnType<typeof takeUpload>>;
};

/** The operations that take or give what `Answers` has no shape for. */
export type Streamed = keyof typeof STREAMS | keyof typeof QUERIED;

/** Answers a request to the control side. */
export async function answerControl(control: Control, request: PlainRequest): Promise<Reply> {
  try {
    const [path = '', query = ''] = request.target.slice(CONTROL_PREFIX.length).split('?');
    const name = `${request.method} ${path}`;
    if (name === SESSION) return await enter(control, request);
    checkCaller(control, request, name);
    checkContentType(request, name === UPLOAD ? 'application/zip' : 'application/json');
    const reply = await operate(control, request, name, query);
    if (request.method !== 'GET' && !QUIET.has(name)) control.events.changed(name);
    return reply;
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error);
    throw error;
  }
}

/** A page comes in; those that are in already are told. */
async function enter(control: Control, request: PlainRequest): Promise<Reply> {
  const reply = await openSession(control, request);
  control.events.changed(SESSION);
  return reply;
}

async function operate(
  control: Control,
  request: PlainRequest,
  name: string,
  query: string,
): Promise<Reply> {
  if (name === UPLOAD) return jsonReply(200, await takeUpload(control.state, request, query));
  const given = new URLSearchParams(query);
  if (isIn(VIEWS, name)) {
    const view: View = VIEWS[name];
    return jsonReply(200, view(control, given));
  }
  if (isIn(QUERIED, name)) return QUERIED[name](control, given, request);
  if (query !== '') noSuchAddress();
  if (isIn(STREAMS, name)) return STREAMS[name](control, request);
  if (!isIn(OPERATIONS, name)) noSuchAddress();
  const body = request.method === 'GET' ? {} : await objectOf(request);
  const operation: Operation = OPERATIONS[name];
  return jsonReply(200, await operation(control, body));
}

/** What changes nothing that a page shows; a replayed request is told of as a request. */
const QUIET: ReadonlySet<string> = new Set([
  NEW_CODE,
  'POST file/link',
  'POST file/declare',
  'POST requests/replay',
  'POST key',
  'POST locations',
]);

const UPLOAD = 'POST tool/upload';

async function takeUpload(state: EmulatorState, request: PlainRequest, query: string) {
  const zip = Buffer.from(await bodyOf(request));
  const { before, tool, code } = await uploadCode(state, uploadRequestOf(query), zip);
  return {
    tool: shownTool(tool),
    ended: endUnderCourses(state, before, tool),
    code: shownCode(code),
  };
}

function isIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

/** The same, with an answer that is no JSON object. */
const QUERIED = {
  'GET row': async ({ state }, query) => showRow(state, query),
  'POST row': ({ state }, query, request) => writeRow(state, query, request),
  'GET events': async (control, query) => linesReply(followEvents(control, query)),
} satisfies Readonly<
  Record<
    string,
    (control: Control, query: URLSearchParams, request: PlainRequest) => Promise<Reply>
  >
>;

/** What is too large for one JSON object, or has no end. */
const STREAMS = {
  'GET requests/follow': async ({ traffic }) => linesReply(traffic.follow()),
  'GET export': async ({ state }) => linesReply(Readable.from(exportState(state))),
  'POST import': async (control, { body }) => {
    await importState(control.state, body);
    forgetTraffic(control);
    control.state.rowVersions.clear({ at: control.state.clock.now(), by: 'import' });
    control.review.forgetState();
    return jsonReply(200, {});
  },
} satisfies Readonly<Record<string, (control: Control, request: PlainRequest) => Promise<Reply>>>;

/** Whether a control request's body is to be given as it comes. */
export function isStreamed(target: string): boolean {
  return target === `${CONTROL_PREFIX}import`;
}

function linesReply(body: Readable): Reply {
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body };
}
