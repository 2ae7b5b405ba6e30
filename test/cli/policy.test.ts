import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { INSTRUCTOR, launchFile, startService, text } from '../support/service.ts';
import { type Expected, type Given, linesIn, stepsAt } from '../support/steps.ts';
import { emulated } from './emulator/running.ts';

const READ = { LECTERN_POLICY: 'read' };

const projectOf = (policy: string | undefined) => ({ 'lectern.json': JSON.stringify({ policy }) });

/** A service where every row reads as `{}`, a launch for it, and a run that is not sent yet. */
async function served() {
  const service = await startService(text(200, '{}'));
  const provision = { context: `${service.origin}/ready` };
  const launch = launchFile(service.origin, { ...INSTRUCTOR, provision });
  const { folder, step: at } = stepsAt();
  const run = (line: string, more: Given & Expected = {}) => at(`${line} -l ${launch}`, more);
  return { service, folder, run };
}

describe('the policy read', () => {
  test.each(
    linesIn(`
    storage put member none.json
    storage patch member --add /a=1
    storage edit member
    storage copy location member
    storage undo member
    files upload member lectern.json
    files rm member a.txt
    files sync . member
    grade submit --member m-2 --score 1
    grade submit --from none.csv
    grade resume 1
    provision context`),
  )('refuses %s before anything is sent, asked or read: 3', async (line) => {
    const { service, folder, run } = await served();
    const given = { files: projectOf('read'), input: 'member,score\nm-2,1\n' };
    await run('grade submit --from - --no-send', { ...given, stderr: 'run 1' });
    const from = `"policy": "read" in ${folder}/lectern.json`;
    const message = `${from} refuses every change at ${service.origin}; nothing was sent`;
    const error = { code: 'policy.read', message };
    await run(`${line} --json`, { exit: 3, stdout: '', error });
    // Whether it is an emulator.
    const [asked, ...others] = service.requests;
    expect([asked?.target, asked?.headers.authorization, others]).toEqual([
      '/_emulator/ready',
      undefined,
      [],
    ]);
  });

  test('allows reads and dry runs, and is not lifted by a flag', async () => {
    const { service, run } = await served();
    for (const line of linesIn(`
      storage get member
      storage patch member --add /a=1 --dry-run
      storage put member - --dry-run
      grade submit --member m-2 --score 1 --dry-run
      provision context --dry-run
      grade log
      storage put member - --yes`)) {
      await run(line, { env: READ, input: '{}', exit: line.endsWith('--yes') ? 3 : 0 });
    }
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('allows every change at a running emulator on loopback', async () => {
    const { step } = await emulated();
    await step('emulator launch --role instructor --save a');
    const given = { env: READ, files: { 'a.txt': 'a' } };
    await step('storage patch member --add /a=1\nfiles upload member a.txt', given);
  });
});

test.each([
  { env: 'read', project: 'write', exit: 3 },
  { env: 'write', project: 'read', exit: 3 },
  { env: '', project: 'read', exit: 3 },
  { env: 'read', project: undefined, exit: 3 },
  { env: 'write', project: 'write', exit: 0 },
  { env: 'write', project: undefined, exit: 0 },
  { env: 'READ', project: undefined, exit: 2 },
  { env: ' read', project: 'write', exit: 2 },
  { env: 'none', project: 'read', exit: 2 },
  { env: 'read', project: 'READ', exit: 3 },
])('policy $env in the environment and $project in the project file: $exit', async (row) => {
  const service = await startService(({ method }, response) => {
    response.writeHead(method === 'GET' ? 200 : 204);
    response.end(method === 'GET' ? '{}' : '');
  });
  const { exit, env, project } = row;
  const given = { files: projectOf(project), env: { LECTERN_POLICY: env }, exit };
  await stepsAt().step(`storage patch member --add /a=1 -l ${launchFile(service.origin)}`, given);
  expect(service.requests.some(({ method }) => method === 'PATCH')).toBe(exit === 0);
});

test.each([
  { env: 'read', project: 'write', passed: 'read' },
  { env: 'write', project: 'read', passed: 'read' },
  { env: 'write', project: undefined, passed: 'none' },
])('emulator exec passes on $passed of $env and $project', async ({ env, project, passed }) => {
  const { folder, step: at } = stepsAt({ files: projectOf(project), env: { LECTERN_POLICY: env } });
  const script = `require("fs").writeFileSync("policy",process.env.LECTERN_POLICY??"none")`;
  await at(`emulator exec -- ${process.execPath} -e '${script}'`);
  expect(readFileSync(join(folder, 'policy'), 'utf8')).toBe(passed);
});

test.each([
  { env: undefined, project: undefined, state: 'ok', detail: 'write: the default' },
  { env: 'read', project: 'write', state: 'ok', detail: 'read: LECTERN_POLICY=read' },
  { env: 'write', project: 'read', state: 'ok', detail: 'read: "policy": "read" in ' },
  { env: 'READ', project: 'read', state: 'wrong', detail: 'LECTERN_POLICY must be read or write' },
])('doctor shows the policy and its source: $detail', async ({ env, project, state, detail }) => {
  const exit = state === 'ok' ? 0 : 1;
  const given = { files: projectOf(project), env: { LECTERN_POLICY: env }, exit };
  await stepsAt().step('doctor', { ...given, stdout: `policy\t${state}\t${detail}` });
});
