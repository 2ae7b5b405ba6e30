import { METHODS } from 'node:http';
import type { Fault, Faults, Effect } from '../http/faults.ts';
import {
  millisecondsIn,
  notFound,
  numberIn,
  oneOf,
  optionalText,
  text,
  wrongBody,
  type Body,
} from './body.ts';

/** A fault that is waiting for matching requests, as the control API shows it. */
export interface WaitingFault {
  readonly id: number;
  /** null for any. */
  readonly method: string | null;
  /** A regular expression. */
  readonly path: string;
  readonly times: number;
  readonly effect: Effect['is'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly when?: string;
  readonly ms?: number;
}

/** Injects a fault into the next matching responses. */
export function addFault(faults: Faults, body: Body): { faults: readonly WaitingFault[] } {
  faults.add({
    method: methodIn(body),
    path: patternIn(body),
    times: body.times === undefined ? 1 : wholeNumber(1, body, 'times'),
    effect: effectIn(body),
  });
  return showFaults(faults);
}

/** Takes one fault away before it has struck. */
export function removeFault(faults: Faults, body: Body): { faults: readonly WaitingFault[] } {
  const id = numberIn(body, 'id');
  if (!faults.remove(id)) throw notFound('waiting fault', String(id));
  return showFaults(faults);
}

export function showFaults({ waiting }: Faults): { faults: readonly WaitingFault[] } {
  const shown = ({ id, method, path, times, effect: { is, ...effect } }: Fault): WaitingFault => {
    return {
      id,
      method: method || null,
      path: path.source.replaceAll('\\/', '/'),
      times,
      effect: is,
      ...effect,
    };
  };
  return { faults: waiting.map(shown) };
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

const EFFECTS = ['status', 'close', 'cut', 'delay_ms'] as const;

function effectIn(body: Body): Effect {
  const given = EFFECTS.filter((name) => body[name] !== undefined && body[name] !== false);
  const [is] = given;
  if (given.length !== 1) throw wrongBody(`give exactly one of ${EFFECTS.join(', ')}`);
  if (is !== 'status' && (body.headers !== undefined || body.body !== undefined)) {
    throw wrongBody('headers and body need a status');
  }
  switch (is) {
    case 'status':
      return statusEffectIn(body);
    case 'close':
      return { is, when: oneOf(body, 'close', ['before', 'after']) };
    case 'cut':
      return { is };
    default:
      return { is: 'delay', ms: millisecondsIn(body, 'delay_ms') };
  }
}

/** Statuses of a final response. */
const FINAL_STATUSES = { from: 200, to: 599 };

function statusEffectIn(body: Body): Effect {
  const status = wholeNumber(FINAL_STATUSES.from, body, 'status');
  if (status > FINAL_STATUSES.to) throw wrongBody(`status must be ${FINAL_STATUSES.to} or less`);
  const said = body.body === undefined ? '' : body.body;
  if (typeof said !== 'string') throw wrongBody('body must be a string');
  const type = /^\s*[[{]/.test(said) ? 'application/json' : 'text/plain; charset=utf-8';
  return {
    is: 'status',
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
