import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Running, start as startLectern } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import {
  type Bench,
  bench,
  file,
  holding,
  members,
  submitFile,
  summaryOf,
  takeAll,
  until,
} from './bulk.ts';

/** Starts lectern for a service, so that it can be stopped in the middle. */
const start = ({ home, launch }: Bench, args: readonly string[]): Running =>
  startLectern(['-l', launch, ...args], { home });

test('Ctrl-C once completes the open requests, and a resume sends the rest', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const command = start(work, submitFile(file(members(100))));
  await service.waiting(4);
  command.kill('SIGINT');
  // The second would end it at once; the first waits for the answers.
  service.release();
  expect((await command.ended).exit).toBe(130);
  const sent = work.requests.length;
  const summary = summaryOf(command.output);
  expect(summary).toMatchObject({ rows: 100, recorded: sent, in_doubt: 0, not_sent: 100 - sent });
  expect(sent).toBeLessThan(100);
  expect(JSON.parse(command.output.stderr).error).toMatchObject({ code: 'interrupted', exit: 130 });

  await work.step(`grade resume ${summary.run} --json --yes`);
  expect(work.requests.length).toBe(100);
  expect(new Set(work.arrived()).size).toBe(100);
});

test('Ctrl-C during the last rows changes nothing', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const command = start(work, submitFile(file(members(3))));
  await service.waiting(3);
  command.kill('SIGHUP');
  service.release();
  expect((await command.ended).exit).toBe(0);
  expect([summaryOf(command.output).success, command.output.stderr]).toEqual([3, '']);
});

test('Ctrl-C twice cancels the open requests: only these are in doubt, and are listed', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const command = start(work, submitFile(file(members(100))));
  await service.waiting(4);
  command.kill('SIGINT');
  command.kill('SIGTERM');
  expect((await command.ended).exit).toBe(130);
  expect(summaryOf(command.output)).toMatchObject({ recorded: 0, in_doubt: 4, not_sent: 96 });
  expect(JSON.parse(command.output.stderr).error).toMatchObject({
    exit: 130,
    message:
      'interrupted; 96 of 100 grades not sent, 4 in doubt; resume with: lectern grade resume 1; settle those in doubt with: lectern grade settle 1 EXPORT',
  });

  service.release();
  await work.step('grade runs --json', { json: [{ rows: 100, recorded: 0, in_doubt: 4 }] });
  await work.step('grade resume 1 --yes', { exit: 10, sent: 96 });
  await work.step('grade resume 1 --retry-in-doubt --json --yes', { summary: { success: 100 } });
});

test('Ctrl-C during the read of the file sends nothing', async () => {
  const work = await bench();
  const command = start(work, submitFile('-'));
  command.stdin.write('member,score\na,1\n');
  // The ledger is made before the file is read.
  await until(() => existsSync(join(work.home, 'ledger.sqlite')));
  command.kill('SIGINT');
  expect((await command.ended).exit).toBe(130);
  expect(JSON.parse(command.output.stderr).error.message).toBe('interrupted; nothing was done');
  expect(work.requests.length).toBe(0);
});

test('a second lectern on the same run is refused, with the process that has the run', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const command = start(work, submitFile(file(members(10))));
  await service.waiting(4);
  const message = new RegExp(`^run 1 is being sent by process ${command.pid}`);
  const error = { code: 'run.claimed', message };
  await work.step('grade resume 1 --json --yes', { exit: 3, error });
  expect(work.requests.length).toBe(4);
  service.release();
  expect((await command.ended).exit).toBe(0);
});

test('a run on a terminal asks for confirmation, and a live line shows the progress', async () => {
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
  await service.waiting(4);
  shown.type(KEYS.interrupt);
  service.release();
  expect(await shown.exit).toBe(130);
  expect(shown.screen()).toMatch(/recorded: success +\d+/);
  expect(shown.screen()).toMatch(/lectern grade resume/);
});

test('a run that is declined sends nothing and is not stored', async () => {
  const work = await bench();
  const shown = terminal(['-l', work.launch, 'grade', 'submit', '--from', file(members(3))], {
    home: work.home,
  });
  await shown.shows('Submit 3 grades?');
  shown.type(KEYS.enter);
  expect(await shown.exit).toBe(130);
  expect(work.requests.length).toBe(0);
  await work.step('grade runs --json', { json: [] });
});

test('a run on a terminal shows its first rows and the changes; if declined, its number is used again', async () => {
  const work = await bench();
  const submit = (scores: string) => ['grade', 'submit', '--from', file(scores)];
  const first = await work.run([...submit('member,score\na,0.4\nb,0.9\n'), '--yes']);
  expect(first.exit).toBe(0);
  const rows = ['a,0.6', 'b,0.5', 'c,0.7', 'd,1', 'e,0', 'f,0.5'];
  const again = submit(`member,score\n${rows.join('\n')}\n`);
  const shown = terminal(['-l', work.launch, ...again], { home: work.home, columns: 60 });
  await shown.shows('Submit 6 grades?');
  expect(shown.screen()).toMatch(/scores +0 to 1\n/);
  expect(shown.screen()).toMatch(/3 +b +0\.9 → 0\.5\n +2 +a +0\.4 → 0\.6\n +4 +c +0\.7\n/);
  expect(shown.screen()).toContain('… and 1 more');
  shown.type(`n${KEYS.enter}`);
  expect(await shown.exit).toBe(130);
  await work.run([...again, '--yes']);
  await work.step('grade runs --json', { json: [{ run: 2 }, { run: 1 }] });
});

/** Holds the lock of a ledger, as another process does that writes; frees it when it is called. */
function lockLedger({ home }: Bench): () => void {
  const connection = new DatabaseSync(join(home, 'ledger.sqlite'));
  onTestFinished(() => connection.close());
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.exec('COMMIT');
}

const BUSY = 'waiting for another process that is writing to the ledger';

test.each([
  ['one grade', ['grade', 'submit', '--score', '0.5']],
  ['a file of grades', ['grade', 'submit', '--from', 'FILE', '--yes']],
  ['a row', ['storage', 'put', 'member', 'ROW', '--yes']],
])(
  'Ctrl-C before %s, while another process has the ledger, ends the command at once',
  async (_, args) => {
    const work = await bench((request, response) =>
      request.method === 'GET' ? answerJson(response, 200, {}) : takeAll(request, response),
    );
    await work.step('grade runs');
    const files: Record<string, string> = { FILE: file(members(3)), ROW: file('{"a":1}') };
    const unlock = lockLedger(work);
    const command = start(
      work,
      args.map((arg) => files[arg] ?? arg),
    );
    await until(() => command.output.stderr.includes(BUSY));
    command.kill('SIGINT');
    const { exit, stderr } = await command.ended;
    expect([exit, stderr]).toEqual([130, expect.stringContaining(`interrupted while ${BUSY}`)]);
    expect(work.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    unlock();
    await work.step('grade log', { stdout: '' });
  },
);

test('Ctrl-C while another process has the ledger waits until responses are stored, and says so', async () => {
  const service = holding();
  const work = await bench(service.handler);
  const command = start(
    work,
    submitFile(file(members(100))).filter((arg) => arg !== '--json'),
  );
  await service.waiting(4);
  const unlock = lockLedger(work);
  command.kill('SIGINT');
  service.release();
  await until(() => command.output.stderr.includes(BUSY));
  unlock();
  expect((await command.ended).exit).toBe(130);
  const json = [{ recorded: work.requests.length, in_doubt: 0 }];
  await work.step('grade runs --json', { json });
});
