import { CONTROL_PREFIX } from '../../control-request.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/fields.ts';
import { HttpError } from '../http/messages.ts';
import { requestLocations } from '../service/external/locations-calls.ts';
import { sendProvisions } from '../service/external/provision-calls.ts';
import { DEFAULT_SIGNATURE, SIGNATURES, signedToken } from '../service/external/signature.ts';
import { claimsOf } from '../service/launches/claims.ts';
import { storeSeedBytes } from '../service/hosted/upload.ts';
import { checkDevServer, showDevServer } from '../service/hosted/dev-server.ts';
import {
  chooseLocation,
  forKind,
  launch,
  launchableTool,
  passedOver,
} from '../service/launches/launches.ts';
import { requestProvision } from '../service/launches/provision-request.ts';
import { exportSession, SESSION_TYPE } from '../session/export.ts';
import { importSession } from '../session/import.ts';
import { KEPT_CALL, LOCATIONS_ANSWER } from '../state/records.ts';
import { applySeed } from '../state/seed/seed.ts';
import { endOf } from '../state/tokens.ts';
import { ID, TOOL_STATUS } from '../state/world.ts';
import { addressKeyOf } from '../review/address-book.ts';
import { FAULT, FAULT_RULES, FAULTS } from '../trouble/faults.ts';
import { CODE_MS, openSession } from './access.ts';
import { CONSOLE_PREFIX, coursePage } from './course-address.ts';
import { CLOCK_OPERATIONS } from './clock.ts';
import { makeFixture } from './fixture.ts';
import { GRADE_LISTS } from './list-grades.ts';
import { PEOPLE_OPERATIONS } from './list-people.ts';
import { ROW_LISTS } from './list-rows.ts';
import { LMS_OPERATIONS } from './lms.ts';
import { type Control, operation, streamed } from './operation.ts';
import { REPORT_OPERATIONS } from './report-how.ts';
import { REQUEST_OPERATIONS } from './requests.ts';
import { FILE_OPERATIONS, ROW_OPERATIONS } from './rows.ts';
import { STATE_OPERATIONS } from './state.ts';
import { SUMMARY_OPERATIONS } from './summary.ts';
import { TOOL_OPERATIONS, TOOL_SIDE_OPERATIONS } from './tools.ts';

const LAUNCHED = {
  'role?': s.nonEmptyText,
  'member?': s.nonEmptyText,
  'course?': s.nonEmptyText,
  'location?': s.nonEmptyText,
  'tool?': s.nonEmptyText,
};

