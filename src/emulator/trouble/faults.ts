import { METHODS } from 'node:http';
import {
  type Body,
  millisecondsIn,
  notFound,
  numberIn,
  wordField,
  optionalText,
  text,
  wrongBody,
} from '../http/fields.ts';
import type { PlainRequest } from '../http/messages.ts';
import type { Injected } from './trouble.ts';

/** An injected fault: its trouble, and the requests that it matches. */
interface Fault {
  /** Counts up from 1. */
  readonly id: number;
  /** '' for any. */
  readonly method: string;
  /** Matched against path and query, as in the request line. */
  readonly path: RegExp;
  /** How many more requests it applies to. */
  readonly times: number;
  readonly trouble: Injected;
}

/** A fault that is waiting for matching requests, as the control API shows it. */
export interface WaitingFault {
  readonly id: number;
  /** null for any. */
  readonly method: string | null;
  /** A regular expression. */
  readonly path: string;
  readonly times: number;
  readonly effect: Injected['kind'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly when?: string;
  readonly ms?: number;
}

/** The faults that wait for matching requests, on both origins. A restart drops them. */
export class Faults {
  #waiting: readonly Fault[] = [];
  #count = 0;

  /** How many requests they still apply to. */
  get times(): number {
    return this.#waiting.reduce((sum, { times }) => sum + times, 0);
  }

  /** Adds the fault that the body of a control request describes. */
  add(body: Body): void {
    const fault = {
      method: methodIn(body),
      path: patternIn(body),
      times: body.times === undefined ? 1 : wholeNumber(1, body, 'times'),
      trouble: troubleIn(body),
    };
    this.#waiting = [...this.#waiting, { ...fault, id: ++this.#count }];
  }

  /** Removes one that has not been met yet. */
  remove(id: number): void {
    const left = this.#waiting.filter((each) => each.id !== id);
    if (left.length === this.#waiting.length) throw notFound('waiting fault', String(id));
    this.#waiting = left;
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The trouble of the first fault that a request matches, which then applies to one request less. */
  take({ method, target }: PlainRequest): Injected | undefined {
    const fault = this.#waiting.find(
      (each) => (each.method === '' || each.method === method) && each.path.test(target),
    );
    if (fault === undefined) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.#waiting = this.#waiting.flatMap((each) =>
      each !== fault ? each : left.times > 0 ? left : [],
    );
    return fault.trouble;
  }

  shown(): { faults: readonly WaitingFault[] } {
    const faults = this.#waiting.map(({ id, method, path, times, trouble }) => {
      const { kind: effect, ...more } = trouble;
      const source = path.source.replaceAll('\\/', '/');
      return { id, method: method || null, path: source, times, effect, ...more };
    });
    return { faults };
  }
}

/** '' for any. */
function methodIn(body: Body): string {
  const method = optionalText(body, 'method')?.toUpperCase() ?? '';
  if (method === '' || METHODS.includes(method)) return method;
  throw wrongBody(`${JSON.stringify(method)} is not an HTTP method such as GET`);
}

function patternIn(body: Body): RegExp {
  const source = text(body, 'path');
  try {
    return new RegExp(source);
  } catch (error) {
    throw wrongBody(`path is not a valid regular expression: ${(error as Error).message}`);
  }
}

/** How each kind is read, by the field that asks for it. */
const READERS: Readonly<Record<string, (body: Body) => Injected>> = {
  status: statusIn,
  close: (body) => ({ kind: 'close', when: wordField(body, 'close', ['before', 'after']) }),
  cut: () => ({ kind: 'cut' }),
  delay_ms: (body) => ({ kind: 'delay', ms: millisecondsIn(body, 'delay_ms') }),
};

function troubleIn(body: Body): Injected {
  const fields = Object.keys(READERS);
  const given = fields.filter((name) => body[name] !== undefined && body[name] !== false);
  const [field = ''] = given;
  const read = READERS[field];
  if (given.length !== 1 || read === undefined) {
    throw wrongBody(`give exactly one of ${fields.join(', ')}`);
  }
  if (field !== 'status' && (body.headers !== undefined || body.body !== undefined)) {
    throw wrongBody('headers and body need a status');
  }
  return read(body);
}

/** Statuses of a final response. */
const FINAL_STATUSES = { from: 200, to: 599 };

function statusIn(body: Body): Injected {
  const status = wholeNumber(FINAL_STATUSES.from, body, 'status');
  if (status > FINAL_STATUSES.to) throw wrongBody(`status must be ${FINAL_STATUSES.to} or less`);
  const said = body.body === undefined ? '' : body.body;
  if (typeof said !== 'string') throw wrongBody('body must be a string');
  const type = /^\s*[[{]/.test(said) ? 'application/json' : 'text/plain; charset=utf-8';
  return {
    kind: 'status',
    status,
    headers: { ...(said !== '' && { 'content-type': type }), ...headersIn(body) },
    body: said,
  };
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function headersIn({ headers = {} }: Body): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) throw wrongBody('headers must be an object');
  const entries = Object.entries(headers as Body).map(([name, value]) => {
    const isFit = HEADER_NAME.test(name) && HEADER_VALUE.test(String(value));
    if (!isFit)
      throw wrongBody(`${JSON.stringify(name)} is not a valid header, or its value is not`);
    return [name.toLowerCase(), String(value)] as const;
  });
  return Object.fromEntries(entries);
}

function wholeNumber(least: number, body: Body, field: string): number {
  const value = numberIn(body, field);
  if (Number.isInteger(value) && value >= least) return value;
  throw wrongBody(`${field} must be a whole number, ${least} or more`);
}
