import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJunit } from '../../support/junit.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
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
  const { run } = await withFindings();
  const { exit, stdout } = await run('emulator report --format junit');
  expect(exit).toBe(0);
  const { suite, cases } = readJunit(stdout);
  expect(suite).toBe('lectern emulator report');
  expect(cases.map(({ name }) => name)).toEqual(CASES);
  const failed = cases.filter(({ failure }) => failure);
  expect(failed.map(({ name, failure }) => [name, failure?.type])).toEqual([[ERROR, ERROR]]);
  expect(failed[0]?.failure?.text).toMatch(/^request \d+: error: GET \/apps\/me is a removed/);
  const warned = cases.filter(({ output }) => output !== undefined);
  expect(warned.map(({ name }) => name)).toEqual([WARNING]);
});

test('emulator report --format junit --fail-on warning has cases that fail for warnings', async () => {
  const { run } = await withFindings();
  const { exit, stdout } = await run('emulator report --format junit --fail-on warning');
  expect(exit).toBe(9);
  const failed = readJunit(stdout).cases.filter(({ failure }) => failure);
  expect(failed.map(({ name }) => name).sort()).toEqual([WARNING, ERROR]);
});

test('emulator report --format junit has only passed cases for a correct tool', async () => {
  const { run } = await emulated();
  const { exit, stdout } = await run('emulator report --format junit --fail-on warning');
  expect(exit).toBe(0);
  const { cases } = readJunit(stdout);
  expect(cases.map(({ name, failure, output }) => [name, failure, output])).toEqual(
    CASES.map((code) => [code, undefined, undefined]),
  );
});

test('emulator report --format github prints a line for each finding', async () => {
  const { run } = await withFindings();
  const { exit, stdout } = await run('emulator report --format github');
  expect(exit).toBe(0);
  expect(stdout.split('\n').sort()).toEqual([
    '',
    expect.stringMatching(
      /^::error title=request\.removed_endpoint::GET \/apps\/me .*\(at request \d+\)/,
    ),
    expect.stringMatching(/^::warning title=request\.launch_id::launch_id was sent/),
  ]);
  const strict = await run('emulator report --format github --fail-on warning');
  expect([strict.exit, strict.stdout]).toEqual([9, expect.not.stringContaining('::warning')]);
});

test.each([
  ['report.xml', []],
  ['report', ['--format', 'junit']],
])('emulator exec --report %s %j writes a JUnit file', async (file, flags) => {
  const cwd = temporaryFolder();
  const args = ['emulator', 'exec', '--report', file, ...flags, '--', 'true'];
  const { exit, stdout } = await lectern(args, { cwd });
  expect([exit, stdout]).toEqual([0, '']);
  const { cases } = readJunit(readFileSync(join(cwd, file), 'utf8'));
  expect(cases.map(({ name }) => name)).toEqual(CASES);
});
