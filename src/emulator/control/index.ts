import { Readable } from 'node:stream';
import { exportState } from '../store/export.ts';
import type { Faults } from '../http/faults.ts';
import { removeBlob } from '../service/files.ts';
import {
  bearerOf,
  jsonReply,
  noSuchAddress,
  objectOf,
  Refusal,
  refusalReply,
} from '../http/messages.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import { importState } from '../store/import.ts';
import type { LaunchWish } from '../world/launch-request.ts';
import { launch, passedOver } from '../world/launches.ts';
import { requestProvision, type ProvisionWish } from '../world/provision-request.ts';
import { plant, type Seed } from '../world/seed.ts';
import type { Service } from '../state.ts';
import { stateOf } from './state.ts';
import type { Traffic } from '../http/traffic.ts';
import { optionalText, text, type Body } from './body.ts';
import { moveClock, showClock } from './clock.ts';
import { addFault, showFaults } from './faults.ts';
import { makeFixture } from './fixture.ts';
import { changeLms } from './lms.ts';
import { takeLocations } from './tool-side.ts';
import { adoptVersion, changeGroups, changeTool, endToken, removeMember } from './tools.ts';

/**
 * The control side: what stands behind the service (the LMS, the clock, the dashboard), by HTTP on
 * the API origin, with a bearer token of its own. Every body and every answer is a JSON object.
 *
 * | Method and path             | Body                                              | Answer |
 * |-----------------------------|---------------------------------------------------|--------|
 * | POST …/launch               | `role` \| `member`, `course`, `location`, `tool`, `account` | `claims`, `tool`, `passed_over` |
 * | POST …/provision-request    | `course`, `from`, `location`, `tool`              | `claims` |
 * | POST …/fixture              |                                                   | launches of every kind |
 * | GET  …/state                |                                                   | all that is kept |
 * | POST …/lms                  | `ok: true` \| `refuse: {status, body}`, `scope`, `slow_ms`, `column`, `points`, `grade_url`; `location` | `lms`, by location |
 * | POST …/token/end            | `token`                                           | `ended` |
 * | POST …/tool                 | `tool`, `action`: suspend, activate, archive, replace-code, rotate-key; publish (`visibility`; a hosted tool's `files`, `zip_size`, `manifest`), approve, deprecate (`version`) | `tool`, `ended` |
 * | POST …/adopt                | `course`, `tool`, `code`: current, pilot or a number | `version`, `ended` |
 * | POST …/locations            | `answer`: a tool's locations answer               | what the service takes of it |
 * | POST …/member/groups        | `member`, `groups`                                | `ended` |
 * | POST …/member/remove        | `member`                                          | `ended` |
 * | GET  …/clock                |                                                   | `now`, `iso`, `offset_ms` |
 * | POST …/clock                | `advance_seconds` \| `set` (ISO 8601)             | the same |
 * | POST …/fault                | `method`, `path`, `times`; `status`, `headers`, `body` \| `close` \| `cut` \| `delay_ms` | `faults` |
 * | POST …/fault/clear          |                                                   | `faults` |
 * | GET  …/requests             |                                                   | `requests` |
 * | GET  …/requests/follow      |                                                   | a line of JSON each, without an end |
 * | GET  …/export               |                                                   | an export |
 * | POST …/import               | an export                                         | `{}` |
 * | POST …/reset                |                                                   | `{}` |
 *
 * `tool` and `course` are chosen where they are left out. `ended` counts tokens. A body that is not
 * understood is 422, an ID that is not there 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

export interface Control {
  readonly service: Service;
  /** The world that a reset goes back to. */
  readonly seed: () => Seed;
  readonly token: string | undefined;
  readonly faults: Faults;
  readonly traffic: Traffic;
}

type Operation = (control: Control, body: Body) => object | Promise<object>;

const OPERATIONS = {
  'POST launch': ({ service }, body) => {
    const wish = wishOf(body);
    const launched = launch(service, wish);
    const { claims, token } = launched;
    return { claims, tool: token.tool, passed_over: passedOver(service, wish, launched) };
  },
  'POST provision-request': ({ service }, body) => ({
    claims: requestProvision(service, wishOf(body)).claims,
  }),
  'POST fixture': ({ service, token = '' }) =>
    makeFixture(service, service.urls.api + CONTROL_PREFIX, token),
  'GET state': ({ service }) => stateOf(service),
  'POST lms': ({ service }, body) => changeLms(service, body),
  'POST token/end': ({ service }, body) => endToken(service, text(body, 'token')),
  'POST tool': ({ service }, body) => changeTool(service, body),
  'POST adopt': ({ service }, body) => adoptVersion(service, body),
  'POST locations': (_control, body) => takeLocations(body),
  'POST member/groups': ({ service }, body) => changeGroups(service, body),
  'POST member/remove': ({ service }, body) => removeMember(service, text(body, 'member')),
  'GET clock': ({ service }) => showClock(service),
  'POST clock': ({ service }, body) => moveClock(service, body),
  'POST fault': ({ faults }, body) => addFault(faults, body),
  'POST fault/clear': ({ faults }) => {
    faults.clear();
    return showFaults(faults);
  },
  'GET requests': ({ traffic }) => ({ requests: traffic.after(0) }),
  'POST reset': (control) => {
    reset(control);
    return {};
  },
} satisfies Readonly<Record<string, Operation>>;

/** What the operations answer. */
export type Answers = {
  readonly [Name in keyof typeof OPERATIONS]: Awaited<ReturnType<(typeof OPERATIONS)[Name]>>;
} & { readonly 'POST import': object };

/** The operations that take or give what `Answers` has no shape for. */
export type Streamed = keyof typeof STREAMS;

/** Answers a request to the control side. */
export async function answerControl(control: Control, request: PlainRequest): Promise<Reply> {
  try {
    if (control.token === undefined || bearerOf(request) !== control.token) {
      throw new Refusal(401, 'control.token', 'the control side needs its own bearer token');
    }
    const path = request.target.slice(CONTROL_PREFIX.length);
    const name = `${request.method} ${path}`;
    if (isIn(STREAMS, name)) return await STREAMS[name](control, request);
    if (!isIn(OPERATIONS, name)) noSuchAddress();
    const body = request.method === 'GET' ? {} : await objectOf(request);
    const operation: Operation = OPERATIONS[name];
    return jsonReply(200, await operation(control, body));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    throw error;
  }
}

function isIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

/** What is too large for one JSON object, or has no end. */
const STREAMS = {
  'GET requests/follow': async ({ traffic }) => linesReply(traffic.follow()),
  'GET export': async ({ service }) => linesReply(Readable.from(exportState(service))),
  'POST import': async (control, { body }) => {
    await importState(control.service, body);
    forgetWire(control);
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
  const { service, seed } = control;
  for (const { blob } of service.files.values()) removeBlob(service, blob);
  service.store.clear();
  service.instants.forget();
  plant(service, seed());
  forgetWire(control);
}

function forgetWire({ service, faults, traffic }: Control): void {
  service.delays.endAll();
  faults.clear();
  traffic.clear();
}

function wishOf(body: Body): LaunchWish & ProvisionWish {
  const fields = ['role', 'member', 'course', 'from', 'location', 'tool'] as const;
  const given = fields.flatMap((field) => {
    const value = optionalText(body, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(given), account: body.account === true };
}
