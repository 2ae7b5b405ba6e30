import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { jsonOf, step } from '../../support/steps.ts';
import type { State } from '../../emulator/documents.ts';
import { start } from './running.ts';

describe('emulator start --vary', () => {
  const stateOf = async (home: string): Promise<State> =>
    jsonOf(await step('emulator state --json', { home }));
  /** Starts one, and stops it, with what it printed and its state. */
  async function varied(home: string, ...flags: readonly string[]) {
    const { ready, kill, ended } = await start(flags, { home });
    const stop = async (): Promise<void> => {
      kill('SIGTERM');
      await ended;
    };
    return { ready, stop, vary: (await stateOf(home)).vary };
  }

  test('varies only the names after a comma, and takes a seed where none is given', async () => {
    const named = await varied(temporaryFolder(), '--memory', '--vary', '2,envelope');
    const choices = { envelope: 'problem', space: 'none', declared: '200' };
    expect([named.ready.vary, named.vary]).toMatchObject([2, { seed: 2, choices }]);
    const taken = await varied(temporaryFolder(), '--memory', '--vary');
    expect(taken.ready.vary).toBe(taken.vary?.seed);
  });

  test('is kept with the data, and another seed takes neither these nor its export', async () => {
    const home = temporaryFolder();
    await (await varied(home, '--data', `${home}/data`, '--vary', '3')).stop();
    const again = await varied(home, '--data', `${home}/data`);
    expect(again.ready.vary).toBe(3);
    await step(`emulator export ${home}/state`, { home });
    await again.stop();
    await step(`emulator start --data ${home}/data --vary 4 # exit 2: --vary 3`, { home });
    await varied(home, '--memory');
    await step(`emulator import ${home}/state # exit 3: with --vary 3`, { home });
  });

  test('refuses what is no seed or no name', async () => {
    await step(`
      emulator start --memory --vary=seven # exit 2: "seven": this is not a whole number
      emulator start --memory --vary=-1 # exit 2: "-1": this is not a whole number
      emulator start --memory --vary=1,envelop # exit 2: did you mean envelope?
      emulator start --memory --vary=1, # exit 2: "" is nothing that varies`);
  });
});

test('emulator exec --vary without a number prints the one that it takes', async () => {
  await step('emulator exec --vary -- true', { stderr: /varied: --vary \d+\n$/ });
});

describe('emulator exec --vary FROM..TO', () => {
  // A tool that depends on the status of a declared file, which is 200 under some seeds only.
  const FRAGILE = `
    const { claims, files, api } = JSON.parse(require("fs").readFileSync(process.env.LECTERN_LAUNCH));
    const headers = { authorization: "Bearer " + api.token, "content-type": "application/json" };
    fetch(files.member.replace(/(\\?|$)/, "/notes.txt$1"), { method: "PUT", headers, body: "{\\"size\\":1}" })
      .then((answer) => process.exit(answer.status === 200 ? 0 : 3));`;

  test('runs the command once for each seed, and lists what the failing ones have in common', async () => {
    const exec = `emulator exec --vary 1..3,declared -- ${process.execPath} -e '${FRAGILE}'`;
    const { stdout } = await step(exec, { exit: 3, stderr: 'in common: declared ' });
    const exits = stdout.match(/(?<=^\d+\t)\d+/gm) ?? [];
    expect([exits.length, new Set(exits)]).toEqual([3, new Set(['0', '3'])]);
  });

  test('ends with the command that was interrupted', async () => {
    const exec = "emulator exec --vary 1..3 -- sh -c 'kill -INT $$'";
    const { stdout } = await step(exec, { exit: 130 });
    expect(stdout.match(/^\d+\t130/gm)).toEqual(['1\t130']);
  });

  test('refuses a range that is none, and the file of a report', async () => {
    await step(`
      emulator exec --vary 3..2 -- true # exit 2
      emulator exec --vary 1..5000 -- true # exit 2
      emulator exec --vary 1..x -- true # exit 2
      emulator exec --vary 1..2 --report report.json -- true # exit 2: --report FILE is for one seed`);
  });
});
