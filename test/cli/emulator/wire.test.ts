import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import type { State } from '../../emulator/documents.ts';
import { emulated } from './running.ts';

describe('emulator fault', () => {
  test('applies its flags to a command', async () => {
    const { step, run, json } = await emulated();
    await step('emulator launch --save me');
    const attempts = async () => (await json<State>('emulator state')).attempts.length;
    for (const [fault, exit, made] of [
      ['--close before', 10, 0],
      ['--close after', 10, 1],
      ['--cut', 10, 1],
      ['--delay 1', 0, 1],
      ['--status 500', 10, 0],
      ['--status 200 --body <html>', 10, 0],
      ['--status 422 --body {"error":"no"}', 7, 0],
    ] as const) {
      const before = await attempts();
      await run(`emulator fault --method POST --path scores ${fault}`);
      await step('grade submit --score 0.5', { exit });
      expect([fault, (await attempts()) - before]).toEqual([fault, made]);
    }
  });

  test('lists, removes and clears the pending faults, and emulator token end takes a launch', async () => {
    const { step, json } = await emulated();
    const header = "--header 'Retry-After: 1' --header X-A:b:c";
    await step(`emulator fault --path x --times 3 --status 503 ${header}`);
    const line = 'emulator fault --path y --close after';
    const { faults } = await json<Answers['POST fault']>(line);
    expect(faults).toMatchObject([
      { id: 1, path: 'x', times: 3, status: 503, headers: { 'retry-after': '1', 'x-a': 'b:c' } },
      { id: 2, path: 'y', times: 1, effect: 'close', when: 'after', says: 'close after' },
    ]);
    expect(await json('emulator fault list')).toEqual({ faults });
    expect(await json('emulator fault remove 1')).toEqual({ faults: faults.slice(1) });
    await step('emulator fault remove 1 # exit 6');
    expect(await json('emulator fault clear')).toEqual({ faults: [] });
    await step('emulator launch --role student --save me');
    const live = 'emulator show tokens --live';
    const { items } = await json<{ items: { launch_id: string }[] }>(live);
    await step(`emulator token end --launch-id ${items[0]?.launch_id}`);
    expect(await json(live)).toMatchObject({ total: 0 });
    await step('storage get member -l me # exit 4');
  });
});

test('emulator export and import restore everything, reject an incomplete file, and create no folder', async () => {
  const { folder, step } = await emulated();
  const file = join(folder, 'everything');
  await step('emulator launch --save me');
  await step('storage put member --yes', { input: '{"kept":true}' });
  await step('emulator export everything --force', { files: { everything: 'open to others' } });
  // It holds tokens.
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await step('emulator reset');
  const whole = readFileSync(file);
  const half = { files: { everything: whole.subarray(0, whole.length / 2) } };
  await step('emulator import everything # exit 3: not a valid export', half);
  await step('storage get member # exit 4');
  await step('emulator import everything', { files: { everything: whole } });
  await step('storage get member --raw', { stdout: '{"kept":true}' });
  await step(`emulator export ${folder}/no/such # exit 2: no such folder: ${folder}/no`);
  expect([existsSync(join(folder, '-')), existsSync(join(folder, 'no'))]).toEqual([false, false]);
});
