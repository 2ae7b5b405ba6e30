import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { binary, startBinary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';

test('the tour runs to its end and leaves nothing behind', async () => {
  const [home, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const { exit, stdout, stderr } = await binary(['demo'], { home, env: { TMPDIR } });
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout).toContain('$ lectern emulator clock advance 12h');
  expect(stdout).toMatch(/launch token has ended[\s\S]*\(exit 4\)[\s\S]*End of the tour/);
  expect([readdirSync(home), readdirSync(TMPDIR)]).toEqual([[], []]);
});

test('a tour that is stopped half way leaves nothing behind either', async () => {
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
