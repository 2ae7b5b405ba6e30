import { originOf } from '../contract/url.ts';
import type { AttemptRecord, CredentialKind, KnownGrade, Outcome, State } from './ledger.ts';
import { fillTemplate } from './marked-url.ts';

/** An attempt as a store reads it, with its target and the state and time of its outcome. */
export interface AttemptColumns {
  readonly id: number;
  readonly time: number;
  readonly url: string;
  readonly location: string | null;
  readonly context: string | null;
  readonly member: string;
  readonly credential: CredentialKind;
  readonly body: string;
  readonly run: number | null;
  readonly line: number | null;
  readonly settled: number | null;
  readonly state: State | null;
}

/** Without an outcome an attempt is in doubt. */
export function toAttempt(row: AttemptColumns, outcome: Outcome | undefined): AttemptRecord {
  const url = fillTemplate(row.url, row.member);
  return {
    id: row.id,
    time: row.time,
    url,
    origin: originOf(url) ?? '',
    member: row.member,
    location: row.location ?? undefined,
    context: row.context ?? undefined,
    credential: row.credential,
    body: row.body,
    run: row.run ?? undefined,
    line: row.line ?? undefined,
    state: row.state ?? 'in_doubt',
    outcome,
    settled: row.settled ?? undefined,
  };
}

/** The last success at an address, or an attempt that is still in doubt. */
export interface KnownColumns {
  readonly id: number;
  readonly time: number;
  readonly body: string;
  readonly run: number | null;
  readonly state: State | null;
}

/** What the attempts at one address say, in the order they were made; `textOf` is the service's record. */
export function toKnown<Row extends KnownColumns>(
  rows: readonly Row[],
  textOf: (row: Row) => string | undefined,
): KnownGrade {
  const last = rows.find(({ state }) => state === 'success');
  return {
    last: last && { id: last.id, time: last.time, body: last.body, attempt: textOf(last) ?? '' },
    doubts: rows
      .filter(({ state }) => state !== 'success')
      .map(({ id, body, run }) => ({ id, body, run: run ?? undefined })),
  };
}

/**
 * SQL: whether one of `attempts`, with its `outcome`, is still in doubt. It is not if the same grade was
 * sent again and recorded, whether the LMS took it or not. `schema` precedes the names of tables.
 */
export function stillInDoubt(schema: '' | 'lectern.'): string {
  return `coalesce(outcome.state, 'in_doubt') = 'in_doubt' AND NOT EXISTS (
    SELECT 1 FROM ${schema}attempts AS later
      JOIN ${schema}outcomes AS known ON known.attempt = later.id
    WHERE later.member = attempts.member AND later.target = attempts.target
      AND later.id > attempts.id AND later.body = attempts.body
      AND known.state IN ('success', 'failed'))`;
}
