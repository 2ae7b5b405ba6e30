import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { launchFor, startService } from '../support/service.ts';
import { KEYS, terminal } from '../support/terminal.ts';

/** A row that is about to be replaced, with somebody at the terminal. */
async function atTheQuestion() {
  const service = await startService((_, response) => void response.end('{"old":1}'));
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'launch.json'), JSON.stringify(launchFor(service.origin)));
  writeFileSync(join(folder, 'row.json'), '{"new":2}');
  const args = ['storage', 'put', 'member', 'row.json', '-l', 'launch.json'];
  const options = { cwd: folder, home: folder };
  return { service, args, options };
}

test.each<[string, string]>([
  ['no', `n${KEYS.enter}`],
  ['Enter', KEYS.enter],
  ['Ctrl-C', KEYS.interrupt],
  ['Ctrl-D', KEYS.end],
])('%s at a question ends with 130, and nothing was done', async (_, keys) => {
  const { service, args, options } = await atTheQuestion();
  const session = terminal(args, options);
  await session.shows('(y/N)');
  session.type(keys);
  expect(await session.exit).toBe(130);
  expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('yes goes on', async () => {
  const { service, args, options } = await atTheQuestion();
  const session = terminal(args, options);
  await session.shows('(y/N)');
  session.type(`y${KEYS.enter}`);
  await session.exit;
  expect(service.requests.map(({ method }) => method)).toContain('PUT');
});

test('where nobody can be asked a question is an error, never a hang', async () => {
  const { service, args, options } = await atTheQuestion();
  const result = await lectern(args, options);
  expect(result.exit).toBe(2);
  expect(result.stderr).toContain('--yes');
  expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('standard input that was the data answers no question: exit 2, and nothing is sent', async () => {
  const { service, options } = await atTheQuestion();
  const session = terminal(['storage', 'put', 'member', '-', '-l', 'launch.json'], options);
  session.type(`{"n":1}${KEYS.enter}${KEYS.end}`);
  expect(await session.exit).toBe(2);
  expect(session.screen()).toContain('standard input was the data\n  add --yes to go on');
  expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('grades from standard input are not submitted unasked', async () => {
  const { service, options } = await atTheQuestion();
  const session = terminal(['grade', 'submit', '--from', '-', '-l', 'launch.json'], options);
  session.type(`member,score${KEYS.enter}m-2,0.5${KEYS.enter}${KEYS.end}`);
  expect(await session.exit).toBe(2);
  expect(session.screen()).toContain('standard input was the data\n  add --yes to go on');
  expect(service.requests).toEqual([]);
});

test.each<[string, string[], Record<string, string>]>([
  ['--no-color', ['--no-color'], {}],
  ['--no-color despite FORCE_COLOR', ['--no-color'], { FORCE_COLOR: '1' }],
  ['NO_COLOR', [], { NO_COLOR: '1' }],
  ['NO_COLOR despite FORCE_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1' }],
])('%s reaches the questions', async (_, flags, env) => {
  const { args, options } = await atTheQuestion();
  const session = terminal([...args, ...flags], { ...options, env });
  await session.shows('(y/N)');
  session.type(`n${KEYS.enter}`);
  expect(await session.exit).toBe(130);
  expect(session.bytes().replaceAll('\u001b', 'ESC')).not.toMatch(/ESC\[[\d;]+m|Warning/);
});
