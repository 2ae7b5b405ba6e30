import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { BINARY, environment } from '../../support/lectern.ts';
import { answerJson, type Handler, type SeenRequest } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { attemptFor, type Bench, bench, file, members, readLines, takeAll } from './bulk.ts';

/** More with LECTERN_KILLS, for a long soak: 200 are what was promised. */
const KILLS = Number(process.env.LECTERN_KILLS ?? 10);

interface Started {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number>;
}

/** Starts lectern for a service, so that it can be stopped in the middle. */
function start({ home, launch }: Bench, args: readonly string[], shell?: string): Started {
  const command = [process.execPath, BINARY, '-l', launch, ...args];
  const options = { env: environment({ home }) };
  const child = shell
    ? spawn('/bin/bash', ['-c', `${shell}; exec "$@"`, 'bash', ...command], options)
    : spawn(command[0] as string, command.slice(1), options);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (output.stdout += chunk));
  child.stderr?.on('data', (chunk) => (output.stderr += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code, signal]) => code ?? (signal ? -1 : 0));
  return { child, output, ended };
}

/** Looks again and again, for 15 s at least: a test that fails must end. */
async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks === 15_000) throw new Error(`it never came to this: ${condition}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}

/** A service that answers when it is told to, and says when so many requests wait. */
function holding() {
  const held: [SeenRequest, ServerResponse][] = [];
  let holds = true;
  let wake = (): void => {};
  const answer = ([request, response]: [SeenRequest, ServerResponse]): void =>
    answerJson(response, 200, attemptFor(request));
  const handler: Handler = (request, response) => {
    if (!holds) return answer([request, response]);
    held.push([request, response]);
    wake();
  };
  return {
    handler,
    waiting: (count: number): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          if (held.length >= count) resolve();
        };
        wake();
      }),
    release: (): void => {
      holds = false;
      held.splice(0).forEach(answer);
    },
  };
}

const SUBMIT = ['grade', 'submit', '--yes', '--json', '--from'];
const summaryOf = (stdout: string) =>
  readLines({ exit: 0, signal: null, stdout, stderr: '', stdoutBytes: Buffer.from('') }).summary;

test('Ctrl-C once finishes what is under way, and a resume sends the rest', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const { child, output, ended } = start(work, [...SUBMIT, file(members(100))]);
  await service.waiting(4);
  child.kill('SIGINT');
  // The second would end it at once; the first waits for the answers.
  service.release();
  expect(await ended).toBe(130);
  const sent = work.requests.length;
  const summary = summaryOf(output.stdout);
  expect(summary).toMatchObject({ rows: 100, recorded: sent, in_doubt: 0, not_sent: 100 - sent });
  expect(sent).toBeLessThan(100);
  expect(JSON.parse(output.stderr).error).toMatchObject({ code: 'interrupted', exit: 130 });

  const again = await work.run(['grade', 'resume', String(summary.run), '--json']);
  expect([again.exit, work.requests.length]).toEqual([0, 100]);
  expect(new Set(work.arrived()).size).toBe(100);
});

test('Ctrl-C while the last rows are under way changes nothing', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const { child, output, ended } = start(work, [...SUBMIT, file(members(3))]);
  await service.waiting(3);
  child.kill('SIGHUP');
  service.release();
  expect(await ended).toBe(0);
  expect([summaryOf(output.stdout).success, output.stderr]).toEqual([3, '']);
});

test('Ctrl-C twice gives up what is under way: that alone is in doubt, and said', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const { child, output, ended } = start(work, [...SUBMIT, file(members(100))]);
  await service.waiting(4);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended).toBe(130);
  expect(summaryOf(output.stdout)).toMatchObject({ recorded: 0, in_doubt: 4, not_sent: 96 });
  expect(JSON.parse(output.stderr).error).toMatchObject({
    exit: 130,
    message: 'interrupted; 96 of 100 rows are not sent, 4 in doubt: lectern grade resume 1',
  });

  service.release();
  const [run] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  expect(run).toMatchObject({ rows: 100, recorded: 0, in_doubt: 4 });
  const rest = await work.run(['grade', 'resume', String(run.run)]);
  expect([rest.exit, work.requests.length]).toEqual([10, 4 + 100 - run.in_doubt]);
  const all = await work.run(['grade', 'resume', String(run.run), '--retry-in-doubt', '--json']);
  expect([all.exit, readLines(all).summary.success]).toEqual([0, 100]);
});

test('Ctrl-C twice ends a run whose lines nobody takes', async () => {
  const work = await bench();
  const { child, ended } = start(work, [...SUBMIT, file(members(5000))]);
  child.stdout?.removeAllListeners('data').pause();
  let seen = 0;
  let still = 0;
  // What cannot be told is not sent: after a while the service hears no more of it.
  await until(() => {
    still = work.requests.length === seen ? still + 1 : 0;
    seen = work.requests.length;
    return seen > 0 && still === 200;
  });
  expect(seen).toBeLessThan(5000);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([130, null]);
  child.stdout?.resume();
  await ended;
});

test('many connections at once are no reason for a warning of the engine', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const args = [...SUBMIT, file(members(40)), '--concurrency', '40'];
  const { output, ended } = start(work, args);
  await service.waiting(40);
  service.release();
  expect([await ended, output.stderr]).toEqual([0, '']);
});

test('Ctrl-C while the file is read sends nothing', async () => {
  const work = await bench();
  const { child, output, ended } = start(work, [...SUBMIT, '-']);
  child.stdin?.write('member,score\na,1\n');
  // The ledger is made before the file is read.
  await until(() => existsSync(join(work.home, 'ledger.sqlite')));
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(JSON.parse(output.stderr).error.message).toBe('interrupted; nothing was done');
  expect(work.requests.length).toBe(0);
});

test('a reader that goes away stops the run, and nothing is lost', async () => {
  const work = await bench();
  const { child, output, ended } = start(work, [...SUBMIT, file(members(3000))]);
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect(await ended).toBe(130);
  expect(JSON.parse(output.stderr).error.message).toContain(
    'nobody reads standard output any more',
  );
  const [run] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  expect(run).toMatchObject({ recorded: work.requests.length, in_doubt: 0 });
  expect(run.not_sent).toBe(3000 - work.requests.length);
  expect(run.not_sent).toBeGreaterThan(0);
});

test('a second lectern on the same run is refused, and told who has it', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const { child, ended } = start(work, [...SUBMIT, file(members(10))]);
  await service.waiting(4);
  const [{ run }] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  const second = await work.run(['grade', 'resume', String(run), '--json']);
  expect(second.exit).toBe(3);
  expect(JSON.parse(second.stderr).error).toMatchObject({
    code: 'run.claimed',
    message: expect.stringContaining(`run ${run} is being sent by process ${child.pid}`),
  });
  expect(work.requests.length).toBe(4);
  service.release();
  expect(await ended).toBe(0);
});

test('a full disk stops the run before the next POST, and an answer that cannot be kept is printed', async () => {
  const work = await bench((request, response) =>
    answerJson(response, 200, attemptFor(request, { padding: 'x'.repeat(20_000) })),
  );
  const from = file(members(2000));
  // In units of 1024 bytes: enough to plan, too little to end.
  const { output, ended } = start(work, [...SUBMIT, from], 'trap "" XFSZ; ulimit -f 6000');
  const exit = await ended;
  const [run] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  expect(exit).toBe(run.in_doubt > 0 ? 10 : 1);
  expect(summaryOf(output.stdout)).toMatchObject({ in_doubt: run.in_doubt, rows: 2000 });
  expect(output.stderr).toMatch(/the disk is full|could not be read or written/);
  const kept = new Set<string>();
  for (const line of (await work.run(['grade', 'log', '--json'])).stdout.trimEnd().split('\n')) {
    const { member, outcome } = JSON.parse(line);
    if (outcome === 'recorded') kept.add(member);
  }
  const printed = [...output.stderr.matchAll(/"id":"attempt-of-([^"]+)"/g)].map(([, id]) => id);
  expect(work.arrived().length).toBeGreaterThan(5);
  expect(work.arrived().length).toBeLessThan(2000);
  for (const member of work.arrived()) {
    expect(kept.has(member) || printed.includes(member)).toBe(true);
  }
});

interface ReportedRow {
  readonly member: string;
  readonly outcome: string;
}

test(
  `kill -9 at ${KILLS} moments: nothing is lost, and nothing sent twice that was not asked for`,
  { timeout: 20_000 + KILLS * 10_000 },
  async () => {
    const rows = 2000;
    const concurrency = 8;
    const work = await bench(takeAll);
    const from = file(members(rows));
    const moments: number[] = [];
    onTestFailed(() => void process.stderr.write(`killed at the requests ${moments.join(', ')}\n`));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      work.requests.length = 0;
      const args = [...SUBMIT, from, '--concurrency', String(concurrency)];
      const { child, ended } = start(work, args);
      const moment = 1 + Math.floor(Math.random() * (rows - 1));
      moments.push(moment);
      await until(() => work.requests.length >= moment || child.exitCode !== null);
      child.kill('SIGKILL');
      await ended;

      const report = await work.run(['grade', 'report', String(kill), '--json']);
      const reported = JSON.parse(report.stdout) as ReportedRow[];
      const of = (word: string): string[] =>
        reported.filter(({ outcome }) => outcome === word).map(({ member }) => member);
      const doubted = of('in-doubt');
      expect(doubted.length).toBeLessThanOrEqual(2 * concurrency);
      // The judge is the service: what arrived is known here, or in doubt.
      const known = new Set([...of('recorded'), ...doubted]);
      expect(work.arrived().filter((member) => !known.has(member))).toEqual([]);

      const rest = await work.run(['grade', 'resume', String(kill), '--json']);
      expect(rest.exit).toBe(doubted.length > 0 ? 10 : 0);
      expect(readLines(rest).summary).toMatchObject({
        success: rows - doubted.length,
        in_doubt: doubted.length,
      });
      const arrived = new Set(work.arrived());
      expect(arrived.size).toBe(work.requests.length);
      const sure = reported.map(({ member }) => member).filter((each) => !doubted.includes(each));
      expect(sure.filter((member) => !arrived.has(member))).toEqual([]);
    }
  },
);

test('on a terminal the plan is shown and asked about, and a live line tells how far it is', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const from = file(members(300));
  const shown = terminal(['-l', work.launch, 'grade', 'submit', '--from', from], {
    home: work.home,
    columns: 40,
  });
  await shown.shows('Submit 300 grades?');
  expect(shown.screen()).toMatch(/attempts +300/);
  expect(shown.screen()).toContain('digest');
  shown.type(`y${KEYS.enter}`);
  await shown.shows('0/300');
  shown.type(KEYS.interrupt);
  service.release();
  expect(await shown.exit).toBe(130);
  expect(shown.screen()).toMatch(/recorded: success +\d+/);
  expect(shown.screen()).toContain('grade resume');
});

test('declining sends nothing and leaves no run', async () => {
  const work = await bench();
  const shown = terminal(['-l', work.launch, 'grade', 'submit', '--from', file(members(3))], {
    home: work.home,
  });
  await shown.shows('Submit 3 grades?');
  shown.type(KEYS.enter);
  expect(await shown.exit).toBe(130);
  expect(work.requests.length).toBe(0);
  expect((await work.run(['grade', 'runs', '--json'])).stdout).toBe('[]\n');
});
