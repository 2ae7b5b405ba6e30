import { type JudgedDoubt, judgeDoubts, settleRecords } from '../../grades/settle.ts';
import type { GradeBody } from '../../contract/index.ts';
import { quoted } from '../../contract/words.ts';
import type { RecordState, RunRecord, Settlement } from '../../ledger/ledger.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { sourceName } from '../input/read.ts';
import { type Table, listTable } from '../output/table.ts';
import { countText, numberText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { confirm } from '../ask.ts';
import { note, noteMore, shownLimit } from '../output/notes.ts';
import { printJson, printTable } from '../output/print.ts';
import { findRun, refuseSending } from './bulk/find-run.ts';
import { commandLine } from './bulk/options.ts';
import { type GradeSettleOptions, SETTLE_FLAGS } from './flags.ts';
import { noteColumns, WORDS as DIFFERENCES, withExport } from './verify.ts';

type SettleContext = Context<GradeSettleOptions>;

/** What becomes of a grade: `settlement` is absent if it stays as it is. */
interface Judged extends Omit<JudgedDoubt, 'kind' | 'shows'> {
  readonly kind: keyof typeof WORDS;
  readonly settlement?: Settlement;
}

const WORDS = {
  ...DIFFERENCES,
  agrees: 'recorded',
  same: 'same as before',
  not_recorded: 'not recorded',
};

interface Plan {
  readonly run: RunRecord;
  readonly source: string | null;
  readonly digest: string | null;
  readonly judged: readonly Judged[];
}

/** Some grades of a run are still in doubt. */
const LEFT = 1;

/** Settles grades in doubt; `names` is `[RUN] EXPORT`, or `[RUN]` with `--member`. */
export async function runSettle(context: SettleContext, names: readonly string[]): Promise<void> {
  const plan = context.options.member
    ? await planByHand(context, names, context.options.member)
    : await planByExport(context, names);
  const { run, judged } = plan;
  const { dryRun, json } = context.options;
  const ledger = await gradeLedger(context);
  const planned = judged.flatMap(({ settlement }) => settlement ?? []);
  if (!json) await showPlan(context, plan);
  if (planned.length > 0 && !dryRun) await confirm(context, questionOf(run.id, planned));
  const settled = dryRun
    ? new Set(planned.map(({ row }) => row))
    : await settleRecords(ledger, run.id, planned);
  const closed = planned.filter(({ row, before }) => settled.has(row) && before === 'in_doubt');
  const left = dryRun
    ? run.summary.inDoubt - closed.length
    : (await ledger.summary(run.id)).inDoubt;
  if (json) await printJson<'grade settle'>(context, planJson(plan, settled, left, dryRun));
  const done = `${countText(settled.size, 'grade')} of run ${run.id}`;
  if (settled.size > 0) await note(context, dryRun ? `would settle ${done}` : `settled ${done}`);
  if (left > 0) throw leftError(plan, left);
  await note(context, `run ${run.id} has nothing in doubt`);
}

async function planByExport(context: SettleContext, names: readonly string[]): Promise<Plan> {
  const { options } = context;
  const file = names.at(-1);
  if (options.recorded || options.notRecorded || options.because !== undefined) {
    throw new UsageError('--recorded, --not-recorded and --because require --member ID');
  }
  if (file === undefined || names.length > 2) {
    const hint = 'use lectern grade settle [RUN] EXPORT, or lectern grade settle [RUN] --member ID';
    throw new UsageError('settle takes a run and an export of the gradebook', hint);
  }
  const run = await findRun(context, names.length === 2 ? names[0] : undefined);
  const words = `grade settle ${names.map(quoted).join(' ')}`;
  const command = commandLine(words, SETTLE_FLAGS, options);
  const ledger = await gradeLedger(context);
  await refuseSending(ledger, run.id);
  return withExport(context, file, command, async (gradebook) => {
    await noteColumns(context, run.id, gradebook, file);
    const [source, { digest }] = [sourceName(file), gradebook];
    const settled = ['agrees', ...(options.acceptSame ? ['same'] : [])];
    const settledBy = (doubt: JudgedDoubt): Judged => {
      const evidence = { source, digest, line: doubt.exportLine ?? null, because: null };
      return { ...doubt, settlement: settlementOf(doubt, 'success', evidence) };
    };
    const doubts = await judgeDoubts(ledger, run, gradebook);
    const judged = doubts.map((doubt) => (settled.includes(doubt.kind) ? settledBy(doubt) : doubt));
    return { run, source, digest, judged };
  });
}

function settlementOf(
  { line, state }: Pick<Judged, 'line' | 'state'>,
  settled: Settlement['state'],
  evidence: Pick<Settlement, 'source' | 'digest' | 'line' | 'because'>,
): Settlement {
  return { row: line ?? 0, before: state ?? 'in_doubt', state: settled, ...evidence };
}

async function planByHand(
  context: SettleContext,
  names: readonly string[],
  members: readonly string[],
): Promise<Plan> {
  const { recorded = false, notRecorded = false, because = '' } = context.options;
  if (names.length > 1) throw new UsageError('--member settles by hand, without an export');
  if (recorded === notRecorded) {
    throw new UsageError('--member requires either --recorded or --not-recorded');
  }
  if (because.trim() === '') {
    throw new UsageError('--member requires --because TEXT, which is stored as the reason');
  }
  const run = await findRun(context, names[0]);
  const ledger = await gradeLedger(context);
  await refuseSending(ledger, run.id);
  const wanted = new Set(members);
  const judged: Judged[] = [];
  for await (const record of ledger.rows(run.id)) {
    if (!wanted.delete(record.member)) continue;
    checkDoubt(run.id, record);
    const { line, member, state, body } = record;
    const { score: sent } = JSON.parse(body) as GradeBody;
    const evidence = { source: null, digest: null, line: null, because };
    const settlement = settlementOf(record, recorded ? 'success' : 'not_sent', evidence);
    const none = { found: undefined, exportLine: undefined, text: undefined };
    const kind = recorded ? 'agrees' : 'not_recorded';
    judged.push({ kind, line, member, state, sent, ...none, settlement });
  }
  const [unknown] = wanted;
  if (unknown === undefined) return { run, source: null, digest: null, judged };
  throw new UsageError(`run ${run.id} has no record of the member ${JSON.stringify(unknown)}`);
}

/** Only a doubt can be settled, again too: an answer counts more. */
function checkDoubt(run: number, { member, state, evidence }: RecordState): void {
  if (state === 'in_doubt' || evidence) return;
  const known = state === 'not_sent' ? 'was not sent' : `has the outcome ${state}`;
  const message = `the grade of ${member} in run ${run} is not in doubt: it ${known}`;
  throw new InvalidError(message, {
    code: 'settle.not_in_doubt',
    hint: `list those in doubt with: lectern grade report ${run} --in-doubt`,
  });
}

async function showPlan(context: SettleContext, { judged }: Plan): Promise<void> {
  const shown = judged.slice(0, shownLimit(context));
  if (shown.length > 0) await printTable(context, judgedTable(shown));
  await noteMore(context, judged.length);
}

function judgedTable(judged: readonly Judged[]): Table {
  return listTable(judged, [
    { name: 'line', numeric: true, drop: 1, cell: ({ line }) => line },
    { name: 'member', whole: true, cell: ({ member }) => member },
    { name: 'gradebook', whole: true, cell: ({ kind }) => ({ exact: kind, short: WORDS[kind] }) },
    { name: 'run', numeric: true, cell: ({ sent }) => sent },
    { name: 'export', numeric: true, cell: ({ found, text }) => found ?? text },
    { name: 'export line', numeric: true, drop: 2, cell: ({ exportLine }) => exportLine },
  ]);
}

function questionOf(run: number, planned: readonly Settlement[]): string {
  const word = planned[0]?.state === 'success' ? 'recorded' : 'not recorded';
  return `Settle ${countText(planned.length, 'grade')} of run ${run} as ${word}?`;
}

function planJson(
  { run, source, digest, judged }: Plan,
  settled: ReadonlySet<number>,
  left: number,
  dryRun: boolean | undefined,
) {
  const isSettled = ({ settlement }: Judged): boolean =>
    settlement !== undefined && settled.has(settlement.row);
  const rest = judged.filter((each) => !isSettled(each));
  return {
    run: run.id,
    source,
    digest,
    settled: judged.filter(isSettled).map(judgedJson),
    differs: rest.flatMap((each) =>
      each.kind === 'differs' ? [{ ...judgedJson(each), export: each.found ?? 0 }] : [],
    ),
    missing: rest.flatMap((each) => {
      const { kind } = each;
      const isMissing = kind === 'missing' || kind === 'no_grade' || kind === 'unreadable';
      return isMissing ? [{ ...judgedJson(each), difference: kind }] : [];
    }),
    same: rest.filter(({ kind }) => kind === 'same').map(judgedJson),
    left_in_doubt: left,
    ...(dryRun && { dry_run: true as const }),
  };
}

function judgedJson({ member, sent = 0, exportLine }: Judged) {
  return { member, score: sent, line: exportLine ?? null };
}

function leftError({ run: { id }, judged }: Plan, left: number): ExitError {
  const has = (kind: Judged['kind']): boolean => judged.some((each) => each.kind === kind);
  const hints = [
    suspicion(judged),
    ...(has('same') ? ['settle scores that were recorded before, too, with --accept-same'] : []),
    `send grades again that are not in the gradebook with: lectern grade resume ${id} --retry-in-doubt`,
  ].filter((each) => each !== undefined);
  const message = `${countText(left, 'grade')} of run ${id} still in doubt`;
  return new ExitError(LEFT, 'run.in_doubt', message, { hint: hints.join('\n') });
}

/** What is probably wrong with an export that shows no score of the run. */
function suspicion(judged: readonly Judged[]): string | undefined {
  const count = numberText(judged.length);
  if (judged.length === 0) return undefined;
  if (judged.every(({ kind }) => kind === 'missing')) {
    return `the export has no member of these ${count}: it may be of another course, or --map names another column`;
  }
  if (judged.every(({ kind }) => kind === 'differs')) {
    return `all ${count} scores differ: the export may have another scale (--max-score, --map)`;
  }
  return undefined;
}
