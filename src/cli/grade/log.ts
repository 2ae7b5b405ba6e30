import { gradeLedger } from '../session/ledger.ts';
import { type AttemptFilter, type AttemptRecord, STATES, type State } from '../../ledger/ledger.ts';
import { nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import type { Called, Context } from '../runtime.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { JsonList, type Result, type Results } from '../output/result.ts';
import { FirstOf } from '../shared/first-of.ts';
import { resultsFor } from '../shared/write-output.ts';
import { findRun } from './bulk/find-run.ts';
import type { LOG_FLAGS } from './flags.ts';
import { parseInstant, scoreText } from '../../contract/index.ts';
import { durationSeconds } from '../arguments/numbers.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import { stateCell, timeCell, type Table } from '../output/table.ts';
import { RecordColumns } from '../../grades/record-columns.ts';
import { jsonWithRaw } from '../output/json-text.ts';

/** Rows that are aligned together. */
const PAGE_ROWS = 200;

export function runLog(context: Called<typeof LOG_FLAGS>): Promise<Results> {
  return resultsFor(context, async (to) => listed(to));
}

async function* listed(context: Called<typeof LOG_FLAGS>): AsyncGenerator<Result> {
  const { options } = context;
  const filter = { ...(await filterOf(context)), newestFirst: true, limit: options.limit };
  const ledger = await gradeLedger(context);
  const first = new FirstOf(ledger.attempts(filter), shownLimit(context));
  const tableOfPage = (page: readonly AttemptRecord[]): Table =>
    tableOf(
      LOG,
      page.map((attempt) => new RecordColumns(attempt)),
      context.now(),
    );
  const csv = /\.csv$/i.test(options.output ?? '') ? { csv: tableOf(LOG, []) } : {};
  yield {
    json: new JsonList(
      first.pages(PAGE_ROWS, (page) => page.map(logLine)),
      { isLines: true },
    ),
    show: { pages: first.pages(PAGE_ROWS, tableOfPage), ...csv },
  };
  const none = first.total === 0 ? 'no matching attempts' : undefined;
  yield { notes: [none, ...moreText(context, first.total)] };
}

async function filterOf(context: Called<typeof LOG_FLAGS>): Promise<AttemptFilter> {
  const { member, status, all = false, since, run } = context.options;
  return {
    member,
    states: status === undefined ? undefined : status.split(',').flatMap((each) => statesOf(each)),
    stillInDoubt: status !== undefined && !all,
    withdrawn: false,
    since: since === undefined ? undefined : readSince(since, await ledgerNow(context)),
    run: run === undefined ? undefined : (await findRun(context, run)).id,
  };
}

/** In a shared ledger, only the server's clock counts. */
async function ledgerNow(context: Context): Promise<number> {
  return (await gradeLedger(context)).now();
}

/** Accepts hyphens for underscores, as in the flags of `grade report`. */
function statesOf(given: string): State[] {
  const word = given.replaceAll('-', '_');
  if (word === 'recorded') return ['success', 'failed'];
  if ((STATES as readonly string[]).includes(word)) return [word as State];
  throw new UsageError(
    `unknown status ${JSON.stringify(given)}`,
    nearest(word, [...STATES, 'recorded']),
  );
}

/** Reads a date, or a duration before `now`; returns ms since the epoch, like `now`. */
function readSince(text: string, now: number): number {
  const ago = durationSeconds(text);
  if (ago !== undefined) return now - ago * 1000;
  const moment = parseInstant(text.trim());
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(
    `--since ${JSON.stringify(text)} is not a valid time`,
    'use 2026-10-13, 2026-10-13T08:00Z, or a duration: 90min, 12h, 7d',
  );
}

type Attempt = RecordColumns<AttemptRecord>;

/** Attempts, one per line. */
export const LOG = {
  attempt: { numeric: true, whole: true, made: ({ source }: Attempt) => source.id },
  time: { drop: 4, made: ({ source }: Attempt, now) => timeCell(source.time, now) },
  member: { whole: true },
  score: {
    numeric: true,
    made: ({ score, max_score: max }: Attempt) => ({ exact: score, short: scoreText(score, max) }),
  },
  outcome: { whole: true, made: ({ source }: Attempt) => stateCell(source.state) },
  http: { numeric: true, drop: 2 },
  run: { numeric: true, drop: 3, made: ({ source }: Attempt) => source.run },
  line: { numeric: true, drop: 1 },
  error: {
    made: ({ error, response }: Attempt) =>
      [error, response].filter((each) => each !== null).join('; '),
  },
  evidence: { drop: 5 },
} satisfies ListColumns;

/**
 * A line of JSON for an attempt, with the complete request and the service's record. For an attempt
 * in doubt, `answer` is the unusable response, if there was one.
 */
function logLine(attempt: AttemptRecord): string {
  const { id, time, member, credential, url, run = null, line = null } = attempt;
  const { location = null, context = null, body, outcome: kept, worker } = attempt;
  const columns = new RecordColumns(attempt);
  const { outcome, status, http, error, attemptJson, evidenceJson: evidence } = columns;
  const answer = kept?.kind === 'in_doubt' ? kept.text || null : null;
  const made = { id, time: new Date(time).toISOString(), member, run, line };
  const where = { credential, url, location, context };
  return jsonWithRaw(
    { ...made, outcome, status, http, ...where, answer },
    { grade: body, attempt: attemptJson },
    { error, worker, evidence },
  );
}
