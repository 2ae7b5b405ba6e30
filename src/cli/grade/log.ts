import { gradeLedger } from '../session/ledger.ts';
import { type AttemptFilter, type State, STATES } from '../../ledger/ledger.ts';
import { nearest } from '../../validator/nearest.ts';
import { UsageError } from '../../errors.ts';
import { logLine, logTable } from '../output/grade-log.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { paginate } from '../shared/paginate.ts';
import { note, printTable, writeJson } from '../ui.ts';
import { findRun } from './bulk/find-run.ts';
import { readSince } from './since.ts';

interface LogOptions extends GlobalOptions {
  readonly member?: string;
  readonly status?: string;
  readonly since?: string;
  readonly run?: string;
  readonly limit?: number;
}

/** A longer table is slow and hard to read. */
const SHOWN_ON_TERMINAL = 200;

export async function runLog(context: Context<LogOptions>): Promise<void> {
  const { options } = context;
  const { stdout } = context;
  const isTable = stdout.isTerminal && !options.json;
  const filter = await filterOf(context);
  const limit = options.limit ?? (isTable ? SHOWN_ON_TERMINAL : undefined);
  const attempts = (await gradeLedger(context)).attempts({ ...filter, newestFirst: true, limit });
  let shown = 0;
  for await (const page of paginate(attempts, SHOWN_ON_TERMINAL)) {
    shown += page.length;
    if (options.json) await writeJson(stdout, page.map(logLine).join(''));
    else await printTable(context, logTable(page, context.now()));
    if (stdout.broken) return;
  }
  if (shown === 0) await note(context, 'no matching attempts');
  if (isTable && shown === SHOWN_ON_TERMINAL && options.limit === undefined) {
    await note(context, `showing the newest ${shown}; use --limit N for more`);
  }
}

async function filterOf(context: Context<LogOptions>): Promise<AttemptFilter> {
  const { member, status, since, run } = context.options;
  return {
    member,
    states: status === undefined ? undefined : status.split(',').flatMap((each) => statesOf(each)),
    since: since === undefined ? undefined : readSince(since, await ledgerNow(context)),
    run: run === undefined ? undefined : (await findRun(context, run)).id,
  };
}

/** Of a shared ledger only its own clock counts. */
async function ledgerNow(context: Context): Promise<number> {
  const { shared } = await gradeLedger(context);
  return shared ? shared.now() : context.now();
}

/** A hyphen is taken for the underscore: the flags of `grade report` have one. */
function statesOf(given: string): State[] {
  const word = given.replaceAll('-', '_');
  if (word === 'recorded') return ['success', 'failed'];
  if ((STATES as readonly string[]).includes(word)) return [word as State];
  throw new UsageError(
    `unknown status ${JSON.stringify(given)}`,
    nearest(word, [...STATES, 'recorded']),
  );
}
