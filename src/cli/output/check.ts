import { stateCell } from './cells.ts';
import type { Table } from './table.ts';

/** The result of calling a URL of a launch. */
export type CheckVerdict =
  | 'live'
  | 'ended'
  | 'forbidden'
  | 'unprovisioned'
  | 'missing'
  | 'refused'
  | 'unreachable'
  | 'not called';

/** The result for one URL, as `--json` prints it. */
export interface Check {
  readonly claim: string;
  /** Without its query; null where the claim is null. */
  readonly url: string | null;
  readonly verdict: CheckVerdict;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** From the call to the end of the response. */
  readonly ms: number | null;
  /** The error; empty if there is none. */
  readonly message: string;
  readonly exit: number;
}

const MEANINGS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  live: 'responds',
  ended: 'the token is not accepted: get a new launch',
  forbidden: "the token's user is not allowed to read it",
  unprovisioned: 'the level is not provisioned: lectern provision, with a provision request',
  missing: 'no such row, or it belongs to another tool',
};

/** The results, one URL per table row. */
export function checkTable(checks: readonly Check[]): Table {
  return {
    columns: [
      { name: 'claim', whole: true },
      { name: 'status', numeric: true, drop: 2 },
      { name: 'verdict', whole: true },
      { name: 'ms', numeric: true, drop: 1 },
      'meaning',
    ],
    rows: checks.map(({ claim, status, verdict, ms, message }) => [
      claim,
      status,
      stateCell(verdict),
      ms,
      MEANINGS[verdict] ?? message,
    ]),
  };
}

/** The failures, in one line: `ended: storage.member, files.member`. */
export function failureText(checks: readonly Check[]): string {
  const failed = checks.filter(({ exit }) => exit !== 0);
  const verdicts = [...new Set(failed.map(({ verdict }) => verdict))];
  const words = verdicts.map((verdict) => {
    const alike = failed.filter((each) => each.verdict === verdict);
    const why = verdict in MEANINGS ? '' : ` (${alike[0]?.message})`;
    return `${verdict}: ${alike.map(({ claim }) => claim).join(', ')}${why}`;
  });
  return words.join('; ');
}
