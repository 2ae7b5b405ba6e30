import { Readable } from 'node:stream';
import { blobsOf, exportState } from '../store/export.ts';
import { COURSE_PREFIX, coursePage } from '../course/address.ts';
import { answerCourse } from '../course/course-page.ts';
import { CONSOLE_PREFIX } from '../console/address.ts';
import { answerConsole } from '../console/console-pages.ts';
import { CODE_MS } from '../console/sessions.ts';
import { removeBlob } from '../service/files.ts';
import {
  bodyOf,
  jsonReply,
  noSuchAddress,
  objectOf,
  HttpError,
  errorReply,
} from '../http/messages.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import { uploadCode, uploadRequestOf } from '../hosted/upload.ts';
import { importState } from '../store/import.ts';
import type { LaunchRequest } from '../world/launch-request.ts';
import { launch, passedOver } from '../world/launches.ts';
import { requestProvision, type ProvisionRequest } from '../world/provision-request.ts';
import { applySeed } from '../world/seed.ts';
import type { EmulatorState } from '../state.ts';
import { idsOf } from './report-ids.ts';
import { askAgain, sendProvisions } from '../external/provision-calls.ts';
import { requestLocations } from '../external/locations-calls.ts';
import { DEFAULT_SIGNATURE, SIGNATURES } from '../external/signature.ts';
import {
  checkCaller,
  checkContentType,
  checkSite,
  NEW_CODE,
  openSession,
  SESSION,
} from './access.ts';
import { oneOf, optionalText, text, type Body } from './body.ts';
import { clockEnds, moveClock, shownClock } from './clock.ts';
import type { Control } from './control.ts';
import { addFault, removeFault, showFaults } from './faults.ts';
import { declareFrom, deleteFrom, linkTo } from './files.ts';
import { makeFixture } from './fixture.ts';
import {
  listAttempts,
  listFiles,
  listFileSets,
  listGradebook,
  listMembers,
  listRows,
  listTokens,
} from './lists.ts';
import { changeLms } from './lms.ts';
import { followEvents, listRequests, replay, showRequest } from './requests.ts';
import { showRow, showVersions, writeRow } from './rows.ts';
import { shownCode, stateOf } from './state.ts';
import { showSummary, showWorld } from './summary.ts';
import { acceptLocations } from './tool-side.ts';
import {
  adoptVersion,
  changeGroups,
  changeTool,
  endToken,
  endUnderCourses,
  keyOf,
  removeMember,
  shownTool,
} from './tools.ts';

