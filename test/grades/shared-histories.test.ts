import { describe, expect, test } from 'vitest';
import { NoAnswer } from '../../src/client/index.ts';
import { type GradeAttempt, MEMBER_PLACEHOLDER } from '../../src/contract/index.ts';
import type { GradeClient } from '../../src/grades/attempt.ts';
import { sendRun } from '../../src/grades/run.ts';
import type { GradeLedger, RunRecord } from '../../src/ledger/index.ts';
import { newLedger, openShared, postgresOfWorker, silence } from '../ledger/postgres/support.ts';
import { rowsOf, storedRun } from '../ledger/support.ts';
import { NO_POSTGRES } from '../support/postgres.ts';
import { gate } from '../support/scope.ts';
import { attemptRecord } from '../support/service.ts';
import { limited } from './limits.ts';
import { seededRandom } from '../support/seeded.ts';

/*
 * Workers of one process on a real server, whose clock cannot be simulated. The service loses answers
 * and limits by chance, and one worker freezes for so long that others take its rows, and then wakes.
 */

const HISTORIES = Number(process.env.LECTERN_KILLS ?? 6);
const ROWS = 60;
const WORKERS = 3;
const CONCURRENCY = 3;

describe.skipIf(NO_POSTGRES)(`histories of a shared run ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfWorker();

  test('publish no grade twice, and lose none, whoever freezes', async () => {
    const url = await newLedger(postgres);
    const ledgers = await Promise.all(Array.from({ length: WORKERS }, () => openShared(url)));
    const random = seededRandom();
    for (let history = 1; history <= HISTORIES; history += 1) {
      const { twice, unknown, inDoubt, lost } = await play(url, ledgers, random);
      const expected = { history, twice: [], unknown: 0, inDoubt: lost };
      expect({ history, twice, unknown, inDoubt }).toEqual(expected);
    }
  });

  async function play(url: string, ledgers: readonly GradeLedger[], random: () => number) {
    const chance = (share: number): boolean => random() < share;
    const published = new Map<string, number>();
    const frozenAfter = Math.floor((random() * ROWS) / 2);
    const [wake, freeze] = [gate(), gate()];
    let posts = 0;
    let [frozen, lost] = [-1, 0];
    const clientOf = (worker: number): GradeClient => ({
      submitGrade: async (address) => {
        if ((posts += 1) === frozenAfter + 1) {
          frozen = worker;
          freeze.open();
        }
        // An answer that comes late, or a call that goes out late.
        const isBefore = chance(0.5);
        if (worker === frozen && isBefore) await wake.opened;
        if (chance(0.05)) throw limited(address);
        const member = /members\/([^/]+)/.exec(address)?.[1] ?? '';
        published.set(member, (published.get(member) ?? 0) + 1);
        if (worker === frozen && !isBefore) await wake.opened;
        if (chance(0.05)) {
          lost += 1;
          throw new NoAnswer('reset', { reason: 'connection', inDoubt: true });
        }
        const attempt = attemptRecord() as GradeAttempt;
        return { attempt, text: JSON.stringify(attempt), status: 200 };
      },
    });
    const planned = await plan(ledgers[0] as GradeLedger);
    const ids: number[] = [];
    const ends = ledgers.map((ledger, worker) =>
      sendRun({
        ledger,
        client: clientOf(worker),
        run: planned,
        pid: worker + 1,
        join: true,
        concurrency: CONCURRENCY,
        onClaimed: (id) => (ids[worker] = id),
      }),
    );
    await freeze.opened;
    await silence(url, `id = ${ids[frozen]}`);
    await Promise.all(ends.filter((_, worker) => worker !== frozen));
    wake.open();
    for (const { stop } of await Promise.all(ends)) expect(stop).toBeUndefined();
    const { success, inDoubt } = await (ledgers[0] as GradeLedger).summary(planned.id);
    const twice = [...published].filter(([, times]) => times > 1);
    return { twice, unknown: ROWS - success - inDoubt, inDoubt, lost };
  }
});

async function plan(ledger: GradeLedger): Promise<RunRecord> {
  const origin = 'https://service.example';
  const url = `${origin}/contexts/c-1/members/${MEMBER_PLACEHOLDER}/grades`;
  const run = { target: { url, origin }, credential: 'api_key', source: 'x', options: {} } as const;
  return storedRun(ledger, rowsOf(ROWS), run);
}
