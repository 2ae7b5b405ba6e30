import * as s from '../../schema/schema.ts';
import type { Exchanges } from '../review/exchanges.ts';
import type { ReviewFinding } from '../review/findings.ts';
import { exchangesWhere } from '../review/rule.ts';
import { OF_TROUBLE, type StoredExchange } from '../review/stored-exchange.ts';
import { CHAOS_KINDS, type ChaosKind } from './chaos-kinds.ts';
import type { ChaosOptions } from './chaos.ts';

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
type Queried = Pick<Exchanges, 'rows'>;

const LISTED = 50;
const DOUBLED: ReadonlySet<string> = new Set([
  'request.grade_repeated_after_lost_answer',
  'request.grade_repeated',
]);

export function chaosReport(
  exchanges: Queried,
  findings: readonly ReviewFinding[],
  { seed, share }: ChaosOptions,
): ChaosReport {
  const doubled = findings
    .filter(({ code }) => DOUBLED.has(code))
    .map(({ requests, message }) => ({ requests, message }));
  const lost = [...withoutEffect(exchanges), ...droppedNames(exchanges)];
  return { seed, share, troubles: troublesOf(exchanges), lost, doubled };
}

function troublesOf(exchanges: Queried): ChaosReport['troubles'] {
  const troubles = new Map<ChaosKind, number[]>();
  const condition = `${OF_TROUBLE} AND trouble IS NOT NULL`;
  for (const { number, trouble } of exchangesWhere(exchanges, ['number', 'trouble'], condition)) {
    const numbers = troubles.get(trouble as ChaosKind);
    if (numbers === undefined) troubles.set(trouble as ChaosKind, [number]);
    else numbers.push(number);
  }
  return [...troubles].map(([trouble, numbers]) => {
    return { trouble, count: numbers.length, requests: numbers.slice(0, LISTED) };
  });
}

const WRITE = ['number', 'method', 'path', 'place', 'about', 'member', 'location'] as const;
const EFFECT = ['digest', 'status', 'outcome', 'size', 'trouble'] as const;
type Write = Pick<StoredExchange, (typeof WRITE)[number] | (typeof EFFECT)[number]>;

/** Writes without effect; one that is repeated, or replaced by a later one, is not lost. */
function withoutEffect(exchanges: Queried): Iterable<TroubleOutcome> {
  const open = new Map<string, TroubleOutcome>();
  const condition = "method <> 'GET' AND place IN ('row', 'grade', 'file', 'provision')";
  for (const each of exchangesWhere(exchanges, [...WRITE, ...EFFECT], condition)) {
    const { number, method, path, place, digest } = each;
    // A PUT replaces all earlier ones; each PATCH is a change of its own.
    const own = method === 'PATCH' ? digest : '';
    const id = `${place === 'row' ? '' : method} ${path} ${own}`;
    if (hasEffect(each)) {
      const isReplaced = (other: string): boolean =>
        place === 'row' && other.startsWith(` ${path} `);
      for (const other of method === 'PUT' ? open.keys() : [])
        if (isReplaced(other)) open.delete(other);
      open.delete(id);
    } else if (each.trouble !== null) {
      open.set(id, { requests: [number], message: messageOf(each) });
    }
  }
  return open.values();
}

function hasEffect({ status, outcome, size }: Write): boolean {
  if (outcome?.startsWith('attempt.')) return outcome === 'attempt.success';
  return size !== null || (status >= 200 && status < 300);
}

function messageOf({ method, path, place, about, member, location, outcome }: Write): string {
  switch (place) {
    case 'row':
      return `a ${method} of a ${about} had no effect and was not made again`;
    case 'grade': {
      const whom = `${member ?? 'the launching user'} at location ${location}`;
      return outcome === 'attempt.refused'
        ? `the LMS refused the grade of ${whom}, and it was not sent again`
        : `the grade of ${whom} was not recorded and not sent again`;
    }
    case 'file': {
      const key = path.slice(path.lastIndexOf('/') + 1);
      return `a ${method} of the file ${key} had no effect and was not made again`;
    }
    default:
      return 'the finish call of a provision request had no effect and was not made again';
  }
}

/** What another session wrote to a row after it was read, and what a later write removed. */
const DROPPED = `
  SELECT read.number AS read, min(later.number) AS number, read.meanwhile, read.row
  FROM exchanges AS read JOIN exchanges AS later
    ON later.row = read.row AND later.number > read.number
    AND later.dropped IS NOT NULL
    AND read.meanwhile IN (SELECT value FROM json_each(later.dropped))
  WHERE read.judged AND read.row IS NOT NULL AND read.meanwhile IS NOT NULL
  GROUP BY read.row, read.meanwhile, later.number ORDER BY later.number`;

interface Dropped {
  readonly read: number;
  readonly number: number;
  readonly meanwhile: string;
  readonly row: string;
}

function* droppedNames(exchanges: Queried): Generator<TroubleOutcome> {
  for (const { read, number, meanwhile, row } of exchanges.rows<Dropped>(DROPPED)) {
    const name = meanwhile.slice(1);
    const message = `${name}, which another session wrote to ${row}, was dropped`;
    yield { requests: [read, number], message };
  }
}
