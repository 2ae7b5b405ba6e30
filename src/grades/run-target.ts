import { MEMBER_PLACEHOLDER, textAt } from '../contract/index.ts';
import type { GradeLedger, MovedRun, RunRecord, RunTarget } from '../ledger/ledger.ts';

/**
 * A run with its course and location: those of its plan, else those that the first recorded answer
 * names in its `annotations`. A run that was planned with an address alone has none in its plan.
 */
export async function withAnsweredTarget(
  ledger: Pick<GradeLedger, 'rows'>,
  run: RunRecord,
): Promise<RunRecord> {
  const { context, location } = run.target;
  if ((context !== undefined && location !== undefined) || run.summary.recorded === 0) return run;
  const recorded = { states: ['success', 'failed'] } as const;
  for await (const { outcome } of ledger.rows(run.id, recorded)) {
    // Recorded by an export, without an answer.
    if (outcome?.kind !== 'recorded') continue;
    const answer: unknown = JSON.parse(outcome.attempt);
    const answered = (name: string): string | undefined =>
      textAt(answer, 'annotations', name) || undefined;
    const target = {
      ...run.target,
      context: context ?? answered('context'),
      location: location ?? answered('location'),
    };
    return { ...run, target };
  }
  return run;
}

/** The course of a run, as it is shown; an address under `/contexts/` names it too. */
export function courseOf({ context, url }: Pick<RunTarget, 'context' | 'url'>): string | undefined {
  const course = context ?? /\/contexts\/([^/?#]+)/.exec(url)?.[1];
  return course === MEMBER_PLACEHOLDER ? undefined : course;
}

/** Where a run was moved to; undefined if it was not. */
export function movedTo({ options }: Pick<RunRecord, 'options'>): MovedRun | undefined {
  return options.moved as MovedRun | undefined;
}

/** That a run was moved, and where and when, as part of a sentence; undefined if it was not. */
export function movedText(run: Pick<RunRecord, 'options'>): string | undefined {
  const moved = movedTo(run);
  return moved && `was moved to ${moved.file} at ${new Date(moved.time).toISOString()}`;
}
