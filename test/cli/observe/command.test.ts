import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { lectern, type RunOptions, start, temporaryFolder } from '../../support/lectern.ts';
import { startEmulator } from '../../support/emulator.ts';
import { harProblems } from '../../support/har.ts';

/** A tool that reads its row, writes down where its launch is, and ends with 3 if it is asked to. */
const TOOL = `
  const file = process.env.LECTERN_LAUNCH;
  const launch = JSON.parse(require('fs').readFileSync(file, 'utf8'));
  const headers = { authorization: 'Bearer ' + launch.api.token };
  const url = process.argv[1] === 'other' ? launch.iss + '/other' : launch.storage.member;
  fetch(url, { headers }).then((answer) => {
    require('fs').writeFileSync(process.env.SEEN, answer.status + ' ' + file);
    process.exitCode = process.argv[1] === 'fail' ? 3 : 0;
  });
`;

async function launched() {
  const home = temporaryFolder();
  const emulator = await startEmulator();
  const input = JSON.stringify(await emulator.launch({ member: 'member-111' }));
  await lectern(['launch', 'save', 'amina'], { home, input });
  const seen = join(home, 'seen.txt');
  const run = (args: readonly string[], options: RunOptions = {}) =>
    lectern(['observe', '-l', 'amina', ...args], { home, env: { SEEN: seen }, ...options });
  const tool = (...words: string[]): string[] => ['--', process.execPath, '-e', TOOL, ...words];
  return { emulator, home, run, tool, seen };
}

describe('lectern observe', () => {
  test('gives the command the launch, writes the report and the requests, and leaves nothing else', async () => {
    const { emulator, home, run, tool, seen } = await launched();
    const [report, har] = [join(home, 'report.json'), join(home, 'traffic.har')];
    expect(await run(['--report', report, '--har', har, ...tool()])).toMatchObject({ exit: 0 });
    const [status, file = ''] = readFileSync(seen, 'utf8').split(' ');
    expect(status).toBe('200');
    expect(existsSync(file)).toBe(false);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      requests: 1,
      findings: [],
      differences: [],
      not_judged: ['request.api_key_not_valid'],
    });
    const log = readFileSync(har, 'utf8');
    expect(harProblems(JSON.parse(log))).toEqual([]);
    expect(log).not.toMatch(/lt_[\w-]{10}/);
    const { requests } = await emulator.control('GET requests', {});
    expect(requests).toMatchObject([{ about: 'member row', status: 200 }]);
  });

  test.each([
    { name: "the command's own exit code", args: ['--fail-on', 'error'], word: 'fail', exit: 3 },
    { name: '9 for a finding', args: ['--fail-on', 'warning'], word: 'other', exit: 9 },
    { name: '0 without --fail-on', args: [], word: 'other', exit: 0 },
  ])('exits with $name', async ({ args, word, exit }) => {
    const { run, tool } = await launched();
    expect(await run([...args, ...tool(word)])).toMatchObject({ exit });
  });

  test('runs until Ctrl-C without a command, saves the launch, and prints the report', async () => {
    const { home } = await launched();
    const running = start(['observe', '-l', 'amina', '--save', 'led', '--json'], { home });
    const led = ['launch', 'check', 'led', '--json'];
    await expect.poll(async () => (await lectern(led, { home })).exit).toBe(0);
    running.kill('SIGINT');
    const { exit, stdout } = await running.ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ requests: 8, differences: [] });
  });

  test('a command with policy read changes nothing behind an observer', async () => {
    const { home } = await launched();
    const running = start(['observe', '-l', 'amina', '--save', 'led'], { home });
    const led = ['launch', 'check', 'led', '--json'];
    await expect.poll(async () => (await lectern(led, { home })).exit).toBe(0);
    const env = { LECTERN_POLICY: 'read' };
    const put = ['storage', 'put', 'member', '-l', 'led', '--yes'];
    expect(await lectern(put, { home, env, input: '{}' })).toMatchObject({ exit: 3 });
    running.kill('SIGINT');
    await running.ended;
  });

  test.each([
    { name: 'a taken name', args: ['--save', 'amina'], exit: 2, why: 'amina' },
    {
      name: 'a tool elsewhere',
      args: ['--tool', 'https://tool.example'],
      exit: 2,
      why: 'loopback',
    },
    { name: 'a format that is none', args: ['--format', 'xml'], exit: 2, why: 'format' },
  ])('refuses $name before anything is called', async ({ args, exit, why }) => {
    const { emulator, run, tool } = await launched();
    const refused = await run([...args, ...tool()]);
    expect(refused).toMatchObject({ exit });
    expect(refused.stderr).toContain(why);
    expect((await emulator.control('GET requests', {})).total).toBe(0);
  });

  test('names a port in use', async () => {
    const { emulator, run, tool } = await launched();
    const { port } = new URL(emulator.url);
    const refused = await run(['--port', port, ...tool()]);
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain(`port ${port} is in use`);
    expect(await run(['--port', String(await freePort()), ...tool()])).toMatchObject({ exit: 0 });
  });

  test('policy read refuses a service that is no emulator', async () => {
    const { home } = await launched();
    const claims = { iss: 'https://service.example', api: { token: 'token-of-the-launch' } };
    const input = JSON.stringify(claims);
    await lectern(['launch', 'save', 'real'], { home, input });
    const env = { LECTERN_POLICY: 'read' };
    const refused = await lectern(['observe', '-l', 'real', '--', 'true'], { home, env });
    expect(refused).toMatchObject({ exit: 3 });
    expect(refused.stderr).toContain('LECTERN_POLICY=read');
  });
});
