import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorReportText } from '../../../src/cli/output/error-text.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';

const RED = '\x1b[31m';
const YELLOW = '\x1b[33m';
const AMBER = '\x1b[38;5;130m';

/** What a terminal of that kind is sent, and the exit code. */
async function sent(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'row.json'), '{"big":9007199254740993}');
  writeFileSync(join(folder, 'bad.json'), '[]');
  const shell = terminal(args, { cwd: folder, env });
  await shell.exit;
  return shell.bytes();
}

const WARNED = ['validate', 'row', 'row.json'];

test('a warning is in a yellow that can be read on white, with 256 colors', async () => {
  expect(await sent(WARNED)).toContain(`${AMBER}warning`);
  expect(await sent(WARNED, { TERM: 'xterm' })).toContain(`${YELLOW}warning`);
  expect(await sent(WARNED, { TERM: 'xterm', COLORTERM: 'truecolor' })).toContain(AMBER);
});

test.each([
  ['a finding', ['validate', 'row', 'bad.json'], `${RED}error`],
  ['an error', ['key', 'lisst'], `${RED}lectern:`],
])('%s is red', async (_, args, painted) => {
  expect(await sent(args)).toContain(painted);
});

test('doctor prints passed checks in green', async () => {
  expect(await sent(['doctor'])).toContain('\x1b[32mok\x1b[39m');
});

test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('nothing is colored with %j', async (env) => {
  for (const args of [WARNED, ['validate', 'row', 'bad.json'], ['key', 'lisst']]) {
    expect(await sent(args, env as Record<string, string>)).not.toContain('\x1b[3');
  }
});

test('many findings end with the message and the command for help', () => {
  const place = { path: '/a', line: null, column: null };
  const words = { code: 'seed.invalid', message: 'wrong', rule: '', hint: 'mend it' } as const;
  const findings = Array.from(
    { length: 6 },
    () => ({ severity: 'error', ...place, ...words }) as const,
  );
  const error = { code: 'usage', exit: 2, message: 'six faults', status: null, hint: null };
  const more = 'see lectern emulator start --help';
  const text = errorReportText({ ...error, findings }, { more });
  expect(text).toMatch(/\nlectern: six faults\n {2}see lectern emulator start --help\n$/);
});
