import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { startEmulator } from '../support/emulator.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

test.skipIf(process.platform === 'win32')('a download on a full disk leaves no file', async () => {
  const [from, to] = [temporaryFolder(), temporaryFolder()];
  const claims = await (await startEmulator()).launch({ role: 'student' });
  const launch = join(from, 'launch.json');
  writeFileSync(launch, JSON.stringify(claims));
  writeFileSync(join(from, 'large.bin'), 'x'.repeat(5_000_000));
  const files = (...args: string[]): string[] => ['files', ...args, '-l', launch];
  const sent = await lectern(files('upload', 'member', join(from, 'large.bin')));
  expect([sent.exit, sent.stdout]).toEqual([0, 'large.bin\t5000000\tuploaded\n']);
  // A limit of 2 MB, in blocks of 512 bytes: bytes written before it is reached are kept.
  const wrapper = ['/bin/sh', '-c', 'ulimit -f 4000; exec "$@"', 'sh'];
  const path = join(to, 'large.bin');
  const cut = await binary(files('download', 'member', 'large.bin', '-o', path), { wrapper });
  expect([cut.exit, cut.stdout]).toEqual([1, '']);
  expect(cut.stderr).toContain(`${to} cannot be written to: file too large`);
  expect(readdirSync(to)).toEqual([]);
});
