import type { ReportDocument } from '../output/emulator-forms.ts';
import { ExitError } from '../errors.ts';
import { note } from '../output/notes.ts';
import { printTable } from '../output/print.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import type { Context } from '../runtime.ts';
import type { EmulatorExecOptions } from './flags.ts';
import { reportFailure } from './report.ts';

/** A run of the command under one seed. */
export interface SeedRun {
  readonly seed: number;
  readonly exit: number;
  readonly report: ReportDocument;
}

/** Runs the command once under each seed, by what `--vary` takes for it, and prints what differs. */
export async function runUnderSeeds(
  context: Context<EmulatorExecOptions>,
  seeds: ReadonlyMap<number, string>,
  run: (vary: string) => Promise<Omit<SeedRun, 'seed'>>,
): Promise<void> {
  const runs: SeedRun[] = [];
  for (const [seed, vary] of seeds) {
    if (context.interrupt.aborted) break;
    const ended = await run(vary);
    runs.push({ seed, ...ended });
    // The command gets the signals while it runs.
    if (INTERRUPTED.includes(ended.exit)) break;
  }
  await printTable(context, tableOf(SEEDS, runs));
  const common = commonChoices(runs);
  if (common.length > 0) {
    await note(context, `the failing seeds have in common: ${common.join(', ')}`);
  }
  for (const [code, found] of seedsOfFindings(runs)) {
    if (found.length === runs.length) continue;
    await note(context, `${code} appears only under: ${found.join(', ')}`);
  }
  const failed = runs.find(({ exit }) => exit !== 0);
  if (failed !== undefined) throw new ExitError(failed.exit, 'exec.command');
  for (const { report } of runs) {
    const error = reportFailure(context.options, report);
    if (error !== undefined) throw error;
  }
}

/** 128 plus SIGINT and SIGTERM. */
const INTERRUPTED = [130, 143];

const SEEDS = {
  seed: {},
  exit: {},
  findings: { made: ({ report }: SeedRun) => codesOf(report).join(', ') },
} satisfies ListColumns;

const codesOf = ({ findings }: ReportDocument): string[] => [
  ...new Set(findings.map(({ code }) => code)),
];

/** The seeds under which each finding appears. */
function seedsOfFindings(runs: readonly SeedRun[]): ReadonlyMap<string, readonly number[]> {
  const seeds = new Map<string, number[]>();
  for (const { seed, report } of runs) {
    for (const code of codesOf(report)) seeds.set(code, [...(seeds.get(code) ?? []), seed]);
  }
  return seeds;
}

/** What the failing seeds chose: one value that not all others have, or values that none of them has. */
function commonChoices(runs: readonly SeedRun[]): string[] {
  const failing = runs.filter(({ exit }) => exit !== 0);
  const passing = runs.filter(({ exit }) => exit === 0);
  if (failing.length === 0) return [];
  const valuesOf = (some: readonly SeedRun[], name: string): ReadonlySet<unknown> =>
    new Set(
      some.map(({ report }) => new Map(Object.entries(report.vary?.choices ?? {})).get(name)),
    );
  return Object.keys(runs[0]?.report.vary?.choices ?? {}).flatMap((name) => {
    const [values, others] = [valuesOf(failing, name), valuesOf(passing, name)];
    const isTheirs = ![...values].some((value) => others.has(value));
    const isOne = values.size === 1 && others.size > 1;
    return others.size > 0 && (isTheirs || isOne) ? [`${name} ${[...values].join(' or ')}`] : [];
  });
}
