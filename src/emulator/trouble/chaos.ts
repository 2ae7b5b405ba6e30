import { createHash } from 'node:crypto';
import { isObject } from '../../contract/index.ts';
import { Recent } from '../review/recent.ts';
import type { ReviewFinding } from '../review/findings.ts';
import { asBuffer, parsed, type SeenRequest } from '../review/seen-request.ts';
import type { Call } from '../service/call.ts';
import * as s from '../../schema/schema.ts';
import { CHAOS_KINDS, type ChaosKind, chooseKind, troubleOf } from './chaos-kinds.ts';

export interface ChaosOptions {
  readonly seed: string;
  /** The share of the requests that meet trouble, from 0 to 1. */
  readonly share: number;
}

/**
 * The part that differs in each run: the signature of an address. Those of files are random as a
 * whole.
 */
const RANDOM = /\bcheck=[^&]*/;

/** How many addresses are counted; beyond it, the oldest count is dropped. */
const MAX_COUNTED = 100_000;

/**
 * Injected faults. Whether a request gets one, and which, depends on the seed, its method and
 * address, and the number of equal requests before it, but not on the order of concurrent requests.
 * The addresses of file bytes count as one.
 */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #counts = new Recent<number>(MAX_COUNTED);
  readonly outcomes: Outcomes;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.outcomes = new Outcomes(options);
  }

  choose(call: Call) {
    const { seed, share } = this.#options;
    const { method, origin, target } = call.request;
    const id = `${method} ${origin === 'blobs' ? 'signed' : target.replace(RANDOM, '')}`;
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    const draw = (what: string): number => hash(`${seed}\n${id}\n${count}\n${what}`) / 2 ** 32;
    if (draw('whether') >= share) return undefined;
    const name = chooseKind(call, draw('which'));
    return name && { name, trouble: troubleOf(name, draw('how long')) };
  }

  /** Starts again from the seed. */
  reset(): void {
    this.#counts.clear();
    this.outcomes.reset();
  }
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a of the text's UTF-16 units, well mixed: the same 32 bits on every platform. */
function hash(text: string): number {
  let value = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), FNV_PRIME);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

const OUTCOME = s.object({ requests: s.list(s.count), message: s.text });
/** A write that was lost or doubled, and the requests that show it. */
type TroubleOutcome = s.Static<typeof OUTCOME>;

/** What chaos did, and its consequences. */
export const CHAOS_REPORT = s.object({
  seed: s.text,
  share: s.anyNumber,
  troubles: s.list(
    s.object({
      trouble: s.oneOf(...CHAOS_KINDS),
      count: s.count,
      requests: s.described(s.list(s.count), 'the first of them'),
    }),
  ),
  lost: s.list(OUTCOME),
  doubled: s.list(OUTCOME),
});
type ChaosReport = s.Static<typeof CHAOS_REPORT>;

const LISTED = 50;
const MAX_OPEN = 10_000;
const DOUBLED: ReadonlySet<string> = new Set([
  'request.grade_repeated_after_lost_answer',
  'request.grade_repeated',
]);

/** Follows the consequences of trouble: a write without effect is lost until it is repeated. */
class Outcomes {
  readonly #options: ChaosOptions;
  readonly #troubles = new Map<ChaosKind, { count: number; readonly requests: number[] }>();
  /** Writes without effect, by intent. */
  readonly #open = new Recent<TroubleOutcome>(MAX_OPEN);
  /** What others wrote to rows: the numbers of the reads before, by row and name. */
  readonly #foreign = new Map<string, Map<string, number>>();
  readonly #dropped: TroubleOutcome[] = [];

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  see(seen: SeenRequest, trouble: ChaosKind | undefined): void {
    if (trouble !== undefined) this.#count(trouble, seen.number);
    const { row, written } = seen.facts;
    if (row !== undefined && written !== undefined) this.#noteDropped(seen, row.key, written.after);
    const what = intentOf(seen);
    if (what === undefined) return;
    if (hasEffect(seen)) this.#open.delete(what.id);
    else if (trouble !== undefined) {
      this.#open.set(what.id, { requests: [seen.number], message: what.message });
    }
  }

  /** Records a name that somebody else wrote into a row, after the read with this number. */
  changed(row: string, name: string, number: number): void {
    const names = this.#foreign.get(row) ?? new Map<string, number>();
    this.#foreign.set(row, names.set(name, number));
  }

  report(findings: readonly ReviewFinding[]): ChaosReport {
    const { seed, share } = this.#options;
    const doubled = findings
      .filter(({ code }) => DOUBLED.has(code))
      .map(({ requests, message }) => ({ requests, message }));
    return {
      seed,
      share,
      troubles: [...this.#troubles].map(([trouble, { count, requests }]) => {
        return { trouble, count, requests };
      }),
      lost: [...[...this.#open.entries()].map(([, outcome]) => outcome), ...this.#dropped],
      doubled,
    };
  }

  reset(): void {
    this.#troubles.clear();
    this.#open.clear();
    this.#foreign.clear();
    this.#dropped.length = 0;
  }

  #count(trouble: ChaosKind, number: number): void {
    const met = this.#troubles.get(trouble) ?? { count: 0, requests: [] };
    this.#troubles.set(trouble, met);
    met.count++;
    if (met.requests.length < LISTED) met.requests.push(number);
  }

  #noteDropped({ number }: SeenRequest, row: string, after: Uint8Array): void {
    const names = this.#foreign.get(row);
    if (names === undefined) return;
    const object = parsed(after);
    if (!isObject(object)) return;
    for (const [name, read] of names) {
      if (Object.hasOwn(object, name)) continue;
      names.delete(name);
      if (this.#dropped.length >= MAX_OPEN) continue;
      const message = `${name}, which another session wrote to ${row}, was dropped`;
      this.#dropped.push({ requests: [read, number], message });
    }
  }
}

interface Intent {
  readonly id: string;
  readonly message: string;
}

/** The intent of a write: if it is repeated, or replaced by a later one, nothing is lost. */
function intentOf({ request, place, target, facts }: SeenRequest): Intent | undefined {
  const { method } = request;
  if (target === undefined || method === 'GET') return undefined;
  switch (target.kind) {
    case 'row': {
      // A PUT replaces all earlier ones; each PATCH is a change of its own.
      const own = method === 'PATCH' ? digest(request.body) : '';
      const { kind } = target.row;
      return {
        id: `row ${request.target} ${own}`,
        message: `a ${method} of a ${kind} row had no effect and was not made again`,
      };
    }
    case 'grade': {
      const { location, member, user } = target.grade;
      const refused = facts.attempt?.failure === 'refused';
      const whom = `${member || user} at location ${location}`;
      return {
        id: `grade ${request.target}`,
        message: refused
          ? `the LMS refused the grade of ${whom}, and it was not sent again`
          : `the grade of ${whom} was not recorded and not sent again`,
      };
    }
    case 'file':
      return {
        id: `${method} ${request.target}`,
        message: `a ${method} of the file ${target.key} had no effect and was not made again`,
      };
    default:
      return place === 'provision'
        ? {
            id: `provision ${request.target}`,
            message: 'the finish call of a provision request had no effect and was not made again',
          }
        : undefined;
  }
}

function hasEffect({ status, facts }: SeenRequest): boolean {
  if (facts.attempt !== undefined) return facts.attempt.status === 'success';
  return facts.written !== undefined || (status >= 200 && status < 300);
}

function digest(body: SeenRequest['request']['body']): string {
  return body instanceof Uint8Array
    ? createHash('sha256').update(asBuffer(body)).digest('base64')
    : '';
}
