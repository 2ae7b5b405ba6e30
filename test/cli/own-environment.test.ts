import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT } from '../../src/cli/help/topics.ts';
import { INHERITED, ownEnvironment, programEnvironment } from '../../src/own-environment.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

const OWN = { home: '/own', url: 'http://127.0.0.1:1' };
const OWN_VARIABLES = {
  LECTERN_HOME: '/own',
  LECTERN_EMULATOR: 'http://127.0.0.1:1',
  LECTERN_PROJECT: 'off',
};

/** A value for every variable that lectern reads, and for one of a later version. */
const USERS = Object.fromEntries(
  [...ENVIRONMENT.flatMap(({ name }) => name.split(', ')), 'LECTERN_LATER', 'Lectern_Ledger'].map(
    (name) => [name, 'mine'],
  ),
);

describe('the environment of what has an emulator of its own', () => {
  test('has no setting of the user in a command of lectern', () => {
    const { LECTERN_PAGER, NO_COLOR, PAGER, VISUAL, EDITOR, ...rest } = ownEnvironment(USERS, OWN);
    expect(rest).toEqual(OWN_VARIABLES);
    expect([LECTERN_PAGER, NO_COLOR, PAGER, VISUAL, EDITOR]).toEqual(Array(5).fill('mine'));
  });

  test('has no setting of lectern in another program, and everything else', () => {
    const { HTTPS_PROXY, ...program } = programEnvironment({ ...USERS, DATABASE_URL: 'x' }, OWN);
    const own = Object.entries(program).filter(([name]) => /^lectern_(?!pager)/i.test(name));
    expect(Object.fromEntries(own)).toEqual(OWN_VARIABLES);
    expect([HTTPS_PROXY, program.DATABASE_URL]).toEqual(['mine', 'x']);
  });

  test('is the same in the plugin for pytest', () => {
    const plugin = readFileSync('docs/examples/pytest/conftest.py', 'utf8');
    const [, listed = ''] = /^INHERITED = \{(.*?)^\}/ms.exec(plugin) ?? [];
    const names = [...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual([...INHERITED]);
  });
});

test('demo and emulator exec use no ledger, launch, project file or credential of the user', async () => {
  const folder = temporaryFolder();
  const env = {
    LECTERN_LEDGER: 'postgres://127.0.0.1:1/team',
    LECTERN_LAUNCH: 'mine',
    LECTERN_TOKEN: 'mine',
    LECTERN_API_KEY: 'mine',
    LECTERN_EMULATOR_TOKEN: 'mine',
  };
  expect((await lectern(['demo'], { env })).exit).toBe(0);
  const file = JSON.stringify(join(folder, 'env.json'));
  const script = `require('fs').writeFileSync(${file}, JSON.stringify(process.env))`;
  const args = ['emulator', 'exec', '--', process.execPath, '-e', script];
  expect((await lectern(args, { env })).exit).toBe(0);
  const seen = JSON.parse(readFileSync(join(folder, 'env.json'), 'utf8')) as object;
  const names = Object.keys(seen).filter((name) => name.startsWith('LECTERN_'));
  expect(names.sort()).toEqual([
    'LECTERN_EMULATOR',
    'LECTERN_HOME',
    'LECTERN_LAUNCH',
    'LECTERN_PROJECT',
  ]);
});
