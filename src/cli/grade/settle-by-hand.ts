import { type GradeBody, MEMBER_PLACEHOLDER, shownUrl } from '../../contract/index.ts';
import type { JudgedDoubt } from '../../grades/settle.ts';
import type {
  AttemptRecord,
  GradeLedger,
  RecordState,
  RunRecord,
  Settlement,
} from '../../ledger/ledger.ts';
import { STORED_PLACEHOLDER, toTemplate } from '../../ledger/address.ts';
import { DIFFERENCE_WORDS } from '../output/differences.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { findRun, refuseSending } from './bulk/find-run.ts';
import type { GradeSettleOptions } from './flags.ts';
import { addressFor, gradeTarget } from './target.ts';

/** What becomes of a grade: `settlement` is absent if it stays as it is. */
export interface Judged extends Omit<JudgedDoubt, 'kind' | 'shows'> {
  readonly kind: keyof typeof SETTLE_WORDS;
  readonly settlement?: Settlement;
}

export const SETTLE_WORDS = {
  ...DIFFERENCE_WORDS,
  agrees: 'recorded',
  same: 'same as before',
  not_recorded: 'not recorded',
};

export interface SettlePlan {
  /** undefined: grades that belong to no run. */
  readonly run: RunRecord | undefined;
  readonly source: string | null;
  readonly digest: string | null;
  readonly judged: readonly Judged[];
}

export function settlementOf(
  { line, state }: Pick<Judged, 'line' | 'state'>,
  settled: Settlement['state'],
  evidence: Pick<Settlement, 'source' | 'digest' | 'line' | 'because'>,
): Settlement {
  return { row: line ?? 0, before: state ?? 'in_doubt', state: settled, ...evidence };
}

/** The grades of members as the flags settle them, in a run or in none; `names` is `[RUN]`. */
export async function planByHand(
  context: Context<GradeSettleOptions>,
  names: readonly string[],
  members: readonly string[],
): Promise<SettlePlan> {
  const { recorded = false, notRecorded = false, because = '' } = context.options;
  if (names.length > 1) {
    const hint = 'repeat the flag for several members: --member ID --member ID';
    throw new UsageError('--member settles by hand, without an export', hint);
  }
  if (recorded === notRecorded) {
    throw new UsageError('--member requires either --recorded or --not-recorded');
  }
  if (because.trim() === '') {
    throw new UsageError('--member requires --because TEXT, which is stored as the reason');
  }
  const judge = (record: Settleable): Judged => {
    const { line, member, state, body } = record;
    const { score: sent } = JSON.parse(body) as GradeBody;
    const evidence = { source: null, digest: null, line: null, because };
    const settlement = settlementOf(record, recorded ? 'success' : 'not_sent', evidence);
    const none = { found: undefined, exportLine: undefined, text: undefined };
    const kind = recorded ? 'agrees' : 'not_recorded';
    return { kind, line, member, state, sent, ...none, settlement };
  };
  const byHand = { source: null, digest: null };
  const ledger = await gradeLedger(context);
  const singles = names.length === 0 ? await singleGrades(ledger, members) : [];
  if (singles.length > 0) {
    const meant = await ofOneAddress(context, singles);
    checkAll(members, meant, (member) => `no grade in doubt of the member ${member} is of no run`);
    return { run: undefined, ...byHand, judged: meant.map(judge) };
  }
  const run = await findRun(context, names[0]);
  await refuseSending(ledger, run.id);
  const records = await recordsOf(ledger, run.id, members);
  checkAll(members, records, (member) => `run ${run.id} has no record of the member ${member}`);
  for (const record of records) checkDoubt(run.id, record);
  return { run, ...byHand, judged: records.map(judge) };
}

type Settleable = Pick<RecordState, 'line' | 'member' | 'state' | 'body' | 'evidence'>;
type Single = Settleable & Pick<AttemptRecord, 'url'>;

function checkAll(
  members: readonly string[],
  records: readonly Settleable[],
  messageFor: (member: string) => string,
): void {
  const unknown = members.find((each) => !records.some(({ member }) => member === each));
  if (unknown !== undefined) throw new UsageError(messageFor(JSON.stringify(unknown)));
}

/** The evidence is about one gradebook: of several addresses, that of the launch or of `--url` counts. */
async function ofOneAddress(context: Context, singles: readonly Single[]): Promise<Single[]> {
  const addresses = new Set(
    singles.map((each) => toTemplate(each).replace(STORED_PLACEHOLDER, MEMBER_PLACEHOLDER)),
  );
  if (addresses.size === 1) return [...singles];
  const target = await gradeTarget(context).catch(() => undefined);
  const meant = singles.filter(
    ({ url, member }) => target !== undefined && url === addressFor(target, member),
  );
  if (meant.length > 0) return meant;
  throw new UsageError(
    `these grades are in doubt at several addresses: ${[...addresses].map(shownUrl).join(', ')}`,
    'pass the --launch that sent one of them, or its address as --url',
  );
}

async function recordsOf(ledger: GradeLedger, run: number, members: readonly string[]) {
  const records: RecordState[] = [];
  for await (const each of ledger.rows(run)) if (members.includes(each.member)) records.push(each);
  return records;
}

/**
 * The grades of no run that are meant without RUN: those in doubt, or else settled ones, unless the
 * newest run has such grades of these members.
 */
async function singleGrades(ledger: GradeLedger, members: readonly string[]): Promise<Single[]> {
  const [newest] = await ledger.runs(1);
  const records = newest ? await recordsOf(ledger, newest.id, members) : [];
  const singles: Single[] = [];
  for (const member of new Set(members)) {
    for await (const each of ledger.attempts({ member })) {
      if (each.run === undefined) singles.push({ ...each, line: each.id });
    }
  }
  for (const isMeant of [isInDoubt, isSettled]) {
    if (records.some(isMeant)) return [];
    const meant = singles.filter(isMeant);
    if (meant.length > 0) return meant;
  }
  return [];
}

function isInDoubt({ state }: Settleable): boolean {
  return state === 'in_doubt';
}

function isSettled({ evidence }: Settleable): boolean {
  return evidence !== undefined;
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
