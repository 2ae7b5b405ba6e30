import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';
import { rowService } from '../cli/storage/row-service.ts';
import { pty } from '../support/pty.ts';
import { KEYS } from '../support/screen.ts';
import { rowToReplace } from './row-to-replace.ts';

/** A row that is about to be replaced; `asked` runs a command line with somebody at the terminal. */
async function atTheQuestion() {
  const { folder, methods } = await rowToReplace();
  const asked = (line: string, env: Record<string, string> = {}) =>
    pty([...line.split(' '), '-l', 'launch.json'], { cwd: folder, home: folder, env });
  return { asked, methods };
}

test.each([
  ['storage put member -', `{"n":1}${KEYS.enter}`, ['GET']],
  ['grade submit --from -', `member,score${KEYS.enter}m-2,0.5${KEYS.enter}`, []],
])('%s does not read an answer from standard input that contains the data: 2', async (...row) => {
  const [line, typed, sent] = row;
  const { asked, methods } = await atTheQuestion();
  const session = asked(line);
  session.type(typed + KEYS.end);
  expect([await session.exit, methods()]).toEqual([2, sent]);
  expect(session.screen()).toContain('standard input was already read\n  pass --yes to confirm');
});

test.each<[string, Record<string, string>]>([
  ['--no-color', { FORCE_COLOR: '1' }],
  ['', { NO_COLOR: '1', FORCE_COLOR: '1' }],
])('questions have no color with %s %o', async (flag, env) => {
  const { asked, methods } = await atTheQuestion();
  const session = asked(`storage put member row.json ${flag}`.trim(), env);
  await session.shows('(y/N)');
  session.type(`y${KEYS.enter}`);
  await session.exit;
  expect(methods()).toContain('PUT');
  expect(session.bytes().replaceAll('\u001b', 'ESC')).not.toMatch(/ESC\[[\d;]+m|Warning/);
});

test('storage edit leaves Ctrl-C to the open editor', async () => {
  const rows = await rowService({ context: '{"a":1.10}' });
  const untilInterrupted = `(text) => new Promise((resolve) => {
    const open = setInterval(() => {}, 1000);
    process.once('SIGINT', () => {
      clearInterval(open);
      resolve(text.replace('1.10', '1.2'));
    });
    console.log('the editor is open');
  })`;
  const screen = pty(['storage', 'edit', 'context'], {
    home: rows.home,
    env: rows.editor(untilInterrupted),
  });
  await screen.shows('the editor is open');
  screen.type(KEYS.interrupt);
  await screen.shows('Send this change');
  screen.type(KEYS.interrupt);
  expect(await screen.exit).toBe(130);
  expect(rows.methods()).toEqual(['GET']);
});

test('key save prompts without an echo', async () => {
  const key = 'api-key-canary-1';
  const home = temporaryFolder();
  const asked = pty(['key', 'save', 'prod', '--origin', 'https://service.example'], {
    home,
  });
  await asked.shows('API key');
  asked.type(`${key}\u0014`);
  await asked.shows('*'.repeat(key.length));
  asked.type(KEYS.enter);
  expect(await asked.exit).toBe(0);
  expect(asked.bytes()).not.toMatch(/canary|visibility/);
  expect(readFileSync(join(home, 'keys', 'prod.json'), 'utf8')).toContain(key);
});

test('launch save prompts for the launch without an echo, and for missing claims', async () => {
  const origin = 'https://service.example';
  const home = temporaryFolder();
  const claims = launchFor(origin, { api: {}, iss: undefined });
  const mixed = { ...claims, grade: { submit: 'https://other.example/contexts/c/m-1' } };
  const asked = pty(['launch', 'save', 'x'], { home });
  await asked.shows('Paste the launch');
  asked.type(`${JSON.stringify(mixed, null, 2).replaceAll('\n', KEYS.enter)}${KEYS.enter}`);
  await asked.shows('api.token is missing');
  asked.type(`typed-token${KEYS.enter}`);
  await asked.shows('iss is missing');
  asked.type(`${origin}/base${KEYS.enter}`);
  expect(await asked.exit).toBe(0);
  expect(asked.screen()).not.toContain('opaque');
  expect(asked.screen()).not.toContain('typed-token');
  const savedLaunch = JSON.parse(readFileSync(join(home, 'launches', 'x.json'), 'utf8'));
  expect(savedLaunch).toMatchObject({ origin, claims: { api: { token: 'typed-token' } } });
});
