import { METHODS } from 'node:http';
import { CLOSE_TIMES, FAULT_KINDS, FAULT_NAMES, kindsOf } from '../../fault-kinds.ts';
import { columnSchemas } from '../../control-api/schemas.ts';
import * as s from '../../schema/schema.ts';
import { notFound, type TakenRule, wrongBody } from '../http/refusals.ts';
import type { PlainRequest } from '../http/messages.ts';
import type { Injected } from './trouble.ts';

/** An injected fault: its trouble, and the requests that it matches. */
interface Fault {
  /** Counts up from 1. */
  readonly id: number;
  /** '' matches any. */
  readonly method: string;
  /** Matched against path and query, as in the request line. */
  readonly path: RegExp;
  /** How many more requests it applies to; null until it is removed. */
  readonly times: number | null;
  readonly trouble: Injected;
  /** A short description. */
  readonly says: string;
}

/** The faults that wait for matching requests, as the control API lists them. */
export const FAULTS = s.object({
  faults: s.list(
    s.object({
      ...columnSchemas('faults'),
      effect: s.oneOf(...FAULT_NAMES),
      'status?': s.httpStatus,
      'headers?': s.mapOf(s.text),
      'body?': s.text,
      'when?': s.oneOf('before', 'after'),
      'ms?': s.anyNumber,
    }),
  ),
});

/** The longest delay of a timer; with a longer one it fires at once. */
const MILLISECONDS = s.numberIn(0, 2 ** 31 - 1);

const FIELDS = FAULT_NAMES.map((kind) => FAULT_KINDS[kind].field);

/** The fields of a fault: its effect, and the requests that it matches. */
export const FAULT = s.object({
  'method?': s.nonEmptyText,
  path: s.described(s.nonEmptyText, 'a regular expression, matched against path and query'),
  'times?': s.integerIn(1),
  'lasts?': s.described(s.bool, 'until it is removed'),
  'status?': s.described(
    s.integerIn(FAULT_KINDS.status.range.from, FAULT_KINDS.status.range.to),
    FAULT_KINDS.status.description,
  ),
  'headers?': s.mapOf(s.typed<string | number>({ type: ['string', 'number'] })),
  'body?': s.text,
  'close?': s.described(s.oneOf(...CLOSE_TIMES), FAULT_KINDS.close.description),
  'cut?': s.described(s.bool, FAULT_KINDS.cut.description),
  'delay_ms?': s.described(MILLISECONDS, FAULT_KINDS.delay.description),
});
type AskedFault = s.Static<typeof FAULT>;

/** The faults that wait for matching requests, on both origins. They do not survive a restart. */
export class Faults {
  #waiting: readonly Fault[] = [];
  #count = 0;

  /** How many requests they apply to; one that lasts counts once. */
  get times(): number {
    return this.#waiting.reduce((sum, { times }) => sum + (times ?? 1), 0);
  }

  add(asked: AskedFault): void {
    const { method = '', path, times = 1, lasts = false } = asked;
    const [kind = 'cut'] = kindsOf(asked);
    const fault = {
      method: method.toUpperCase(),
      path: patternOf(path),
      times: lasts ? null : times,
      trouble: troubleOf(asked),
      says: FAULT_KINDS[kind].label(asked) + (lasts ? ', until it is removed' : ''),
    };
    this.#waiting = [...this.#waiting, { ...fault, id: ++this.#count }];
  }

  /** Removes a fault that still waits. */
  remove(id: number): void {
    const left = this.#waiting.filter((each) => each.id !== id);
    if (left.length === this.#waiting.length) throw notFound('pending fault', String(id));
    this.#waiting = left;
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Returns the trouble of the first fault that matches a request, and counts it. */
  take({ method, target }: PlainRequest): Injected | undefined {
    const fault = this.#waiting.find(
      (each) => (each.method === '' || each.method === method) && each.path.test(target),
    );
    if (fault === undefined) return undefined;
    if (fault.times === null) return fault.trouble;
    const left = { ...fault, times: fault.times - 1 };
    this.#waiting = this.#waiting.flatMap((each) =>
      each !== fault ? each : left.times > 0 ? left : [],
    );
    return fault.trouble;
  }

  shown(): s.Static<typeof FAULTS> {
    const faults = this.#waiting.map(({ id, method, path, times, trouble, says }) => {
      const { kind: effect, ...more } = trouble;
      const source = path.source.replaceAll('\\/', '/');
      return { id, method: method || null, path: source, times, effect, ...more, says };
    });
    return { faults };
  }
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch (error) {
    throw wrongBody(`path is not a valid regular expression: ${(error as Error).message}`);
  }
}

function troubleOf(asked: AskedFault): Injected {
  const { status, close, delay_ms: ms } = asked;
  if (status !== undefined) return responseOf(status, asked);
  if (close !== undefined) return { kind: 'close', when: close };
  return ms === undefined ? { kind: 'cut' } : { kind: 'delay', ms };
}

function responseOf(status: number, { headers = {}, body = '' }: AskedFault): Injected {
  const type = /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8';
  return {
    kind: 'status',
    status,
    headers: { ...(body !== '' && { 'content-type': type }), ...headersOf(headers) },
    body,
  };
}

const HEADER_NAME = "^[\\w!#$%&'*+.^`|~-]+$";
const HEADER_VALUE = '^[\\t\\x20-\\x7e\\x80-\\xff]*$';

function headersOf(headers: NonNullable<AskedFault['headers']>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function wrongHeader({ headers = {} }: AskedFault): string {
  const [name] =
    Object.entries(headers).find(
      ([each, value]) =>
        !new RegExp(HEADER_NAME).test(each) || !new RegExp(HEADER_VALUE).test(String(value)),
    ) ?? [];
  return `${JSON.stringify(name)} is not a valid header, or its value is not`;
}

/** A word in any case, as a pattern without flags, for use in other languages. */
function inAnyCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
}

const METHOD = `^(?:${METHODS.map(inAnyCase).join('|')})$`;
const TRANSFER_ENCODING = `^${inAnyCase('TRANSFER-ENCODING')}$`;

/** Which fields can be combined in a fault. */
export const FAULT_RULES: readonly TakenRule<AskedFault>[] = [
  {
    schema: { properties: { method: { pattern: METHOD } } },
    message: ({ method }) => `${JSON.stringify(method)} is not an HTTP method such as GET`,
  },
  {
    schema: {
      oneOf: FIELDS.map((field) => ({
        required: [field],
        ...(field === 'cut' && { properties: { cut: { const: true } } }),
      })),
    },
    message: `give exactly one of ${FIELDS.join(', ')}`,
  },
  {
    schema: { not: { required: ['times', 'lasts'] } },
    message: 'times and lasts exclude each other',
  },
  {
    schema: { dependentRequired: { headers: ['status'], body: ['status'] } },
    message: 'headers and body need a status',
  },
  {
    schema: {
      properties: { headers: { propertyNames: { not: { pattern: TRANSFER_ENCODING } } } },
    },
    message: 'transfer-encoding is set by the emulator, which sends a content-length',
  },
  {
    schema: {
      properties: {
        headers: {
          propertyNames: { pattern: HEADER_NAME },
          additionalProperties: { pattern: HEADER_VALUE },
        },
      },
    },
    message: wrongHeader,
  },
];
