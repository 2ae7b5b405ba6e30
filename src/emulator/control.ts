import { endOverdueTokens, endTokens } from './tokens.ts';
import {
  bearerOf,
  jsonReply,
  noSuchAddress,
  objectOf,
  Refusal,
  refusalReply,
  type PlainRequest,
  type Reply,
} from './http.ts';
import { launch, requestProvision, type LaunchWish } from './launches.ts';
import { EVERYWHERE, setPoints, type LmsBehaviour } from './lms.ts';
import { lineitemOf, plant, type Seed } from './seed.ts';
import type { Service } from './service.ts';
import { stateOf } from './state.ts';
import type { Location, Tool } from './world.ts';

/**
 * The control side: what stands behind the service (the LMS, the clock, the dashboard), by HTTP on
 * the API origin, with a bearer token of its own. Every body and every answer is a JSON object.
 *
 * | Method and path             | Body                                              | Answer |
 * |-----------------------------|---------------------------------------------------|--------|
 * | POST …/launch               | `role` \| `member`, `course`, `location`, `tool`, `account` | `claims` |
 * | POST …/provision-request    | `course`, `location`, `tool`                      | `claims` |
 * | GET  …/state                |                                                   | all that is kept |
 * | POST …/lms                  | `ok: true` \| `refuse: {status, body}`, `scope`, `slow_ms`, `column`, `points`, `grade_url`; `location` | `lms` |
 * | POST …/token/end            | `token`                                           | `ended` |
 * | POST …/tool                 | `tool`, `action`: suspend, activate, archive, replace-code, rotate-key | `tool`, `ended` |
 * | POST …/member/remove        | `member`                                          | `ended` |
 * | GET  …/clock                |                                                   | `now`, `iso`, `offset_ms` |
 * | POST …/clock                | `advance_seconds` \| `set` (ISO 8601)             | the same |
 * | POST …/reset                |                                                   | `{}` |
 *
 * `tool` and `course` are chosen where they are left out. `ended` counts tokens.
 */
export const CONTROL_PREFIX = '/_emulator/';

export interface Control {
  readonly service: Service;
  /** The world that a reset goes back to. */
  readonly seed: Seed;
  readonly token: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;
type Operation = (control: Control, body: Body) => object | Promise<object>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST launch': ({ service }, body) => ({ claims: launch(service, wishOf(body)).claims }),
  'POST provision-request': ({ service }, body) => ({
    claims: requestProvision(service, wishOf(body)).claims,
  }),
  'GET state': ({ service }) => stateOf(service),
  'POST lms': ({ service }, body) => changeLms(service, body),
  'POST token/end': ({ service }, body) => {
    const token = text(body, 'token');
    return { ended: endTokens(service, 'ended by hand', (each) => each.token === token) };
  },
  'POST tool': ({ service }, body) => changeTool(service, body),
  'POST member/remove': ({ service }, body) => removeMember(service, text(body, 'member')),
  'GET clock': ({ service }) => showClock(service),
  'POST clock': ({ service }, body) => moveClock(service, body),
  'POST reset': ({ service, seed }) => {
    service.store.clear();
    service.lastSubmitted.clear();
    plant(service, seed);
    return {};
  },
};

/** Answers a request to the control side. */
export async function answerControl(control: Control, request: PlainRequest): Promise<Reply> {
  try {
    if (control.token === undefined || bearerOf(request) !== control.token) {
      throw new Refusal(401, 'control.token', 'the control side needs its own bearer token');
    }
    const path = request.target.slice(CONTROL_PREFIX.length);
    const name = `${request.method} ${path}`;
    const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    if (operation === undefined) noSuchAddress();
    const body = request.method === 'GET' ? {} : await objectOf(request);
    return jsonReply(200, await operation(control, body));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    throw error;
  }
}

// ---------------------------------------------------------------- reading bodies

function optionalText(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(422, 'control.body', `${field} must be a text`);
}

function text(body: Body, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined) throw new Refusal(422, 'control.body', `${field} is missing`);
  return value;
}

function oneOf<Word extends string>(body: Body, field: string, words: readonly Word[]): Word {
  const value = text(body, field);
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new Refusal(422, 'control.body', `${field} must be one of ${words.join(', ')}`);
}

/** A number, which may come as text: hooks are filled in by others. */
function numberIn(body: Body, field: string): number {
  const value = Number(body[field]);
  if (Number.isFinite(value)) return value;
  throw new Refusal(422, 'control.body', `${field} must be a number`);
}

