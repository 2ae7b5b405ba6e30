import { findingWithCommand } from './command-hints.ts';
import type { Finding } from '../../validator/finding.ts';
import type { PlanSample } from '../../grades/plan-sample.ts';
import type { Overlap } from '../../ledger/ledger.ts';
import type { Table } from './table.ts';
import { countText } from './units.ts';

/** A plan as shown to the user. */
export interface ShownPlan {
  readonly source: string;
  readonly rows: number;
  readonly selected: number;
  readonly unchanged: number;
  readonly notHigher: number;
  readonly replaced: number;
  readonly beyondLimit: number;
  readonly sample: PlanSample;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly origin: string;
  readonly course: string | undefined;
  readonly location: string | undefined;
  readonly credential: 'launch_token' | 'api_key';
  /** Whether unchanged rows are left out. */
  readonly skipUnchanged: boolean;
  /** Members that open runs of a shared ledger would send too. */
  readonly overlaps: readonly Overlap[];
}

/** The digest on a line of its own, since a table would truncate it to the terminal width. */
export function digestLine({ digest }: ShownPlan, isTerminal: boolean): string {
  return `digest${isTerminal ? '  ' : '\t'}${digest}\n`;
}

/** The plan without its digest, one fact per line. Zero counts are omitted. */
export function planTable(plan: ShownPlan): Table {
  const { unchanged, skipUnchanged, sample } = plan;
  const { scores } = sample;
  const facts: [string, string | number | undefined][] = [
    ['attempts', plan.selected],
    ['records', plan.rows],
    [skipUnchanged ? 'skipped, unchanged' : 'unchanged', unchanged || undefined],
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, replaced by a later record', plan.replaced || undefined],
    ['skipped, beyond the limit', plan.beyondLimit || undefined],
    ['scores', scores && rangeText(scores)],
    ['source', plan.source],
    ['service', plan.origin],
    ['course', plan.course],
    ['location', plan.location],
    ['credential', plan.credential === 'api_key' ? 'tool API key' : 'launch token'],
    ...plan.overlaps.map(({ run, count }): [string, string] => [
      `also in run ${run}`,
      countText(count, 'member'),
    ]),
  ];
  return {
    columns: [{ name: 'plan', whole: true }, ''],
    rows: facts.filter(([, value]) => value !== undefined),
  };
}

function rangeText({ lowest, highest }: NonNullable<PlanSample['scores']>): string {
  return lowest === highest ? `all ${lowest}` : `${lowest} to ${highest}`;
}

/** The first rows of a plan, with what the ledger knows to be recorded before. */
export function sampleTable({ rows }: PlanSample): Table {
  return {
    columns: [
      { name: 'line', numeric: true, drop: 2 },
      { name: 'member', whole: true },
      { name: 'score', whole: true },
      { name: 'of', numeric: true, drop: 1 },
      'comment',
    ],
    rows: rows.map(({ line, member, grade, before }) => [
      line,
      member,
      before === undefined || before === grade.score
        ? grade.score
        : { exact: `${before} → ${grade.score}`, tone: grade.score < before ? 'doubt' : undefined },
      grade.max_score,
      grade.comment,
    ]),
  };
}

/** The plan as `--dry-run --json` prints it; a file with errors has no digest, since it cannot run. */
export function planJson(plan: ShownPlan): Record<string, unknown> {
  const { findings } = plan;
  return {
    dry_run: true,
    source: plan.source,
    digest: findings.length > 0 ? null : plan.digest,
    rows: plan.rows,
    attempts: findings.length > 0 ? 0 : plan.selected,
    unchanged: plan.unchanged,
    not_higher: plan.notHigher,
    replaced: plan.replaced,
    beyond_limit: plan.beyondLimit,
    target: {
      origin: plan.origin,
      course: plan.course ?? null,
      location: plan.location ?? null,
    },
    credential: plan.credential,
    findings: [...findings.map(findingWithCommand), ...plan.overlaps.map(overlapFinding)],
  };
}

/** Members that another open run would still send. */
function overlapFinding({ run, count }: Overlap) {
  return {
    code: 'run.overlap',
    severity: 'warning',
    path: '',
    line: null,
    column: null,
    message: `run ${run} would still send ${countText(count, 'member')} of these`,
    rule: 'Grade submission: every call publishes to the LMS',
    hint: `join it with lectern grade work ${run}, or stop it with lectern grade stop ${run}`,
    run,
    count,
  };
}
