import { type JudgedDoubt, judgeDoubts, settleRecords } from '../../grades/settle.ts';
import { quoted } from '../../contract/words.ts';
import type { RunRecord, Settlement } from '../../ledger/ledger.ts';
import { movedText } from '../../grades/run-target.ts';
import { UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { sourceName } from '../input/read.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import { countText, numberText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { confirm } from '../ask.ts';
import type { Prints } from '../output/all-forms.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { showNow } from '../output/print.ts';
import { findRun, refuseSending } from './bulk/find-run.ts';
import { commandLine } from './bulk/options.ts';
import { type GradeSettleOptions, SETTLE_FLAGS } from './flags.ts';
import {
  type Judged,
  planByHand,
  type SettlePlan,
  settlementOf,
  SETTLE_WORDS,
} from './settle-by-hand.ts';
import { noteColumns, readExport } from './verify.ts';

type SettleContext = Context<GradeSettleOptions>;

/** Some grades of a run are still in doubt. */
const LEFT = 1;

/** Settles grades in doubt; `names` is `[RUN] EXPORT`, or `[RUN]` with `--member`, also of no run. */
export async function runSettle(
  context: SettleContext,
  names: readonly string[],
): Prints<'grade settle'> {
  const plan = context.options.member
    ? await planByHand(context, names, context.options.member)
    : await planByExport(context, names);
  const { run, judged } = plan;
  const { dryRun } = context.options;
  const ledger = await gradeLedger(context);
  const planned = judged.flatMap(({ settlement }) => settlement ?? []);
  const shown = judged.slice(0, shownLimit(context));
  await showNow(context, {
    show: shown.length > 0 ? tableOf(JUDGED, shown) : [],
    notes: moreText(context, judged.length),
  });
  if (planned.length > 0 && !dryRun) await confirm(context, questionOf(plan, planned));
  const settled = dryRun
    ? new Set(planned.map(({ row }) => row))
    : await settleRecords(ledger, run?.id, planned);
  const closed = planned.filter(({ row, before }) => settled.has(row) && before === 'in_doubt');
  const doubts = run?.summary.inDoubt ?? judged.filter(({ state }) => state === 'in_doubt').length;
  const left =
    dryRun || run === undefined ? doubts - closed.length : (await ledger.summary(run.id)).inDoubt;
  const done = gradesOf(plan, settled.size);
  return {
    json: planJson(plan, settled, left, dryRun),
    notes: [
      settled.size > 0 ? `${dryRun ? 'would settle' : 'settled'} ${done}` : undefined,
      left === 0 && run
        ? `run ${run.id} ${dryRun && settled.size > 0 ? 'would have' : 'has'} nothing in doubt`
        : undefined,
    ],
    exit: left > 0 ? leftError(plan, left) : undefined,
  };
}

function gradesOf({ run }: SettlePlan, count: number): string {
  return `${countText(count, 'grade')} of ${run ? `run ${run.id}` : 'no run'}`;
}

async function planByExport(context: SettleContext, names: readonly string[]): Promise<SettlePlan> {
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
  const gradebook = await readExport(context, file, command);
  try {
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
  } finally {
    gradebook.close();
  }
}

export const JUDGED = {
  line: { numeric: true, drop: 1 },
  member: { whole: true },
  gradebook: {
    whole: true,
    made: ({ kind }: Judged) => ({ exact: kind, short: SETTLE_WORDS[kind] }),
  },
  run: { numeric: true, made: ({ sent }: Judged) => sent },
  export: { numeric: true, made: ({ found, text }: Judged) => found ?? text },
  export_line: { numeric: true, drop: 2, made: ({ exportLine }: Judged) => exportLine },
} satisfies ListColumns;

function questionOf(plan: SettlePlan, planned: readonly Settlement[]): string {
  const word = planned[0]?.state === 'success' ? 'recorded' : 'not recorded';
  return `Settle ${gradesOf(plan, planned.length)} as ${word}?`;
}

function planJson(
  { run, source, digest, judged }: SettlePlan,
  settled: ReadonlySet<number>,
  left: number,
  dryRun: boolean | undefined,
) {
  const isSettled = ({ settlement }: Judged): boolean =>
    settlement !== undefined && settled.has(settlement.row);
  const rest = judged.filter((each) => !isSettled(each));
  return {
    run: run?.id ?? null,
    source,
    digest,
    settled: judged.filter(isSettled).map(judgedJson),
    differs: rest.flatMap((each) => {
      if (each.kind !== 'differs') return [];
      const { member, score, line } = judgedJson(each);
      return [{ member, score, export: each.found ?? 0, line }];
    }),
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

function leftError(plan: SettlePlan, left: number): ExitError {
  const { run, judged } = plan;
  const has = (kind: Judged['kind']): boolean => judged.some((each) => each.kind === kind);
  const hints = [
    suspicion(judged),
    ...(has('same') ? ['settle scores that were recorded before, too, with --accept-same'] : []),
    run && sendAgainHint(run),
  ].filter((each) => each !== undefined);
  const message = `${gradesOf(plan, left)} still in doubt`;
  return new ExitError(LEFT, 'run.in_doubt', message, { hint: hints.join('\n') });
}

function sendAgainHint(run: RunRecord): string {
  const moved = movedText(run);
  if (moved !== undefined) return `run ${run.id} ${moved}: send grades again there`;
  return `send grades again that are not in the gradebook with: lectern grade resume ${run.id} --retry-in-doubt`;
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