/** Operations that make launches. */
const LAUNCH_OPERATIONS = {
  'POST launch': operation({
    summary: 'launch a tool; all fields have defaults',
    takes: s.object({
      ...LAUNCHED,
      'account?': s.bool,
      'keyed?': s.described(
        s.bool,
        'without a location and a tool: if possible of a tool with an API key',
      ),
      'third_party?': s.bool,
      'sign?': s.oneOf(...SIGNATURES),
      'dev_url?': s.described(
        s.nonEmptyText,
        'of a development server on loopback, in place of the uploaded code',
      ),
    }),
    answers: s.object({
      claims: s.anyObject,
      tool: s.text,
      hosted: s.bool,
      passed_over: s.nullable(s.object({ id: s.text, status: TOOL_STATUS })),
      course_page: s.text,
    }),
    run: async (
      { state },
      { third_party: isThirdParty = false, sign = DEFAULT_SIGNATURE, dev_url: devUrl, ...request },
    ) => {
      if (devUrl !== undefined) await checkDevServer(devUrl);
      const wished = devUrl === undefined ? request : forKind(state, request, 'hosted');
      const launched = launch(state, wished);
      const { claims, token } = launched;
      if (devUrl !== undefined) showDevServer(state, token, devUrl);
      return {
        claims,
        tool: token.tool,
        hosted: state.world.tools.get(token.tool)?.hosted === true,
        passed_over: passedOver(state, wished, launched),
        course_page: coursePage(state, token.launchId, { isThirdParty, sign }),
      };
    },
  }),
  'POST launch/token': operation({
    summary: 'launch an external tool, and answer the signed token that its callback is sent',
    takes: s.object({ ...LAUNCHED, 'account?': s.bool, 'sign?': s.oneOf(...SIGNATURES) }),
    answers: s.object({ launch_token: s.text, claims: s.anyObject }),
    run: async ({ state }, { sign = DEFAULT_SIGNATURE, ...request }) => {
      const wished = forKind(state, request, 'external');
      const tool = launchableTool(state, chooseLocation(state, wished).tool);
      if (tool.hosted) {
        const message = `tool ${tool.id} is hosted: only an external one is sent a launch token`;
        throw new HttpError(422, 'launch.hosted', message);
      }
      const { claims } = launch(state, wished);
      return { launch_token: await signedToken(state, tool, claims, sign), claims };
    },
  }),
  'GET launch': operation({
    summary: 'a launch that was made before, with its claims',
    takes: s.object({ launch_id: s.nonEmptyText }),
    answers: s.object({
      claims: s.anyObject,
      ...s.texts('tool', 'location', 'member'),
      ended: s.described(s.text, "why; '' for a live token"),
      course_page: s.text,
    }),
    run: (control, { launch_id: id }) => showLaunch(control, id),
  }),
  'POST provision-request': operation({
    summary: 'request that a tool provisions a course, or a location of it',
    takes: s.object({ ...LAUNCHED, 'course?': ID, 'from?': s.nonEmptyText }),
    answers: s.object({
      claims: s.anyObject,
      sent: s.list(KEPT_CALL),
      not_sent: s.nullable(s.text),
    }),
    run: async ({ state }, request) => {
      const requested = requestProvision(state, request);
      return { claims: requested.claims, ...(await sendProvisions(state, requested, request)) };
    },
  }),
  'POST locations-request': operation({
    summary: 'ask a tool for its locations in a course',
    takes: s.object({ 'tool?': s.nonEmptyText, 'course?': s.nonEmptyText }),
    answers: LOCATIONS_ANSWER,
    run: ({ state }, request) => requestLocations(state, request),
  }),
  'POST fixture': operation({
    summary: 'launches of every kind',
    answers: s.open(s.object({ base_url: s.text, hooks: s.anyObject })),
    access: 'token',
    run: ({ state, exchanges, token = '' }) => {
      const fixture = makeFixture(state, state.urls.api + CONTROL_PREFIX, token);
      const urls = [fixture.non_assessment_grade_url, fixture.not_placed_grade_url];
      exchanges.handOut(urls.flatMap((url) => addressKeyOf(state, url) ?? []));
      return fixture;
    },
  }),
};

const FAULT_OPERATIONS = {
  'GET faults': operation({
    summary: 'the pending faults',
    answers: FAULTS,
    run: ({ faults }) => faults.shown(),
  }),
  'POST fault': operation({
    summary: 'inject a fault into the next requests that match',
    takes: FAULT,
    rules: FAULT_RULES,
    answers: FAULTS,
    run: ({ faults }, fault) => {
      faults.add(fault);
      return faults.shown();
    },
  }),
  'POST fault/remove': operation({
    summary: 'remove a pending fault',
    takes: s.object({ id: s.integerIn(1) }),
    answers: FAULTS,
    run: ({ faults }, { id }) => {
      faults.remove(id);
      return faults.shown();
    },
  }),
  'POST fault/clear': operation({
    summary: 'remove all pending faults',
    answers: FAULTS,
    run: ({ faults }) => {
      faults.clear();
      return faults.shown();
    },
  }),
};

function showLaunch({ state, observed }: Control, id: string) {
  const token = state.tokens.ofLaunch(id);
  if (token?.kind !== 'launch') throw notFound('launch', id);
  const { tool, location, member } = token;
  return {
    claims: observed?.claims(id) ?? claimsOf(state, token),
    tool,
    location,
    member,
    ended: endOf(token, state.clock.now()),
    course_page: coursePage(state, id, { isThirdParty: false, sign: DEFAULT_SIGNATURE }),
  };
}

