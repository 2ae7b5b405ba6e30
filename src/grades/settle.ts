import type { GradeBody } from '../contract/index.ts';
import type { GradeLedger, RecordState, RunRecord, Settlement } from '../ledger/ledger.ts';
import { slices } from '../ledger/pages.ts';
import { unlessClaimed } from './run.ts';
import type { Compared, GradebookExport } from './verify.ts';

/**
 * A record in doubt, and what the export has of it. `same`: it shows the score, as it would without
 * this attempt, since another one that was recorded had the score too.
 */
export interface JudgedDoubt extends Omit<Compared, 'kind'> {
  readonly kind: Compared['kind'] | 'same';
}

/** Compares the records in doubt of a run with an export of the gradebook; changes nothing. */
export async function judgeDoubts(
  ledger: GradeLedger,
  { id }: Pick<RunRecord, 'id'>,
  gradebook: GradebookExport,
): Promise<JudgedDoubt[]> {
  const judged: JudgedDoubt[] = [];
  for await (const record of ledger.rows(id, { states: ['in_doubt'] })) {
    const compared = gradebook.look(record);
    const isSame = compared.kind === 'agrees' && (await wasRecorded(ledger, record, compared));
    judged.push(isSame ? { ...compared, kind: 'same' } : compared);
  }
  return judged;
}

/** Whether another attempt at the same address was recorded with a score that the export shows. */
async function wasRecorded(
  ledger: GradeLedger,
  { member, attempt }: RecordState,
  { shows }: Compared,
): Promise<boolean> {
  const urls = new Set<string>();
  let own: string | undefined;
  for await (const { id, url, state, body } of ledger.attempts({ member })) {
    if (id === attempt) own = url;
    else if (state === 'success' && shows((JSON.parse(body) as GradeBody).score)) urls.add(url);
  }
  return own !== undefined && urls.has(own);
}

/** Records of one commit. */
const AT_ONCE = 1000;

/**
 * Settles records of a run, or attempts of no run; resolves with the lines, or IDs, of those that were
 * settled. Each is settled wholly or not at all, also if the process ends. Nothing is sent.
 *
 * @throws {InvalidError} `run.claimed`: the run is being sent
 */
export async function settleRecords(
  ledger: GradeLedger,
  run: number | undefined,
  settlements: readonly Settlement[],
): Promise<Set<number>> {
  const settled = new Set<number>();
  for (const some of slices(settlements, AT_ONCE)) {
    const lines = await unlessClaimed(() => ledger.settleDoubts(run, some));
    for (const line of lines) settled.add(line);
  }
  return settled;
}
