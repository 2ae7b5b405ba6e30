import { createHash } from 'node:crypto';
import { asBuffer, parsed } from '../review/body-text.ts';
import { isObject } from '../../contract/index.ts';
import { Recent } from '../review/recent.ts';
import type { ReviewFinding } from '../review/findings.ts';
import type { SeenRequest } from '../review/seen-request.ts';
import * as s from '../../schema/schema.ts';
import { CHAOS_KINDS, type ChaosKind } from './chaos-kinds.ts';

export interface ChaosOptions {
  readonly seed: string;
  /** The share of the requests that meet trouble, from 0 to 1. */
  readonly share: number;
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
export class Outcomes {
  readonly #options: ChaosOptions;
  readonly #troubles = new Map<ChaosKind, number[]>();
  readonly #counts = new Map<ChaosKind, number>();
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
      troubles: [...this.#troubles].map(([trouble, requests]) => {
        return { trouble, count: this.#counts.get(trouble) ?? 0, requests };
      }),
      lost: [...[...this.#open.entries()].map(([, outcome]) => outcome), ...this.#dropped],
      doubled,
    };
  }

  reset(): void {
    this.#troubles.clear();
    this.#counts.clear();
    this.#open.clear();
    this.#foreign.clear();
    this.#dropped.length = 0;
  }

  #count(trouble: ChaosKind, number: number): void {
    const listed = this.#troubles.get(trouble) ?? [];
    if (listed.length < LISTED) this.#troubles.set(trouble, [...listed, number]);
    this.#counts.set(trouble, (this.#counts.get(trouble) ?? 0) + 1);
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
