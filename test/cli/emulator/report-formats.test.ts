import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJunit } from '../../support/junit.ts';
import { stepsAt } from '../../support/steps.ts';
import { REQUEST_SCRIPTS, runScript } from './requests-of.ts';
import { emulated } from './running.ts';

const ERROR = 'request.removed_endpoint';
const WARNING = 'request.launch_id';
const CASES = REQUEST_SCRIPTS.map(({ code }) => code);

/** An emulator to which a tool did something that is an error, and something that is a warning. */
async function withFindings() {
  const here = await emulated();
  for (const { code, does } of REQUEST_SCRIPTS) {
    if (code === ERROR || code === WARNING) await runScript(here, does);
  }
  return here;
}

test('emulator report --format junit has a case for each code, which fails for an error', async () => {
  const { step } = await withFindings();
  const { suite, cases } = readJunit((await step('emulator report --format junit')).stdout);
  expect(suite).toBe('lectern emulator report');
  expect(cases.map(({ name }) => name)).toEqual(CASES);
  const failed = cases.filter(({ failure }) => failure);
  expect(failed.map(({ name, failure }) => [name, failure?.type])).toEqual([[ERROR, ERROR]]);
  expect(failed[0]?.failure?.text).toMatch(/^request \d+: error: GET \/apps\/me is a removed/);
  const warned = cases.filter(({ output }) => output !== undefined);
  expect(warned.map(({ name }) => name)).toEqual([WARNING]);
  const strict = await step('emulator report --format junit --fail-on warning # exit 9');
  const both = readJunit(strict.stdout).cases.filter(({ failure }) => failure);
  expect(both.map(({ name }) => name).sort()).toEqual([WARNING, ERROR]);
  const verdict = /^1 errors?, \d warnings? in .* met\n$/;
  await step('emulator report --quiet --fail-on warning # exit 9', { stdout: verdict });
});

test('emulator report --format github prints a line for each finding', async () => {
  const { step } = await withFindings();
  const { stdout } = await step('emulator report --format github');
  const error = /^::error title=request\.removed_endpoint::GET \/apps\/me .*\(at request \d+\)/;
  const warning = /^::warning title=request\.launch_id::launch_id was sent/;
  const lines = [error, warning].map((each) => expect.stringMatching(each));
  expect(stdout.split('\n').sort()).toEqual(['', ...lines]);
  const strict = 'emulator report --format github --fail-on warning # exit 9';
  await step(strict, { lacks: '::warning' });
});

test.each(['report.xml', 'report --format junit'])(
  'emulator exec --report %s writes a JUnit file',
  async (flags) => {
    const { step, folder } = stepsAt();
    await step(`emulator exec --report ${flags} -- true`, { stdout: '' });
    const file = join(folder, flags.split(' ')[0] ?? '');
    const { cases } = readJunit(readFileSync(file, 'utf8'));
    expect(cases.map(({ name }) => name)).toEqual(CASES);
  },
);

test('emulator exec --report writes JSON to a file, and exits with the code of the command, or else with 9', async () => {
  const { step, folder } = stepsAt();
  const tool = (code: number): string =>
    `-- ${process.execPath} -e 'fetch(process.env.LECTERN_EMULATOR + "/apps/me").then(() => process.exit(${code}))'`;
  const report = 'emulator exec --report report.json';
  await step(`
    ${report} ${tool(0)} # the report is in report.json
    ${report} --fail-on error ${tool(0)} # exit 9
    ${report} --fail-on error ${tool(3)} # exit 3`);
  const findings = [{ code: ERROR, severity: 'error', requests: [1] }];
  const written = readFileSync(join(folder, 'report.json'), 'utf8');
  expect(JSON.parse(written)).toMatchObject({ findings });
});
