import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { INSTRUCTOR, launchFile, startService, text } from '../support/service.ts';
import { emulated } from './emulator/running.ts';

const READ = { LECTERN_POLICY: 'read' };

/** A service where every row reads as `{}`, a launch for it, and a run that is not sent yet. */
async function served() {
  const service = await startService(text(200, '{}'));
  const home = temporaryFolder();
  const provision = { context: `${service.origin}/ready` };
  const launch = launchFile(service.origin, { ...INSTRUCTOR, provision });
  const run = (args: readonly string[], more = {}) =>
    lectern([...args, '-l', launch], { home, ...more });
  return { service, run };
}

describe('the policy read', () => {
  test.each([
    'storage put member none.json',
    'storage patch member --add /a=1',
    'storage edit member',
    'storage copy location member',
    'storage undo member',
    'files upload member lectern.json',
    'files rm member a.txt',
    'files sync . member',
    'grade submit --member m-2 --score 1',
    'grade submit --from none.csv',
    'grade resume 1',
    'provision context',
  ])('refuses %s before anything is sent, asked or read: 3', async (line) => {
    const { service, run } = await served();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'lectern.json'), '{"policy": "read"}');
    const input = 'member,score\nm-2,1\n';
    const planned = await run(['grade', 'submit', '--from', '-', '--no-send'], { cwd, input });
    expect([planned.exit, planned.stderr]).toEqual([0, expect.stringContaining('run 1')]);
    const { exit, stdout, stderr } = await run([...line.split(' '), '--json'], { cwd });
    expect([exit, stdout]).toEqual([3, '']);
    const from = `"policy": "read" in ${cwd}/lectern.json`;
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'policy.read',
        message: `${from} refuses every change at ${service.origin}; nothing was sent`,
      },
    });
    // Whether it is an emulator.
    expect(
      service.requests.map(({ method, target, headers }) => [
        method,
        target,
        headers.authorization,
      ]),
    ).toEqual([['GET', '/_emulator/ready', undefined]]);
  });

  test.each([
    'storage get member',
    'storage patch member --add /a=1 --dry-run',
    'storage put member - --dry-run',
    'grade submit --member m-2 --score 1 --dry-run',
    'provision context --dry-run',
    'grade log',
  ])('allows %s', async (line) => {
    const { service, run } = await served();
    const { exit } = await run(line.split(' '), { env: READ, input: '{}' });
    expect([exit, service.requests.filter(({ method }) => method !== 'GET')]).toEqual([0, []]);
  });

  test('allows every change at a running emulator on loopback', async () => {
    const { run } = await emulated();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.txt'), 'a');
    await run('emulator launch --role instructor --save a');
    for (const line of ['storage patch member --add /a=1', 'files upload member a.txt']) {
      const { exit, stderr } = await run(line, { cwd, env: READ });
      expect([exit, stderr]).toEqual([0, expect.any(String)]);
    }
  });

  test('is not lifted by a flag', async () => {
    const { run } = await served();
    const { exit } = await run(['storage', 'put', 'member', '-', '--yes'], { env: READ });
    expect(exit).toBe(3);
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
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'lectern.json'), JSON.stringify({ policy: row.project }));
  const { exit, stderr } = await lectern(
    ['storage', 'patch', 'member', '--add', '/a=1', '-l', launchFile(service.origin)],
    { cwd, env: { LECTERN_POLICY: row.env } },
  );
  expect([exit, stderr]).toEqual([row.exit, expect.any(String)]);
  expect(service.requests.some(({ method }) => method === 'PATCH')).toBe(row.exit === 0);
});

test.each([
  { env: 'read', project: 'write', passed: 'read' },
  { env: 'write', project: 'read', passed: 'read' },
  { env: 'write', project: undefined, passed: 'none' },
])('emulator exec passes on $passed of $env and $project', async ({ env, project, passed }) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'lectern.json'), JSON.stringify({ policy: project }));
  const script = "require('fs').writeFileSync('policy', process.env.LECTERN_POLICY ?? 'none')";
  const args = ['emulator', 'exec', '--', process.execPath, '-e', script];
  const { exit } = await lectern(args, { cwd, env: { LECTERN_POLICY: env } });
  expect([exit, readFileSync(join(cwd, 'policy'), 'utf8')]).toEqual([0, passed]);
});

test.each([
  { env: undefined, project: undefined, state: 'ok', detail: 'write: the default' },
  { env: 'read', project: 'write', state: 'ok', detail: 'read: LECTERN_POLICY=read' },
  { env: 'write', project: 'read', state: 'ok', detail: 'read: "policy": "read" in ' },
  { env: 'READ', project: 'read', state: 'wrong', detail: 'LECTERN_POLICY must be read or write' },
])('doctor shows the policy and its source: $detail', async ({ env, project, state, detail }) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'lectern.json'), JSON.stringify({ policy: project }));
  const { stdout } = await lectern(['doctor'], { cwd, env: { LECTERN_POLICY: env } });
  expect(stdout).toContain(`policy\t${state}\t${detail}`);
});
