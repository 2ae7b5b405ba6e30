import { expect, onTestFailed, test } from 'vitest';
import {
  attemptFor,
  type Bench,
  bench,
  file,
  members,
  readLines,
  submitFile,
  summaryOf,
  takeAll,
  until,
} from '../cli/grade/bulk.ts';
import { isAlive, startBinary } from '../support/binary.ts';
import type { Running } from '../support/lectern.ts';
import { answerJson } from '../support/service.ts';
import { seededRandom } from '../support/seeded.ts';

const random = seededRandom();

/** `npm run nightly` has 200. */
const KILLS = Number(process.env.LECTERN_KILLS ?? 2);

/** Starts lectern for a service, so that it can be stopped in the middle. */
function start({ home, launch }: Bench, args: readonly string[], limits?: string): Running {
  const wrapper = limits === undefined ? [] : ['/bin/bash', '-c', `${limits}; exec "$@"`, 'bash'];
  return startBinary(['-l', launch, ...args], { home, wrapper });
}

test('a second Ctrl-C ends a run whose output is not read', async () => {
  const work = await bench();
  const command = start(work, submitFile(file(members(3000))));
  command.stdout.removeAllListeners('data').pause();
  let seen = 0;
  let still = 0;
  // A row that cannot be reported is not sent: after a while the requests stop.
  await until(() => {
    still = work.requests.length === seen ? still + 1 : 0;
    seen = work.requests.length;
    return seen > 0 && still === 200;
  });
  expect(seen).toBeLessThan(3000);
  command.kill('SIGINT');
  command.kill('SIGTERM');
  // It ends while its output is not read; the rest of the pipe is read after that.
  await until(() => !isAlive(command.pid));
  command.stdout.resume();
  expect(await command.ended).toMatchObject({ exit: 130, signal: null });
});

test('a run whose output is closed stops, and nothing is lost', async () => {
  const work = await bench();
  const command = start(work, submitFile(file(members(2000))));
  command.stdout.once('data', () => command.stdout.destroy());
  expect((await command.ended).exit).toBe(130);
  expect(JSON.parse(command.output.stderr).error.message).toContain('standard output was closed');
  const [run] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  expect(run).toMatchObject({ recorded: work.requests.length, in_doubt: 0 });
  expect(run.not_sent).toBe(2000 - work.requests.length);
  expect(run.not_sent).toBeGreaterThan(0);
});

test('a run on a full disk stops before the next POST, and prints a response that it cannot store', async () => {
  const work = await bench((request, response) =>
    answerJson(response, 200, attemptFor(request, { padding: 'x'.repeat(20_000) })),
  );
  const from = file(members(1000));
  // In units of 1024 bytes: enough to plan, too little to end.
  const command = start(work, submitFile(from), 'trap "" XFSZ; ulimit -f 3000');
  const { exit } = await command.ended;
  const [run] = JSON.parse((await work.run(['grade', 'runs', '--json'])).stdout);
  expect(exit).toBe(run.in_doubt > 0 ? 10 : 1);
  expect(summaryOf(command.output)).toMatchObject({ in_doubt: run.in_doubt, rows: 1000 });
  expect(command.output.stderr).toMatch(/the disk is full|could not be read or written/);
  const log = (await work.run(['grade', 'log', '--json'])).stdout.trimEnd().split('\n');
  const kept = new Map(log.map((line) => [JSON.parse(line).member, JSON.parse(line)]));
  const printed = [...command.output.stderr.matchAll(/"id":"attempt-of-([^"]+)"/g)].map(
    ([, id]) => id,
  );
  expect(work.arrived().length).toBeGreaterThan(5);
  expect(work.arrived().length).toBeLessThan(1000);
  for (const member of work.arrived()) {
    const { outcome, error } = kept.get(member);
    if (outcome === 'recorded') continue;
    expect(printed).toContain(member);
    expect(error).toContain('no answer was saved');
  }
});

interface ReportedRow {
  readonly member: string;
  readonly outcome: string;
}

test(
  `a run that is killed at ${KILLS} moments loses nothing, and repeats nothing unasked`,
  { timeout: KILLS * 60_000 },
  async () => {
    const rows = 300;
    const concurrency = 8;
    const work = await bench(takeAll);
    const from = file(members(rows));
    const moments: number[] = [];
    onTestFailed(() => void process.stderr.write(`killed at the requests ${moments.join(', ')}\n`));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      work.requests.length = 0;
      // The runs before have some of these grades in doubt.
      const args = [...submitFile(from), '--again', '--concurrency', String(concurrency)];
      const command = start(work, args);
      let hasEnded = false;
      const ended = command.ended.finally(() => (hasEnded = true));
      const moment = 1 + Math.floor(random() * (rows - 1));
      moments.push(moment);
      await until(() => work.requests.length >= moment || hasEnded);
      command.kill('SIGKILL');
      await ended;

      const report = await work.run(['grade', 'report', String(kill), '--json']);
      const reported = JSON.parse(report.stdout) as ReportedRow[];
      const of = (word: string): string[] =>
        reported.filter(({ outcome }) => outcome === word).map(({ member }) => member);
      const doubted = of('in_doubt');
      expect(doubted.length).toBeLessThanOrEqual(2 * concurrency);
      // The judge is the service: what arrived is known here, or in doubt.
      const known = new Set([...of('recorded'), ...doubted]);
      expect(work.arrived().filter((member) => !known.has(member))).toEqual([]);

      const rest = await work.run(['grade', 'resume', String(kill), '--json', '--yes']);
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
