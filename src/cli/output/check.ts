import { stateCell } from './cells.ts';
import type { Table } from './table.ts';

/** How an address of a launch answers. */
export type CheckVerdict =
  | 'live'
  | 'ended'
  | 'forbidden'
  | 'unprovisioned'
  | 'missing'
  | 'refused'
  | 'unreachable'
  | 'not called';

/** The answer of one address, as `--json` prints it. */
export interface Check {
  readonly claim: string;
  /** Without its query; null where the claim is null. */
  readonly url: string | null;
  readonly verdict: CheckVerdict;
  /** The HTTP status, where there was an answer. */
  readonly status: number | null;
  /** From the call to the end of the answer. */
  readonly ms: number | null;
  /** What went wrong; empty where it answers. */
  readonly message: string;
  readonly exit: number;
}

const MEANINGS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  live: 'it answers',
  ended: 'the token is not accepted (any more): take a new launch',
  forbidden: "the token's user may not read it",
  unprovisioned: 'the level is not ready: lectern provision, with a provision request',
  missing: "no such row, or not this tool's",
};

/** The answers, one address a row. */
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

/** What does not answer, in a sentence: `ended: storage.member, files.member`. */
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
