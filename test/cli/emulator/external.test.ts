import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder, lectern } from '../../support/lectern.ts';
import { startService, text } from '../../support/service.ts';
import { start } from './running.ts';

/** An emulator whose one tool answers everything with this text. */
async function withTool(answer: string) {
  const { origin } = await startService(text(200, answer));
  const home = temporaryFolder();
  const seed = {
    tools: [
      { id: 'quiz', provision_url: `${origin}/provision`, locations_url: `${origin}/locations` },
    ],
    courses: [{ id: 'c', provisioned: false, locations: [{ id: 'l', tool: 'quiz' }] }],
  };
  writeFileSync(`${home}/seed.json`, JSON.stringify(seed));
  await start(['--memory', '--seed', `${home}/seed.json`], { home });
  return (...words: string[]) => lectern(['emulator', ...words], { home });
}

test('emulator provision-request prints the claims and the response of the tool', async () => {
  const run = await withTool('{}');
  const { exit, stdout, stderr } = await run('provision-request');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('sent to tool quiz: answered 200')]);
  expect(JSON.parse(stdout)).toMatchObject({ context: 'c' });
  expect((await run('state')).stdout).toMatch(/provision request\tquiz\tc\tl\t1\t200/);
});

test('emulator locations-request prints what the service accepts, and what is wrong', async () => {
  const run = await withTool(JSON.stringify({ message: 'x'.repeat(2001) }));
  const { exit, stdout, stderr } = await run('locations-request');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('message has 2001 characters')]);
  expect((JSON.parse(stdout) as { message: string }).message).toHaveLength(2000);
  expect((await run('state')).stdout).toMatch(/locations answer\tquiz\tc\t200\ttaken/);
});

test('emulator locations-request exits with an error if the service would reject the response', async () => {
  const run = await withTool('{"places":[]}');
  const { exit, stdout, stderr } = await run('locations-request', '--json');
  expect(exit).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ answer: null, status: 200 });
  expect(stderr).toContain('locations.nothing');
});
