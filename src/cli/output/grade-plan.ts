import { findingWithCommand } from './command-hints.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Table } from './table.ts';

/** A plan as shown to the user. */
export interface ShownPlan {
  readonly source: string;
  readonly rows: number;
  readonly selected: number;
  readonly unchanged: number;
  readonly notHigher: number;
  readonly replaced: number;
  readonly beyondLimit: number;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly origin: string;
  readonly course: string | undefined;
  readonly location: string | undefined;
  readonly credential: 'launch_token' | 'api_key';
  /** Whether unchanged rows are left out. */
  readonly skipUnchanged: boolean;
}

/** The digest on a line of its own, since a table would truncate it to the terminal width. */
export function digestLine({ digest }: ShownPlan, isTerminal: boolean): string {
  return `digest${isTerminal ? '  ' : '\t'}${digest}\n`;
}

/** The plan without its digest, one fact per line. Zero counts are omitted. */
export function planTable(plan: ShownPlan): Table {
  const { unchanged, skipUnchanged } = plan;
  const facts: [string, string | number | undefined][] = [
    ['attempts', plan.selected],
    ['records', plan.rows],
    [skipUnchanged ? 'skipped, unchanged' : 'unchanged', unchanged || undefined],
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, replaced by a later record', plan.replaced || undefined],
    ['skipped, beyond the limit', plan.beyondLimit || undefined],
    ['source', plan.source],
    ['service', plan.origin],
    ['course', plan.course],
    ['location', plan.location],
    ['credential', plan.credential === 'api_key' ? 'tool API key' : 'launch token'],
  ];
  return {
    columns: [{ name: 'plan', whole: true }, ''],
    rows: facts.filter(([, value]) => value !== undefined),
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
    findings: findings.map(findingWithCommand),
  };
}
