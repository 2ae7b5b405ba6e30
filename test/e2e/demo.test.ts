import { readdirSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { binary, startBinary } from '../support/binary.ts';
import { FastClock } from '../support/clock.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { KEYS, terminal } from '../support/terminal.ts';

/** The tokens and keys of the emulator. */
const TOKEN = /"token"|\b(?:lt|pt|key)_\w{16}/;

test('demo runs to its end and leaves nothing behind', async () => {
  const [home, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const { exit, stdout, stderr } = await binary(['demo'], { home, env: { TMPDIR } });
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout).toContain('$ lectern emulator clock advance 12h');
  expect(stdout).toMatch(/launch token has ended[\s\S]*\(exit 4\)[\s\S]*End of the tour/);
  expect(stdout).toMatch(/resume with: lectern grade resume 1\n\(exit 130\)/);
  expect(stdout).toMatch(/recorded: success\t200\n[\s\S]*End of the tour/);
  expect(stdout).not.toMatch(TOKEN);
  expect([readdirSync(home), readdirSync(TMPDIR)]).toEqual([[], []]);
});

test('demo on a terminal shows tables and waits between the steps', async () => {
  let waited = 0;
  const clock = new FastClock();
  const sleep: FastClock['sleep'] = (ms, signal) => {
    if (ms >= 500) waited += ms;
    return clock.sleep(ms, signal);
  };
  const shell = terminal(['demo'], { columns: 100, rows: 400, clock: { ...clock, sleep } });
  expect(await shell.exit).toBe(0);
  const shown = stripVTControlCharacters(shell.bytes());
  expect(shown).toMatch(/name +current +kind +user/);
  expect(shown).toMatch(/member +score +.*outcome/);
  expect(shown).not.toMatch(TOKEN);
  expect(waited).toBeGreaterThan(20_000);
});

test('demo --step waits for Enter before each command', async () => {
  const shell = terminal(['demo', '--step'], { columns: 100, rows: 400, clock: new FastClock() });
  const commands = ['--role instructor', '--role student', 'launch list', 'launch decode'];
  for (const [step, command] of commands.entries()) {
    await shell.shows(command);
    await shell.shows('? Enter for the next command');
    expect(shell.screen().split('$ lectern ')).toHaveLength(step + 2);
    if (step < commands.length - 1) shell.type(KEYS.enter);
  }
  shell.type(KEYS.interrupt);
  expect(await shell.exit).toBe(130);
  expect((await lectern(['demo', '--step'])).exit).toBe(2);
});

test('demo that is interrupted leaves nothing behind', async () => {
  const TMPDIR = temporaryFolder();
  const { stdout, kill, ended } = startBinary(['demo'], { env: { TMPDIR } });
  await new Promise((resolve) => {
    stdout.once('data', resolve);
  });
  expect(readdirSync(TMPDIR)).not.toEqual([]);
  kill('SIGTERM');
  expect((await ended).exit).toBe(130);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
