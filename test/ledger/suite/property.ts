import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import type {
  GradeLedger,
  Outcome,
  PendingAttempt,
  RunSummary,
  State,
} from '../../../src/ledger/index.ts';
import { intentFor, listOf, recorded, rowsOf, storedRun } from '../support.ts';
import type { Store } from './store.ts';

const OUTCOMES: Readonly<Record<State, Outcome>> = {
  success: recorded('success'),
  failed: recorded('failed'),
  refused: { kind: 'refused', http: 422, text: '' },
  in_doubt: { kind: 'in_doubt', reason: 'no answer' },
  not_sent: { kind: 'not_sent', reason: '429', http: 429 },
};

/** One step: an attempt at a row of one of two runs, or the outcome of one that is under way. */
const step = fc.oneof(
  fc.record({ run: fc.constantFrom(0, 1), line: fc.integer({ min: 2, max: 9 }) }),
  fc.record({
    settle: fc.nat({ max: 20 }),
    as: fc.constantFrom(...(Object.keys(OUTCOMES) as State[])),
  }),
);

/** What the ledger should say, kept in two maps. */
class Model {
  readonly attemptsOf = new Map<string, PendingAttempt[]>();
  readonly states = new Map<PendingAttempt, State>();

  intend(attempt: PendingAttempt, row: string): void {
    this.attemptsOf.set(row, [...(this.attemptsOf.get(row) ?? []), attempt]);
    this.states.set(attempt, 'in_doubt');
  }

  stateOf(row: string): State {
    const states = (this.attemptsOf.get(row) ?? []).map((id) => this.states.get(id) as State);
    const hadEffect = (state: State): boolean => state !== 'refused' && state !== 'not_sent';
    const refused = states.includes('refused') ? 'refused' : 'not_sent';
    return states.findLast(hadEffect) ?? refused;
  }
}

function total(summary: RunSummary): number {
  const { recorded: both, refused, inDoubt, notSent } = summary;
  expect(both).toBe(summary.success + summary.failed);
  return both + refused + inDoubt + notSent;
}

/** The states of rows, in every store. */
export function propertyTests(store: Store): void {
  test('after any sequence of operations, each row has the state of its last effective attempt', async () => {
    const ledger = await store.open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, together) => {
        const runs = [await storedRun(ledger, rowsOf(8)), await storedRun(ledger, rowsOf(8))];
        const model = new Model();
        await play(
          ledger,
          runs.map(({ id }) => id),
          steps,
          model,
          together,
        );
        for (const { id } of runs) {
          expect(total(await ledger.summary(id))).toBe(8);
          for (const { line, state } of await listOf(ledger.rows(id))) {
            expect(state).toBe(model.stateOf(`${id}:${line}`));
          }
        }
      }),
      fc.runs(20),
    );
  });
}

type Step = { run: number; line: number } | { settle: number; as: State };

/** `together`: settles are not awaited, so they share commits with what follows. */
async function play(
  ledger: GradeLedger,
  runs: readonly number[],
  steps: readonly Step[],
  model: Model,
  together: boolean,
): Promise<void> {
  const open: PendingAttempt[] = [];
  const waiting: Promise<void>[] = [];
  for (const each of steps) {
    if ('settle' in each) {
      const [attempt] = open.splice(each.settle % Math.max(open.length, 1), 1);
      if (attempt === undefined) continue;
      model.states.set(attempt, each.as);
      const settled = ledger.storeOutcome(attempt, OUTCOMES[each.as]);
      if (together) waiting.push(settled);
      else await settled;
    } else {
      const run = runs[each.run];
      const attempt = await ledger.intend(intentFor(`m${each.line}`, { run, line: each.line }));
      model.intend(attempt, `${run}:${each.line}`);
      open.push(attempt);
    }
  }
  await Promise.all(waiting);
}