function wishOf(body: Body): LaunchWish {
  const fields = ['role', 'member', 'course', 'location', 'tool'] as const;
  const given = fields.flatMap((field) => {
    const value = optionalText(body, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(given), account: body.account === true };
}

// ---------------------------------------------------------------- the LMS

function changeLms(service: Service, body: Body): object {
  const location = optionalText(body, 'location');
  if (location !== undefined && !service.world.locations.has(location)) {
    throw new Refusal(404, 'not_found', `no location ${location}`);
  }
  const key = location ?? EVERYWHERE;
  if (body.ok === true) {
    for (const each of location === undefined
      ? [...service.lms.entries()].map(([id]) => id)
      : [key]) {
      service.lms.delete(each);
    }
  }
  const change = behaviourIn(body);
  if (Object.keys(change).length > 0) service.lms.set(key, { ...service.lms.get(key), ...change });
  for (const each of service.world.locations.values()) {
    if (location === undefined || each.id === location) changeLocation(service, each, body);
  }
  return { lms: Object.fromEntries(service.lms.entries()) };
}

function behaviourIn(body: Body): Partial<LmsBehaviour> {
  const { refuse } = body as { refuse?: { status?: unknown; body?: unknown } | null };
  return {
    ...(refuse === null && { refuse }),
    ...(refuse && { refuse: refusalIn({ status: 422, ...refuse }) }),
    ...(body.scope !== undefined && { scope: oneOf(body, 'scope', ['score', 'lineitem']) }),
    ...(body.slow_ms !== undefined && { slowMs: Math.max(0, numberIn(body, 'slow_ms')) }),
  };
}

function refusalIn(refuse: Body): { status: number; body: string } {
  const { body } = refuse;
  const said = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return { status: numberIn(refuse, 'status'), body: said };
}

/** What is set on the location itself: its column, the column's points, whether it has a grade URL. */
function changeLocation(service: Service, location: Location, body: Body): void {
  const { world } = service;
  if (body.column !== undefined && location.type === 'assessment') {
    const isPresent = oneOf(body, 'column', ['present', 'missing']) === 'present';
    const column = location.column ?? { lineitem: lineitemOf(location.id), points: 100 };
    world.locations.set(location.id, { ...location, column: isPresent ? column : null });
  }
  if (body.grade_url !== undefined) {
    const gradeUrl = oneOf(body, 'grade_url', ['present', 'null']) === 'present';
    const current = world.locations.get(location.id) ?? location;
    world.locations.set(location.id, { ...current, gradeUrl });
  }
  if (body.points !== undefined) setPoints(service, location.id, numberIn(body, 'points'));
}

// ---------------------------------------------------------------- tools and members

const TOOL_ACTIONS = ['suspend', 'activate', 'archive', 'replace-code', 'rotate-key'] as const;

/** What the dashboard does to a tool; what ends its tokens is under "States: launch token". */
function changeTool(service: Service, body: Body): object {
  const action = oneOf(body, 'action', TOOL_ACTIONS);
  const { tools } = service.world;
  const id = optionalText(body, 'tool') ?? tools.values().next().value?.id ?? '';
  const tool = tools.get(id);
  if (tool === undefined) throw new Refusal(404, 'not_found', `no tool ${id}`);
  const changed = actOn(service, tool, action);
  if (changed !== tool) tools.set(id, changed);
  const reason = END_REASONS[action];
  const ended = reason === undefined ? 0 : endTokens(service, reason, (token) => token.tool === id);
  return { tool: { id, status: changed.status, api_key: changed.apiKey }, ended };
}

const END_REASONS = {
  suspend: 'tool suspended',
  archive: 'tool archived',
  'replace-code': 'code replaced',
  activate: undefined,
  'rotate-key': undefined,
} as const;

function actOn(service: Service, tool: Tool, action: (typeof TOOL_ACTIONS)[number]): Tool {
  switch (action) {
    case 'suspend':
      return { ...tool, status: 'suspended' };
    case 'archive':
      return { ...tool, status: 'archived' };
    case 'activate':
      return { ...tool, status: 'active' };
    case 'rotate-key':
      return tool.hosted ? tool : { ...tool, apiKey: `key_${service.secret()}` };
    case 'replace-code':
      return tool;
  }
}

/** The user leaves the course: the member's tokens for it end, the rows stay. */
function removeMember(service: Service, id: string): object {
  const member = service.world.members.get(id);
  if (member === undefined) throw new Refusal(404, 'not_found', `no member ${id}`);
  service.world.members.set(id, { ...member, left: true });
  const isTheirs = (token: { user: string; course: string }): boolean =>
    token.user === member.user && token.course === member.course;
  return { ended: endTokens(service, 'left the course', isTheirs) };
}

// ---------------------------------------------------------------- the clock

function showClock({ clock }: Service): object {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offset_ms: clock.offset };
}

function moveClock(service: Service, body: Body): object {
  const { clock } = service;
  const target =
    body.set === undefined
      ? clock.now() + numberIn(body, 'advance_seconds') * 1000
      : Date.parse(text(body, 'set'));
  // The year 9999 is as far as an ISO 8601 timestamp goes without a sign.
  if (!(target >= 0 && target < Date.UTC(10_000, 0))) {
    throw new Refusal(422, 'control.body', 'the clock cannot be set to that');
  }
  endOverdueTokens(service);
  clock.set(target);
  endOverdueTokens(service);
  return showClock(service);
}
