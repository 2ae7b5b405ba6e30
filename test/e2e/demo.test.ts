import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY, environment, lectern, temporaryFolder } from '../support/lectern.ts';

test('the tour runs to its end and leaves nothing behind', async () => {
  const [home, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const { exit, stdout, stderr } = await lectern(['demo'], { home, env: { TMPDIR } });
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout).toContain('$ lectern emulator clock advance 12h');
  expect(stdout).toMatch(/launch token has ended[\s\S]*\(exit 4\)[\s\S]*That was the tour/);
  expect([readdirSync(home), readdirSync(TMPDIR)]).toEqual([[], []]);
});

test('a tour that is stopped half way leaves nothing behind either', async () => {
  const TMPDIR = temporaryFolder();
  const env = environment({ env: { TMPDIR } });
  const child = spawn(process.execPath, [BINARY, 'demo'], { env, stdio: 'pipe' });
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  await new Promise((resolve) => {
    child.stdout.once('data', resolve);
  });
  expect(readdirSync(TMPDIR)).not.toEqual([]);
  child.kill('SIGTERM');
  expect(await ended).toBe(130);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
