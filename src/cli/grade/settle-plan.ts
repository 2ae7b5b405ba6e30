import type { JudgedDoubt } from '../../grades/settle.ts';
import type { RunRecord, Settlement } from '../../ledger/ledger.ts';
import { DIFFERENCE_WORDS } from '../output/differences.ts';

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
