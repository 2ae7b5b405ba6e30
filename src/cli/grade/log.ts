import { gradeLedger } from '../session/ledger.ts';
import { type AttemptFilter, type State, STATES } from '../../ledger/ledger.ts';
import { nearest } from '../../validator/nearest.ts';
import { UsageError } from '../../errors.ts';
import { logLine, logTable } from '../output/grade-log.ts';
import type { Context } from '../runtime.ts';
import { noteMore, shownLimit } from '../shared/newest.ts';
import { paginate } from '../../ledger/pages.ts';
import { printTo } from '../shared/write-output.ts';
import { note, printTable, writeJson } from '../ui.ts';
import { findRun } from './bulk/find-run.ts';
import type { GradeLogOptions } from './flags.ts';
import { parseInstant } from '../../contract/index.ts';
import { durationSeconds } from '../arguments/duration.ts';

/** Rows that are aligned together. */
const PAGE_ROWS = 200;

export function runLog(context: Context<GradeLogOptions & { output?: string }>): Promise<void> {
  return printTo(context, context.options.output, printLog);
}

async function printLog(context: Context<GradeLogOptions>): Promise<void> {
  const { options, stdout } = context;
  const filter = { ...(await filterOf(context)), newestFirst: true, limit: options.limit };
  const attempts = (await gradeLedger(context)).attempts(filter);
  const limit = shownLimit(context);
  let total = 0;
  for await (const page of paginate(attempts, PAGE_ROWS)) {
    const shown = page.slice(0, Math.max(0, limit - total));
    total += page.length;
    if (options.json) await writeJson(stdout, shown.map(logLine).join(''));
    else if (shown.length > 0) await printTable(context, logTable(shown, context.now()));
    if (stdout.broken) return;
  }
  if (total === 0) await note(context, 'no matching attempts');
  await noteMore(context, total);
}

async function filterOf(context: Context<GradeLogOptions>): Promise<AttemptFilter> {
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
  const { shared } = await gradeLedger(context);
  return shared ? shared.now() : context.now();
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