/**
 * The control side: what stands behind the service (the LMS, the clock, the dashboard), by HTTP on
 * the API origin, with a bearer token of its own. Every body and every answer is a JSON object.
 *
 * | Method and path             | Body                                              | Answer |
 * |-----------------------------|---------------------------------------------------|--------|
 * | POST …/launch               | `role` \| `member`, `course`, `location`, `tool`, `account`, `third_party`, `sign` | `claims`, `tool`, `hosted`, `passed_over`, `course_page` |
 * | POST …/provision-request    | `course`, `from`, `location`, `tool`              | `claims`; `sent`, the requests to tools with a `provision_url`; `not_sent`, why there is none |
 * | POST …/locations-request    | `tool`, `course` | the answer of the tool's `locations_url`, and what was found in it |
 * | POST …/fixture              |                                                   | launches of every kind |
 * | GET  …/state                |                                                   | all that is kept |
 * | POST …/lms                  | `ok: true` \| `refuse: {status, body, members, percent, times}`, `scope`, `slow_ms`, `column`, `points`, `grade_url`; `location` | `lms`, by location |
 * | POST …/key                   | `tool`                                            | `tool`, `api_key`, `origin` |
 * | POST …/token/end            | `token` \| `launch_id`                             | `ended` |
 * | POST …/tool                 | `tool`, `action`: suspend, activate, archive, replace-code, rotate-key; publish (`visibility`; `version`, where it is there already; a hosted tool's `files`, `zip_size`, `manifest`), approve, deprecate, pilot (`version`) | `tool`, `ended` |
 * | POST …/tool/upload         | the zip of a hosted tool's code; in the query `tool`, `visibility`, `version_only` | `tool`, `ended`, `code` |
 * | POST …/adopt                | `course`, `tool`, `code`: current, pilot or a number | `version`, `ended` |
 * | POST …/locations            | `answer`: a tool's locations answer               | what the service takes of it |
 * | POST …/member/groups        | `member`, `groups`                                | `ended` |
 * | POST …/member/remove        | `member`                                          | `ended` |
 * | GET  …/clock                |                                                   | `now`, `iso`, `offset_ms` |
 * | POST …/clock                | `advance_seconds` \| `set` (ISO 8601) \| `machine: true` | the same |
 * | POST …/fault                | `method`, `path`, `times`; `status`, `headers`, `body` \| `close` \| `cut` \| `delay_ms` | `faults` |
 * | GET  …/faults               |                                                   | `faults` |
 * | POST …/fault/remove         | `id`                                              | `faults` |
 * | POST …/fault/clear          |                                                   | `faults` |
 * | GET  …/requests/follow      |                                                   | a line of JSON each, without an end |
 * | GET  …/report               |                                                   | `requests`, `findings`, `coverage`; `ids` of some of the world |
 * | POST …/requests/replay      | `number`                                          | `number`, `status` |
 * | POST …/file/declare         | `row`, `key`, and a declaration                   | `url`, `fields` |
 * | POST …/file/link            | `row`, `key`                                      | `url`, `expires` |
 * | POST …/file/delete          | `row`, `key`                                      | `{}` |
 * | POST …/console/code         |                                                   | `code`, `url`, `seconds` |
 * | POST …/console/session      | `code`; without a token                           | `session` |
 * | GET  …/export               |                                                   | an export |
 * | POST …/import               | an export                                         | `{}` |
 * | POST …/reset                |                                                   | `{}` |
 *
 * These are asked by a query; a list answers with `items`, `next` and `total`, and takes `search`,
 * `limit` and `after`, the `next` of the page before.
 *
 * | Path                   | Query                          | Answer |
 * |------------------------|--------------------------------|--------|
 * | GET  …/summary         |                                | figures of all that is kept |
 * | GET  …/world           |                                | `courses`, `locations`, `tools` |
 * | GET  …/members         | `course`, `role`               | members |
 * | GET  …/tokens          | `live`                         | tokens by their launch |
 * | GET  …/rows            |                                | rows, with every shared one |
 * | GET  …/file-sets       |                                | rows with files |
 * | GET  …/files           | `row`                          | files of a row, and their quota |
 * | GET  …/attempts        | `location`, `member`, `status` | attempts, the latest first |
 * | GET  …/gradebook       | `location`                     | what the LMS has |
 * | GET  …/row/versions    | `row`                          | the row, and its latest versions |
 * | GET  …/requests        | `limit`, of the latest         | `requests` |
 * | GET  …/request         | `number`                       | a request; `captured` has headers and bodies |
 * | GET  …/clock/ends      | `seconds`, comma-separated     | how many tokens would have ended by then |
 * | GET  …/row             | `row`, `version`               | its bytes |
 * | POST …/row             | `row`, `expected`; the row     | `etag`; 409 where it is another than expected |
 * | GET  …/events          | `after`                        | requests and changes, a line of JSON each, without an end |
 *
 * A page of the console may do all but export, import, fixture, state and making codes.
 *
 * `tool` and `course` are chosen where they are left out. `ended` counts tokens. A body that is not
 * understood is 422, an ID that is not there 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

type Operation = (control: Control, body: Body) => object | Promise<object>;

const OPERATIONS = {
  'POST launch': ({ state }, body) => {
    const request = launchRequestOf(body);
    const launched = launch(state, request);
    const { claims, token } = launched;
    const view = {
      isThirdParty: body.third_party === true,
      sign: body.sign === undefined ? DEFAULT_SIGNATURE : oneOf(body, 'sign', SIGNATURES),
    };
    return {
      claims,
      tool: token.tool,
      hosted: state.world.tools.get(token.tool)?.hosted === true,
      passed_over: passedOver(state, request, launched),
      course_page: coursePage(state, token.launchId, view),
    };
  },
  'POST provision-request': async ({ state }, body) => {
    const request = launchRequestOf(body);
    const requested = requestProvision(state, request);
    return { claims: requested.claims, ...(await sendProvisions(state, requested, request)) };
  },
  'POST locations-request': ({ state }, body) =>
    requestLocations(state, {
      tool: optionalText(body, 'tool'),
      course: optionalText(body, 'course'),
    }),
  'POST fixture': ({ state, log, token = '' }) => {
    const fixture = makeFixture(state, state.urls.api + CONTROL_PREFIX, token);
    log.handOut([fixture.non_assessment_grade_url, fixture.not_placed_grade_url]);
    return fixture;
  },
  'GET state': ({ state }) => stateOf(state),
  'POST lms': ({ state }, body) => changeLms(state, body),
  'POST key': ({ state }, body) => keyOf(state, optionalText(body, 'tool')),
  'POST token/end': ({ state }, body) => endToken(state, body),
  'POST tool': ({ state }, body) => changeTool(state, body),
  'POST adopt': ({ state }, body) => adoptVersion(state, body),
  'POST locations': (_control, body) => acceptLocations(body),
  'POST member/groups': ({ state }, body) => changeGroups(state, body),
  'POST member/remove': ({ state }, body) => removeMember(state, text(body, 'member')),
  'GET clock': ({ state }) => shownClock(state),
  'POST clock': async ({ state }, body) => {
    const shown = moveClock(state, body);
    await askAgain(state);
    return shown;
  },
  'POST fault': ({ faults }, body) => addFault(faults, body),
  'GET faults': ({ faults }) => showFaults(faults),
  'POST fault/remove': ({ faults }, body) => removeFault(faults, body),
  'POST fault/clear': ({ faults }) => {
    faults.clear();
    return showFaults(faults);
  },
  'GET report': ({ state, log }) => ({ ...log.report(), ids: idsOf(state) }),
  'POST requests/replay': (control, body) => replay(control, body),
  'POST file/declare': ({ state }, body) => declareFrom(state, body),
  'POST file/link': ({ state }, body) => linkTo(state, body),
  'POST file/delete': ({ state }, body) => deleteFrom(state, body),
  'POST console/code': ({ state, sessions }) => ({
    code: sessions.newCode(),
    url: state.urls.api + CONSOLE_PREFIX,
    seconds: CODE_MS / 1000,
  }),
  'POST reset': (control) => {
    reset(control);
    return {};
  },
} satisfies Readonly<Record<string, Operation>>;

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
    if (request.target.startsWith(COURSE_PREFIX)) return await answerCourse(control.state, request);
    checkSite(request);
    const [path = '', query = ''] = request.target.slice(CONTROL_PREFIX.length).split('?');
    const name = `${request.method} ${path}`;
    if (name === SESSION) return await enter(control, request);
    const isPage = request.target.startsWith(CONSOLE_PREFIX) && name !== NEW_CODE;
    if (isPage) return await answerConsole(control.state, request);
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
    control.log.forgetState();
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

/** Forgets everything, and plants the seed anew. */
function reset(control: Control): void {
  const { state, seed } = control;
  for (const blob of blobsOf(state)) removeBlob(state, blob);
  state.store.clear();
  state.timestamps.forget();
  applySeed(state, seed());
  state.rowVersions.clear({ at: state.clock.now(), by: 'start' });
  forgetTraffic(control);
  control.log.reset();
  control.chaos?.reset();
}

function forgetTraffic({ state, faults, traffic }: Control): void {
  state.hosted.refused.clear();
  state.hosted.noticed.clear();
  state.delays.endAll();
  faults.clear();
  traffic.clear();
}

function launchRequestOf(body: Body): LaunchRequest & ProvisionRequest {
  const fields = ['role', 'member', 'course', 'from', 'location', 'tool'] as const;
  const given = fields.flatMap((field) => {
    const value = optionalText(body, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(given), account: body.account === true };
}
