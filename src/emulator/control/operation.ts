import type { Readable } from 'node:stream';
import { checkShape, matches } from '../../schema/check.ts';
import * as s from '../../schema/schema.ts';
import { type TakenRule, wrongBody } from '../http/refusals.ts';
import { jsonReply, linesReply, type PlainRequest, type Reply } from '../http/messages.ts';
import { objectOf } from '../service/refuse.ts';
import type { Credentials } from './access.ts';
import type { Events } from './events.ts';
import type { Chaos } from '../trouble/chaos.ts';
import type { Faults } from '../trouble/faults.ts';
import type { Exchanges } from '../review/exchanges.ts';
import type { ErrorCount } from '../review/review.ts';
import type { ReviewFinding } from '../review/findings.ts';
import type { Rule } from '../review/rule.ts';
import type { Traffic } from '../review/traffic.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Seed } from '../state/seed/seed.ts';

/** Another service, whose traffic an observer forwards; nothing here answers for it. */
export interface Observed {
  /** Its origin, as it is shown. */
  readonly origin: () => string;
  /** The claims of a launch as they were handed out here. */
  readonly claims: (launchId: string) => Record<string, unknown> | undefined;
  readonly differences: () => ReviewFinding[];
  /** What rules of the report need to know of it, and is not known here. */
  readonly lacks: Rule['needs'];
}

/** The parts that the control API works with. */
export interface Control extends Credentials {
  readonly state: EmulatorState;
  /** The world that a reset goes back to. */
  readonly seed: () => Seed;
  /** The command that started the emulator. */
  readonly startedWith: string | undefined;
  readonly isReady: () => boolean;
  /** Ends the emulator; undefined if it runs inside another program. */
  readonly stop: (() => void) | undefined;
  /** Called after a reset. */
  readonly onReset: (() => Promise<void>) | undefined;
  readonly faults: Faults;
  readonly traffic: Traffic;
  readonly events: Events;
  readonly exchanges: Exchanges;
  readonly errors: ErrorCount;
  readonly chaos: Chaos | undefined;
  /** Undefined in an emulator. */
  readonly observed: Observed | undefined;
  /** The OpenAPI document of the service, or of the control API. */
  readonly openapi: (part: 'service' | 'control') => Promise<Readonly<Record<string, unknown>>>;
  /** Sends a request again; resolves with its number in the traffic. */
  readonly replay: (request: PlainRequest) => Promise<number>;
}

/**
 * An operation of the control API. Its name in the table of operations is its method and path. The
 * check of requests and the types of the command line and the console are derived from it.
 */
export interface ControlOperation<Taken = unknown, Answer = unknown> {
  readonly summary: string;
  /** The parameters: the query of a GET and of `raw`, otherwise the JSON object in the body. */
  readonly takes: s.Schema<Taken>;
  /** Further conditions: which fields go together. */
  readonly rules?: readonly TakenRule<Taken>[];
  /** The body is taken as bytes of one of these types instead of a JSON object. */
  readonly raw?: readonly string[];
  /** Whether that body is handled as it arrives. */
  readonly streamsBody?: true;
  /** The answer, or each line of it. */
  readonly answers: s.Schema<Answer>;
  /**
   * `token`: the command line only; `anyone`: without a credential; `local`: without one where the
   * emulator listens on loopback alone. Else the console too.
   */
  readonly access?: 'token' | 'anyone' | 'local';
  readonly reply: (control: Control, taken: Taken, request: PlainRequest) => Promise<Reply>;
}

interface Described<Taken, Answer> extends Omit<
  ControlOperation<Taken, Answer>,
  'reply' | 'takes'
> {
  readonly takes?: s.Schema<Taken>;
}

interface Running<Taken, Answer> extends Described<Taken, Answer> {
  readonly run: (
    control: Control,
    taken: Taken,
    request: PlainRequest,
  ) => NoInfer<Answer> | Promise<NoInfer<Answer>>;
}

const NOTHING = s.object({});

export function operation<Answer extends object, Taken = object>({
  run,
  ...described
}: Running<Taken, Answer>): ControlOperation<Taken, Answer> {
  return {
    takes: NOTHING as s.Schema<Taken>,
    ...described,
    reply: async (control, taken, request) => jsonReply(200, await run(control, taken, request)),
  };
}

/** An operation that answers bytes of this type, or an unlimited number of JSON lines. */
export interface Streamed<Taken = unknown, Answer = unknown> extends ControlOperation<
  Taken,
  Answer
> {
  readonly streams: 'application/json' | 'application/x-ndjson' | 'application/vnd.sqlite3';
}

/** An operation that answers lines of JSON. */
export function lines<Answer, Taken = object>({
  stream,
  ...described
}: Described<Taken, Answer> & {
  readonly stream: (control: Control, taken: Taken) => Readable;
}): Streamed<Taken, Answer> {
  return streamed('application/x-ndjson', {
    ...described,
    reply: async (control, taken) => linesReply(stream(control, taken)),
  });
}

export function streamed<Answer, Taken = object>(
  streams: Streamed['streams'],
  described: Described<Taken, Answer> & Pick<ControlOperation<Taken, Answer>, 'reply'>,
): Streamed<Taken, Answer> {
  return { takes: NOTHING as s.Schema<Taken>, ...described, streams };
}

/** The checked parameters of a request; refuses those that do not match the schema. */
export async function takenFrom<Taken>(
  { takes, raw, rules = [] }: ControlOperation<Taken>,
  request: PlainRequest,
  query: string,
): Promise<Taken> {
  const isQuery = request.method === 'GET' || raw !== undefined;
  const given = isQuery ? objectOfQuery(takes, query) : await objectOf(request);
  const [fault] = checkShape(takes, given);
  if (fault !== undefined) {
    const name = fault.path.split('/').at(-1) ?? '';
    throw wrongBody(`${name} ${fault.message}`.trimStart());
  }
  const taken = given as Taken;
  for (const { schema, message } of rules) {
    if (matches(schema, taken)) continue;
    throw wrongBody(typeof message === 'string' ? message : message(taken));
  }
  return taken;
}

/** Requires at least one of some fields. */
export function needs(...names: readonly string[]): s.JsonSchema {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

/** The parameters of a query, converted to numbers where the schema has numbers. */
function objectOfQuery({ properties }: s.JsonSchema, query: string): object {
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  return Object.fromEntries(
    given.map(([name, value]) => {
      const { type } = (properties as Record<string, s.JsonSchema>)[name] ?? {};
      if (type === 'boolean')
        return [name, value === 'true' || (value === 'false' ? false : value)];
      const isNumber = (type === 'integer' || type === 'number') && value.trim() !== '';
      return [name, isNumber && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );
}
