import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { atTerminal, errorsOf, linesIn } from '../../support/steps.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { bench, file, holding, type Machine, members, summaryOf, takeAll, until } from './bulk.ts';

const SUBMIT = 'grade submit --from grades.csv --yes --json';

/** A run of this many grades; its first four requests wait. */
async function waiting(count: number, line = SUBMIT) {
  const service = holding();
  const work = await bench(service.handler);
  await work.step('--version', { files: { 'grades.csv': members(count) } });
  const command = work.start(line);
  await service.waiting(Math.min(4, count));
  return { ...work, service, command };
}

test('Ctrl-C once completes the open requests, and a resume sends the rest', async () => {
  const { service, command, requests, arrived, step } = await waiting(100);
  command.kill('SIGINT');
  // The second would end it at once; the first waits for the answers.
  service.release();
  const ended = await command.ended;
  const sent = requests.length;
  expect([ended.exit, sent < 100]).toEqual([130, true]);
  expect(errorsOf(ended)).toMatchObject({ code: 'interrupted', exit: 130 });
  const counts = { rows: 100, recorded: sent, in_doubt: 0, not_sent: 100 - sent };
  expect(summaryOf(ended)).toMatchObject(counts);
  await step('grade resume 1 --json --yes');
  expect([requests.length, new Set(arrived()).size]).toEqual([100, 100]);
});

test('Ctrl-C during the last rows changes nothing', async () => {
  const { service, command } = await waiting(3);
  command.kill('SIGHUP');
  service.release();
  const ended = await command.ended;
  expect([ended.exit, summaryOf(ended).success, ended.stderr]).toEqual([0, 3, '']);
});

test('Ctrl-C twice cancels the open requests: only these are in doubt, and are listed', async () => {
  const { service, command, step } = await waiting(100);
  command.kill('SIGINT');
  command.kill('SIGTERM');
  const ended = await command.ended;
  expect(ended.exit).toBe(130);
  expect(summaryOf(ended)).toMatchObject({ recorded: 0, in_doubt: 4, not_sent: 96 });
  expect(errorsOf(ended).message).toBe(
    'interrupted; 96 of 100 grades not sent, 4 in doubt; resume with: lectern grade resume 1; settle those in doubt with: lectern grade settle 1 EXPORT',
  );
  service.release();
  await step('grade runs --json', { json: [{ rows: 100, recorded: 0, in_doubt: 4 }] });
  await step('grade resume 1 --yes', { exit: 10, sent: 96 });
  await step('grade resume 1 --retry-in-doubt --json --yes', { summary: { success: 100 } });
});

test('Ctrl-C during the read of the file sends nothing', async () => {
  const work = await bench();
  const command = work.start('grade submit --from - --yes --json');
  command.stdin.write('member,score\na,1\n');
  // The ledger is made before the file is read.
  await until(() => existsSync(join(work.home, 'ledger.sqlite')));
  command.kill('SIGINT');
  const ended = await command.ended;
  expect([ended.exit, errorsOf(ended).message]).toEqual([130, 'interrupted; nothing was done']);
  expect(work.requests.length).toBe(0);
});

test('what needs a run is refused while it is being sent, with the process that has the run', async () => {
  const { service, command, step } = await waiting(10);
  const message = new RegExp(`^run 1 is being sent by process ${command.pid}`);
  const error = { code: 'run.claimed', message };
  await step('grade resume 1 --json --yes', { exit: 3, error });
  for (const line of linesIn(`
    grade undo 1
    grade settle grades.csv --dry-run
    grade settle --member m-2 --recorded --because seen
    ledger export 1 run.lectern`)) {
    const yes = line.startsWith('ledger') ? '' : '--yes';
    await step(`${line} --json ${yes}`, { exit: 3, error: { code: 'run.claimed' }, sent: 0 });
  }
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

test('a run on a terminal shows its first rows and the changes; if declined, its number is used again', async () => {
  const { step, launch, home, requests } = await bench();
  await step('grade submit --from - --yes', { input: 'member,score\na,0.4\nb,0.9\n' });
  const from = file('member,score\na,0.6\nb,0.5\nc,0.7\nd,1\ne,0\nf,0.5\n');
  const submit = `-l ${launch} grade submit --from ${from}`;
  const shows = [
    /scores +0 to 1\n/,
    /3 +b +0\.9 → 0\.5\n +2 +a +0\.4 → 0\.6\n +4 +c +0\.7\n/,
    '… and 1 more',
  ];
  const keys = { 'Submit 6 grades?': KEYS.enter };
  await atTerminal(submit, { home, columns: 60, keys, exit: 130, shows });
  expect(requests).toHaveLength(2);
  await step(`${submit} --yes`);
  await step('grade runs --json', { json: [{ run: 2 }, { run: 1 }] });
});

/** Holds the lock of a ledger, as another process does that writes; frees it when it is called. */
function lockLedger({ home }: Machine): () => void {
  const connection = new DatabaseSync(join(home, 'ledger.sqlite'));
  onTestFinished(() => connection.close());
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.exec('COMMIT');
}

const BUSY = 'waiting for another process that is writing to the ledger';

test.each([
  'grade submit --score 0.5',
  'grade submit --from grades.csv --yes',
  'storage put member row.json --yes',
])('Ctrl-C before %s, while another process has the ledger, ends it at once', async (line) => {
  const work = await bench((request, response) =>
    request.method === 'GET' ? answerJson(response, 200, {}) : takeAll(request, response),
  );
  const files = { 'grades.csv': members(3), 'row.json': '{"a":1}' };
  await work.step('grade runs', { files });
  const unlock = lockLedger(work);
  const command = work.start(line);
  await until(() => command.output.stderr.includes(BUSY));
  command.kill('SIGINT');
  const { exit, stderr } = await command.ended;
  expect([exit, stderr]).toEqual([130, expect.stringContaining(`interrupted while ${BUSY}`)]);
  expect(work.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  unlock();
  await work.step('grade log', { stdout: '' });
});