/** Operations on the whole emulator. */
const WHOLE_OPERATIONS = {
  'GET ready': operation({
    summary: 'whether the emulator serves',
    answers: s.object({
      ready: s.oneOf(true),
      open: s.described(s.bool, 'whether it is reached from other machines, by its token alone'),
      'observes?': s.described(s.text, 'the service that calls are led to; not in an emulator'),
    }),
    access: 'anyone',
    run: ({ isReady, isOpen, observed }) => {
      if (!isReady()) throw new HttpError(503, 'emulator.starting', 'the emulator is starting');
      const observes = observed && { observes: observed.origin() };
      return { ready: true as const, open: isOpen, ...observes };
    },
  }),
  'POST stop': operation({
    summary: 'stop the emulator; stored data stays',
    answers: s.object({}),
    access: 'token',
    isQuiet: true,
    run: ({ stop }, _taken, { signal }) => {
      if (stop === undefined) throw new HttpError(409, 'control.stop', NOT_STOPPED);
      // The response is sent first.
      const sent = signal?.();
      if (sent === undefined || sent.aborted) setImmediate(stop);
      else sent.addEventListener('abort', stop, { once: true });
      return {};
    },
  }),
  'POST console/code': operation({
    summary: 'a code that lets one page of the console in, once',
    answers: s.object({ code: s.text, url: s.text, seconds: s.count }),
    access: 'token',
    isQuiet: true,
    run: ({ state, sessions }) => ({
      code: sessions.newCode(),
      url: state.urls.api + CONSOLE_PREFIX,
      seconds: CODE_MS / 1000,
    }),
  }),
  'POST console/session': operation({
    summary: 'trade a code for a session of the console',
    takes: s.object({ code: s.nonEmptyText }),
    answers: s.object({ session: s.text }),
    access: 'anyone',
    run: ({ sessions }, { code }) => openSession(sessions, code),
  }),
  'GET openapi.json': operation({
    summary: 'the OpenAPI document of the service',
    answers: s.anyObject,
    access: 'local',
    run: ({ openapi }) => openapi('service'),
  }),
  'GET openapi-control.json': operation({
    summary: 'the OpenAPI document of the control API',
    answers: s.anyObject,
    access: 'local',
    run: ({ openapi }) => openapi('control'),
  }),
  'POST reset': operation({
    summary: 'forget everything, and apply the seed again',
    answers: s.object({}),
    run: async (control) => {
      reset(control);
      await storeSeedBytes(control.state, control.seed());
      return {};
    },
  }),
  'GET export': streamed(SESSION_TYPE, {
    summary: 'a session: all state and the traffic, in the database of an emulator',
    takes: s.object({
      'redact?': s.described(s.bool, 'without secrets, names and bytes of files'),
    }),
    answers: s.any,
    access: 'token',
    reply: async ({ state, exchanges }, asked) => {
      const body = await exportSession(state, exchanges, asked);
      return { status: 200, headers: { 'content-type': SESSION_TYPE }, body };
    },
  }),
  'POST import': operation({
    summary: 'replace all state and the traffic with those of a session',
    // The second is that of earlier versions.
    raw: [SESSION_TYPE, 'application/x-ndjson'],
    streamsBody: true,
    answers: s.object({}),
    access: 'token',
    run: async (control, _taken, { body }) => {
      await importSession(control.state, control.exchanges, body);
      forgetDisturbances(control);
      return {};
    },
  }),
};

const NOT_STOPPED = 'this emulator ends with the program that it belongs to';

/** The operations of the control API, by method and path below `CONTROL_PREFIX`. */
export const OPERATIONS = {
  ...LAUNCH_OPERATIONS,
  ...LMS_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...TOOL_SIDE_OPERATIONS,
  ...CLOCK_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...SUMMARY_OPERATIONS,
  ...STATE_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...ROW_LISTS,
  ...ROW_OPERATIONS,
  ...FILE_OPERATIONS,
  ...GRADE_LISTS,
  ...REQUEST_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...WHOLE_OPERATIONS,
};

type Operations = typeof OPERATIONS;

/** The operations that answer a stream, or bytes. */
export type StreamedName = {
  [Name in keyof Operations]: Operations[Name] extends { readonly streams: string } ? Name : never;
}[keyof Operations];

/** What the other operations answer. */
export type Answers = {
  readonly [Name in Exclude<keyof Operations, StreamedName>]: s.Static<Operations[Name]['answers']>;
};

/** The parameters of the operations; undefined ones are not sent. */
export type Taken = {
  readonly [Name in keyof Operations]: Sent<s.Static<Operations[Name]['takes']>>;
};

type Sent<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? {
        readonly [Name in keyof Value]:
          | Sent<Value[Name]>
          // An optional field may be undefined.
          | (Partial<Pick<Value, Name>> extends Pick<Value, Name> ? undefined : never);
      }
    : Value;

function reset(control: Control): void {
  const { state, seed } = control;
  state.store.clear(['settings', 'ports']);
  state.tokens.forget();
  state.timestamps.forget();
  applySeed(state, seed());
  control.exchanges.clear();
  forgetDisturbances(control);
  control.chaos?.reset();
}

/** Forgets what is not stored: waits, waiting faults, and what frames have seen. */
function forgetDisturbances({ state, faults }: Control): void {
  state.hosted.refused.clear();
  state.hosted.noticed.clear();
  state.hosted.watched.clear();
  state.hosted.devUrls.clear();
  state.delays.endAll();
  faults.clear();
}
