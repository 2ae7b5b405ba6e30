import { originOf } from '../contract/url.ts';
import type { AttemptRecord, CredentialKind, Outcome, State } from './ledger.ts';
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
