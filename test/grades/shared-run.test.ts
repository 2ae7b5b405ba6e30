import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MEMBER_PLACEHOLDER } from '../../src/contract/index.ts';
import { attemptFor, memberOf } from '../cli/grade/bulk.ts';
import { proxied } from '../ledger/postgres/proxy.ts';
import {
  answersIn,
  newLedger,
  openShared,
  postgresOfFile,
  run,
} from '../ledger/postgres/support.ts';
import { listOf, rowsOf, storedRun, temporaryFile } from '../ledger/support.ts';
import { bundled } from '../support/bundled.ts';
import { NO_POSTGRES } from '../support/postgres.ts';
import { gate } from '../support/scope.ts';
import { answerJson, type SeenRequest, startService } from '../support/service.ts';

const CONCURRENCY = 4;

/** The number of posts after which a worker is killed; `npm run nightly` has 200 of them. */
const KILLS = Number(process.env.LECTERN_KILLS ?? 1);
const KILLED_AT = Array.from({ length: KILLS }, (_, index) =>
  Math.round(20 + (270 * (index + 1)) / (KILLS + 1)),
);

/** A worker in a process of its own. */
interface Worker {
  readonly process: ChildProcess;
  /** The exit code, and what it said. */
  readonly ended: Promise<{ code: number | null; said: string }>;
}

describe.skipIf(NO_POSTGRES)(`workers of a shared run ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfFile();

  /** A run at a service that counts what it gets, as the judge. */
  async function shared(
    rows: number,
    onPost: (posts: number) => void | Promise<void> = () => {},
    concurrency = CONCURRENCY,
  ) {
    const posts = new Map<string, number>();
    let count = 0;
    const answer = async (request: SeenRequest, response: ServerResponse): Promise<void> => {
      const member = memberOf(request);
      posts.set(member, (posts.get(member) ?? 0) + 1);
      count += 1;
      await onPost(count);
      answerJson(response, 200, attemptFor(request));
    };
    // A connection that is closed while a worker is frozen is tested with the sender.
    const service = await startService(answer, { keepsIdle: true });
    const url = await newLedger(postgres);
    const ledger = await openShared(url);
    const { id } = await storedRun(ledger, rowsOf(rows), {
      target: {
        url: `${service.origin}/contexts/c-1/members/${MEMBER_PLACEHOLDER}/grades`,
        origin: service.origin,
      },
    });
    const script = await bundled(new URL('shared-worker.ts', import.meta.url));
    const start = (through = url, file = temporaryFile()): Worker =>
      startWorker([script, through, service.origin, String(id), file, `${concurrency}`]);
    const twice = () => [...posts].filter(([, times]) => times > 1).map(([member]) => member);
    return { url, ledger, id, posts, start, twice, summary: () => ledger.summary(id) };
  }

  test.each(KILLED_AT)('lose and repeat nothing if one is killed after %i posts', async (at) => {
    let kill = (): void => {};
    const { url, start, twice, summary, posts } = await shared(600, (count) => {
      if (count === at) kill();
    });
    const first = start();
    kill = () => void first.process.kill('SIGKILL');
    const others = [start(), start()];
    await first.ended;
    await run(
      url,
      `UPDATE lectern.workers SET seen = seen - interval '31 seconds' WHERE pid = ${first.process.pid}`,
    );
    for (const { ended } of others) expect(await ended).toEqual({ code: 0, said: '' });
    expect(twice()).toEqual([]);
    const { success, inDoubt, notSent } = await summary();
    expect(success + inDoubt).toBe(600);
    expect(notSent).toBe(0);
    expect(inDoubt).toBeLessThanOrEqual(2 * CONCURRENCY);
    expect(posts.size).toBeGreaterThanOrEqual(success);
  });

  test('store responses in the local ledger while a statement waits, and a SIGKILL loses none', async () => {
    const answers: (() => void)[] = [];
    const hold = (): Promise<void> => new Promise((resolve) => void answers.push(resolve));
    const { url, start, summary } = await shared(16, hold, 16);
    const local = temporaryFile();
    const { url: through, silence } = await proxied(url);
    const worker = start(through, local);
    await expect.poll(() => answers.length).toBe(16);
    const waits = silence('lectern_put');
    answers.shift()?.();
    await waits;
    for (const answer of answers) answer();
    // A statement is given up after 10 s.
    await expect.poll(() => answersIn(local)).toBe(16);
    worker.process.kill('SIGKILL');
    await worker.ended;
    const next = await openShared(url, { local });
    expect(await next.shared?.waiting()).toBe(0);
    expect(await summary()).toMatchObject({ success: 16, inDoubt: 0, notSent: 0 });
    expect(await listOf(next.attempts())).toHaveLength(16);
  });

  test.skipIf(process.env.LECTERN_TEST_PG)(
    'continue after their server was killed and restarted, and repeat nothing',
    async () => {
      let stop = (): void => {};
      const joined = gate();
      const { url, start, twice, summary, posts } = await shared(600, (count) => {
        if (count === 100) stop();
        return joined.opened;
      });
      const back = new Promise<void>((resolve, reject) => {
        stop = () => {
          postgres.server.stop('SIGQUIT').then(postgres.server.start).then(resolve, reject);
        };
      });
      const workers = [start(), start()];
      const count = 'SELECT count(*)::int AS count FROM lectern.workers';
      await expect.poll(() => run(url, count)).toEqual([{ count: workers.length }]);
      joined.open();
      await Promise.race([back, ...workers.map(({ ended }) => ended)]);
      for (const { ended } of workers) expect(await ended).toEqual({ code: 0, said: '' });
      expect(twice()).toEqual([]);
      expect(posts.size).toBe(600);
      expect(await summary()).toMatchObject({ success: 600, inDoubt: 0, notSent: 0 });
    },
  );
});

function startWorker(words: readonly string[]): Worker {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, said: output }));
  return { process: child, ended };
}
