import { expect, test } from 'vitest';
import { lectern } from '../support/lectern.ts';

test.each([[['--version']], [['-V']]])('lectern %j prints only the version', async (args) => {
  const { exit, stdout } = await lectern(args);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

test.each([[['--version', '--json']], [['--json', '-V']], [['--version', '--json', '--no-color']]])(
  'lectern %j prints one JSON document',
  async (args) => {
    const { stdout: version } = await lectern(['--version']);
    const { exit, stdout } = await lectern(args);
    expect([exit, JSON.parse(stdout)]).toEqual([0, { version: version.trim() }]);
  },
);
