import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmulator } from '../../support/emulator.ts';
import { freePort } from '../../support/free-port.ts';
import { harProblems } from '../../support/har.ts';
import { start } from '../../support/lectern.ts';
import { jsonOf, linesIn, stepsAt } from '../../support/steps.ts';

/** A tool that reads its row, writes down where its launch is, and ends with 3 if it is asked to. */
const TOOL = `
  const file = process.env.LECTERN_LAUNCH;
  const launch = JSON.parse(require("fs").readFileSync(file, "utf8"));
  const headers = { authorization: "Bearer " + launch.api.token };
  const url = process.argv[1] === "other" ? launch.iss + "/other" : launch.storage.member;
  fetch(url, { headers }).then((answer) => {
    require("fs").writeFileSync(process.env.SEEN, answer.status + " " + file);
    process.exitCode = process.argv[1] === "fail" ? 3 : 0;
  });
`;

/** A home with a launch of an emulator; `observe` runs the tool, with words, behind an observer. */
async function launched() {
  const emulator = await startEmulator();
  const { home, folder, step } = stepsAt();
  const input = JSON.stringify(await emulator.launch({ member: 'member-111' }));
  await step('launch save amina', { input });
  const SEEN = join(folder, 'seen.txt');
  const observe = (said = '', words = '', env = {}) => {
    const [flags, comment = ''] = said.split(/(?= # )/);
    const tool = `-- ${process.execPath} -e '${TOOL}' ${words}`;
    return step(`observe -l amina ${flags} ${tool}${comment}`, { env: { SEEN, ...env } });
  };
  /** Starts one without a command, until it answers. */
  const observing = async (...flags: readonly string[]) => {
    const running = start(['observe', '-l', 'amina', '--save', 'led', ...flags], { home });
    await expect.poll(async () => (await checked()).exit).toBe(0);
    return running;
  };
  const checked = () => start(['launch', 'check', 'led', '--json'], { home }).ended;
  const requests = async () => (await emulator.control('GET requests', {})).requests;
  return { emulator, folder, step, observe, observing, requests, SEEN };
}

test('observe gives the command the launch, writes the report and the requests, and leaves nothing else', async () => {
  const { folder, observe, requests, SEEN } = await launched();
  await observe('--report report.json --har traffic.har');
  const [status, file = ''] = readFileSync(SEEN, 'utf8').split(' ');
  expect([status, existsSync(file)]).toEqual(['200', false]);
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
    requests: 1,
    findings: [],
    differences: [],
    not_judged: ['request.api_key_not_valid'],
  });
  const log = readFileSync(join(folder, 'traffic.har'), 'utf8');
  expect(harProblems(JSON.parse(log))).toEqual([]);
  expect(log).not.toMatch(/lt_[\w-]{10}/);
  expect(await requests()).toMatchObject([{ about: 'member row', status: 200 }]);
});

test('observe writes to standard output where the file is -', async () => {
  const { folder, observe } = await launched();
  const { stdout } = await observe('--report report.json --har -');
  expect(harProblems(JSON.parse(stdout))).toEqual([]);
  expect(existsSync(join(folder, '-'))).toBe(false);
});

test('observe gives the command the token of LECTERN_TOKEN in its launch', async () => {
  const { emulator, observe, SEEN, step } = await launched();
  const token = (await step('launch show amina --reveal api.token')).stdout.trim();
  const { api } = (await emulator.launch({ member: 'member-111' })) as { api: { token: string } };
  await emulator.control('POST token/end', { token });
  await observe('', '', { LECTERN_TOKEN: api.token });
  expect(readFileSync(SEEN, 'utf8')).toMatch(/^200 /);
});

test("observe exits with the command's own code, or with 9 for a finding with --fail-on", async () => {
  const { observe } = await launched();
  await observe('--fail-on error # exit 3', 'fail');
  await observe('--fail-on warning # exit 9', 'other');
  await observe('', 'other');
});

test('observe runs until Ctrl-C without a command, and prints the report', async () => {
  const { observing, step } = await launched();
  const running = await observing('--json');
  const env = { LECTERN_POLICY: 'read' };
  await step('storage put member -l led --yes # exit 3', { env, input: '{}' });
  const { port } = new URL((await step('launch show led --reveal iss')).stdout);
  running.kill('SIGINT');
  const ended = await running.ended;
  const again = `start its observer: lectern observe -l amina --save led --port ${port} --force`;
  await step('storage get member -l led # exit 8', { stderr: again });
  expect([ended.exit, jsonOf(ended)]).toMatchObject([0, { differences: [] }]);
  expect(jsonOf(ended).requests).toBeGreaterThanOrEqual(8);
});

test.each(
  linesIn(`
  --save amina # exit 2: amina
  --tool https://tool.example # exit 2: loopback
  --format xml # exit 2: format`),
)('observe refuses %s before anything is called', async (line) => {
  const { observe, requests } = await launched();
  await observe(line);
  expect(await requests()).toEqual([]);
});

test('observe names a port in use, and refuses a service that is no emulator with the policy read', async () => {
  const { emulator, observe, step } = await launched();
  const { port } = new URL(emulator.url);
  await observe(`--port ${port} # exit 2: port ${port} is in use`);
  await observe(`--port ${await freePort()}`);
  const input = '{"iss": "https://service.example", "api": {"token": "token-of-the-launch"}}';
  await step('launch save real', { input });
  const env = { LECTERN_POLICY: 'read' };
  await step('observe -l real -- true # exit 3: LECTERN_POLICY=read', { env });
});
