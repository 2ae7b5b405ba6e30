import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { INSTRUCTOR, launchFor } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';

const ORIGIN = 'https://service.example';
const TOKEN = 'launch-token-canary-1';

function launchText(more: Record<string, unknown> = {}): string {
  return JSON.stringify(launchFor(ORIGIN, { ...INSTRUCTOR, ...more }));
}

/** A home with launches saved under these names, the first of them in use. */
async function homeWith(...names: string[]): Promise<string> {
  const home = temporaryFolder();
  for (const name of names) {
    const { exit } = await lectern(['launch', 'save', name, '-'], { home, input: launchText() });
    expect(exit).toBe(0);
  }
  return home;
}

async function json(args: readonly string[], home: string): Promise<unknown> {
  const { exit, stdout } = await lectern([...args, '--json'], { home });
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('launch save', () => {
  test('reports that the user is unknown', async () => {
    const input = launchText({ user: { member: 'm-1' } });
    const { stderr } = await lectern(['launch', 'save', 'x'], { input });
    expect(stderr).toContain('saved launch x: role unknown, ');
  });

  test('stores the claims for the owner only, and the first launch is in use', async () => {
    const home = join(temporaryFolder(), 'made', 'here');
    const first = await lectern(['launch', 'save', 'monday'], { home, input: launchText() });
    expect(first).toMatchObject({ exit: 0, stdout: '' });
    expect(first.stderr).toContain('saved launch monday: Amina Example (instructor), course c-1');
    expect(first.stderr).toContain('it is in use');
    const second = await lectern(['launch', 'save', 'tuesday'], { home, input: launchText() });
    expect(second.stderr).toContain('use it with: lectern launch use tuesday');
    expect(modeOf(home)).toBe(0o700);
    expect(modeOf(join(home, 'launches'))).toBe(0o700);
    expect(modeOf(join(home, 'launches', 'monday.json'))).toBe(0o600);
    const savedLaunch = JSON.parse(readFileSync(join(home, 'launches', 'monday.json'), 'utf8'));
    expect(savedLaunch).toMatchObject({
      name: 'monday',
      origin: ORIGIN,
      claims: JSON.parse(launchText()),
    });
  });

  test('needs --force to overwrite', async () => {
    const home = await homeWith('monday');
    const input = launchText({ context: 'c-2' });
    const refused = await lectern(['launch', 'save', 'monday'], { home, input });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('--force');
    expect(await json(['launch', 'show', 'monday'], home)).toMatchObject({ course: 'c-1' });
    const forced = await lectern(['launch', 'save', 'monday', '--force'], { home, input });
    expect(forced.exit).toBe(0);
    expect(await json(['launch', 'show', 'monday'], home)).toMatchObject({ course: 'c-2' });
  });

  const payload = Buffer.from(launchText()).toString('base64url');
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  test.each([
    ['a token', `${header}.${payload}.c2ln`],
    ['base64', Buffer.from(launchText()).toString('base64')],
    ['a form body', `launch=${encodeURIComponent(launchText())}`],
    ['JSON under a wrapper, with a BOM', `\ufeff{"data":{"launch":${launchText()}}}`],
  ])('accepts %s', async (_, input) => {
    const home = temporaryFolder();
    expect((await lectern(['launch', 'save', 'x'], { home, input })).exit).toBe(0);
    expect(await json(['launch', 'show', 'x'], home)).toMatchObject({
      origin: ORIGIN,
      member: 'm-1',
    });
  });

  test('reports errors and saves the launch', async () => {
    const home = temporaryFolder();
    const input = launchText({ grade: undefined });
    const saved = await lectern(['launch', 'save', 'x'], { home, input });
    expect(saved.exit).toBe(0);
    expect(saved.stderr).toContain('launch.claim_missing');
    const again = await lectern(['launch', 'save', 'y', '--json'], { home, input });
    expect(again.stderr).toBe('');
    expect(JSON.parse(again.stdout)).toMatchObject({
      name: 'y',
      current: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'launch.claim_missing', path: 'grade.submit' }),
      ]),
    });
  });

  test.each([
    ['nothing', ''],
    ['a text that is not a launch', '{"hello":1}'],
    [
      'a launch that is nested too deeply',
      `{"api":{"token":"t"},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ],
    ['a launch that can call nothing', '{"iss":"https://service.example","user":{"groups":[]}}'],
  ])('rejects %s', async (_, input) => {
    const home = temporaryFolder();
    const { exit, stderr } = await lectern(['launch', 'save', 'x', '--json'], { home, input });
    expect(exit).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'launch.unreadable', exit: 3 } });
    expect(existsSync(join(home, 'launches'))).toBe(false);
  });

  test.each([
    ['an invalid name', ['save', '../x', 'launch.json']],
    ['a token as a name', ['save', `${header}.${payload}.c2ln`, '-']],
    ['a token as a file', ['save', 'x', `${header}.${payload}.c2ln`]],
    ['a missing file', ['save', 'x', 'nowhere.json']],
    ['a folder', ['save', 'x', '/']],
    ['no name', ['save']],
  ])('with %s is a usage error', async (_, args) => {
    const home = temporaryFolder();
    const { exit, stderr } = await lectern(['launch', ...args], { home, input: launchText() });
    expect(exit).toBe(2);
    expect(stderr).not.toContain(payload);
    expect(existsSync(join(home, 'launches'))).toBe(false);
  });

  test('removes the access of other users from its home', async () => {
    const home = temporaryFolder();
    chmodSync(home, 0o755);
    await lectern(['launch', 'save', 'monday'], { home, input: launchText() });
    expect(modeOf(home)).toBe(0o700);
  });

  test.each([0o1777, 0o1755, 0o777])(
    'stores nothing in a shared folder, and leaves the folder unchanged: 1 (%o)',
    async (mode) => {
      const home = temporaryFolder();
      chmodSync(home, mode);
      const modeNow = (): number => statSync(home).mode & 0o7777;
      const save = await lectern(['launch', 'save', 'monday'], { home, input: launchText() });
      expect([save.exit, save.stderr]).toEqual([1, expect.stringContaining('is a shared folder')]);
      expect(save.stderr).toContain('set LECTERN_HOME');
      // The ledger has the same home.
      const log = await lectern(['grade', 'log'], { home });
      expect([log.exit, log.stderr]).toEqual([1, expect.stringContaining('is a shared folder')]);
      expect([modeNow(), readdirSync(home)]).toEqual([mode, []]);
    },
  );

  test('on a terminal asks for a missing name, and then for the launch', async () => {
    const home = temporaryFolder();
    const asked = terminal(['launch', 'save'], { home });
    await asked.shows('Name:');
    asked.type(`monday${KEYS.enter}`);
    await asked.shows('Paste the launch');
    asked.type(launchText() + KEYS.enter);
    expect(await asked.exit).toBe(0);
    expect(asked.screen()).toContain('saved launch monday');
    expect(asked.screen()).not.toContain(TOKEN);
  });

  test('finds a launch in a pasted mail that quotes it line by line', async () => {
    const asked = terminal(['launch', 'save', 'x'], { home: temporaryFolder() });
    await asked.shows('Paste the launch');
    const quoted = JSON.stringify(JSON.parse(launchText()), null, 2).replaceAll(/^/gm, '> ');
    for (const line of quoted.split('\n')) asked.type(line + KEYS.enter);
    expect(await asked.exit).toBe(0);
    expect(asked.screen()).toContain('saved launch x');
  });

  test('reports a pasted launch that is incomplete at Ctrl-D', async () => {
    const asked = terminal(['launch', 'save', 'x'], { home: temporaryFolder() });
    await asked.shows('Paste the launch');
    asked.type(launchText().slice(0, 60) + KEYS.enter + KEYS.end);
    expect(await asked.exit).toBe(3);
    expect(asked.screen()).toContain('it ends too early: copy it again to its end');
  });

  test('stores nothing after Ctrl-C at the question', async () => {
    const home = temporaryFolder();
    const asked = terminal(['launch', 'save', 'x'], { home });
    await asked.shows('Paste the launch');
    asked.type(`{"api":${KEYS.interrupt}`);
    expect(await asked.exit).toBe(130);
    expect(existsSync(join(home, 'launches'))).toBe(false);
  });
});

describe('launch list, use, show and rm', () => {
  test('list marks the launch in use, and shows no secret', async () => {
    const home = await homeWith('monday', 'tuesday');
    const { stdout } = await lectern(['launch', 'list'], { home });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map(([name, inUse]) => [name, inUse])).toEqual([
      ['monday', '*'],
      ['tuesday', ''],
    ]);
    expect(rows[0]?.slice(2, 5)).toEqual(['launch', 'Amina Example (instructor)', 'c-1']);
    expect(rows[0]?.slice(7)).toEqual(['never', 'not used yet']);
    const listed = await lectern(['launch', 'list', '--json'], { home });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'monday', current: true, state: 'unseen', last_success: null, ended: null },
      { name: 'tuesday', current: false, kind: 'launch', groups: ['instructor'] },
    ]);
    expect(stdout + listed.stdout).not.toContain(TOKEN);
  });

  test('list prints nothing for an empty home', async () => {
    const home = temporaryFolder();
    expect(await lectern(['launch', 'list'], { home })).toMatchObject({ exit: 0, stdout: '' });
    expect(await json(['launch', 'list'], home)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  test("list and show hide a student's name, even if the launch has one", async () => {
    const home = temporaryFolder();
    const user = { member: 'm-1', groups: ['student'], full_name: 'Amina Example' };
    await lectern(['launch', 'save', 's'], { home, input: launchText({ user }) });
    const { stdout } = await lectern(['launch', 'list'], { home });
    expect(stdout).toContain('student');
    expect(stdout).not.toContain('Amina');
  });

  test('use selects the launch of later commands, and rm deletes it', async () => {
    const home = await homeWith('monday', 'tuesday');
    expect(await json(['launch', 'use', 'tuesday'], home)).toMatchObject({ name: 'tuesday' });
    expect(await json(['launch', 'show'], home)).toMatchObject({ name: 'tuesday', current: true });
    const removed = await lectern(['launch', 'rm', 'tuesday'], { home });
    expect(removed).toMatchObject({ exit: 0, stdout: '' });
    expect(removed.stderr).toContain('no launch is in use now');
    expect(readdirSync(join(home, 'launches'))).toEqual(['monday.json']);
    expect((await lectern(['launch', 'show'], { home })).exit).toBe(2);
    expect(await json(['launch', 'rm', 'monday'], home)).toEqual({ removed: 'monday' });
  });

  test.each(['use', 'show', 'rm', 'check'])('suggest the nearest name: %s', async (verb) => {
    const home = await homeWith('monday');
    const { exit, stderr } = await lectern(['launch', verb, 'mondya'], { home });
    expect(exit).toBe(2);
    expect(stderr).toContain('did you mean monday?');
  });

  test('use without a name asks on a terminal, and is a usage error elsewhere', async () => {
    const home = await homeWith('monday', 'tuesday');
    const refused = await lectern(['launch', 'use'], { home });
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain('one of monday, tuesday');
    const asked = terminal(['launch', 'use'], { home });
    await asked.shows('tuesday: Amina Example');
    asked.type(KEYS.down + KEYS.enter);
    expect(await asked.exit).toBe(0);
    expect(await json(['launch', 'show'], home)).toMatchObject({ name: 'tuesday' });
  });

  test('show hides the token and possible secrets in an address', async () => {
    const home = await homeWith('monday');
    const shown = await lectern(['launch', 'show', '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ origin: ORIGIN, claims: { context: 'c-1' } });
    expect(shown.stdout).not.toContain(TOKEN);
    expect(shown.stdout).toContain('?sig=(hidden)&k=(hidden)');
    expect(shown.stdout).not.toContain('a%2Fb');
    const { stdout } = await lectern(['launch', 'show', 'monday'], { home });
    expect(stdout).toContain(`origin\t${ORIGIN}\n`);
    expect(stdout).toContain('member\tm-1\n');
    expect(stdout).not.toContain(TOKEN);
  });

  test('show --reveal prints the claims completely, or only one claim', async () => {
    const home = await homeWith('monday');
    const reveal = (...args: string[]) => lectern(['launch', 'show', ...args], { home });
    const whole = await reveal('--reveal');
    expect(JSON.parse(whole.stdout)).toMatchObject({ api: { token: TOKEN }, context: 'c-1' });
    expect(whole.stdout).toContain('sig=');
    expect(await reveal('monday', '--reveal', 'api.token')).toMatchObject({
      exit: 0,
      stdout: `${TOKEN}\n`,
      stderr: '',
    });
    expect(JSON.parse((await reveal('--json', '--reveal')).stdout)).toMatchObject({
      name: 'monday',
      claims: { api: { token: TOKEN } },
    });
    const unknown = await reveal('--reveal', 'api.tokn');
    expect([unknown.exit, unknown.stdout]).toEqual([6, '']);
    expect(unknown.stderr).toContain('did you mean api.token?');
  });
});

describe('the file of a saved launch', () => {
  test('loses the permissions of others when it is read', async () => {
    const home = await homeWith('monday');
    const file = join(home, 'launches', 'monday.json');
    chmodSync(file, 0o644);
    await lectern(['launch', 'show'], { home });
    expect(modeOf(file)).toBe(0o600);
  });

  test('that is a symbolic link is not read or written through', async () => {
    const home = temporaryFolder();
    const aim = join(temporaryFolder(), 'aim.json');
    writeFileSync(aim, JSON.stringify({ name: 'x', claims: launchFor(ORIGIN), saved: '' }));
    mkdirSync(join(home, 'launches'));
    symlinkSync(aim, join(home, 'launches', 'x.json'));
    const before = readFileSync(aim, 'utf8');
    for (const args of [
      ['launch', 'show', 'x'],
      ['storage', 'get', 'member', '-l', 'x'],
      ['launch', 'save', 'x', '-', '--force'],
      ['launch', 'rm', 'x'],
    ]) {
      const { exit, stderr } = await lectern(args, { home, input: launchText() });
      expect([args, exit]).toEqual([args, 1]);
      expect(stderr).toContain('symbolic links are not followed');
    }
    expect(readFileSync(aim, 'utf8')).toBe(before);
  });

  test('that is damaged is reported', async () => {
    const home = await homeWith('monday');
    writeFileSync(join(home, 'launches', 'monday.json'), '{"name":');
    const { exit, stderr } = await lectern(['launch', 'show'], { home });
    expect(exit).toBe(1);
    expect(stderr).toContain('monday.json is damaged');
    expect(stderr).not.toContain('bug');
  });

  test.each([
    ['no JSON', '{"name":'],
    ['not a launch', '{"name":"tuesday"}'],
    ['not an object', '[]'],
  ])('that is damaged (%s) only affects its own launch', async (_, text) => {
    const home = await homeWith('monday', 'tuesday');
    writeFileSync(join(home, 'launches', 'tuesday.json'), text);
    const listed = await lectern(['launch', 'list'], { home });
    expect([listed.exit, listed.stdout.split('\t')[0]]).toEqual([0, 'monday']);
    expect(listed.stderr).toMatch(/^skipped: .*tuesday\.json is damaged\n$/);
    expect(await json(['launch', 'list'], home)).toMatchObject([{ name: 'monday' }]);
    const taken = await lectern(['launch', 'save', 'tuesday'], { home, input: launchText() });
    expect([taken.exit, taken.stderr]).toEqual([2, expect.stringContaining('--force')]);
    const other = await lectern(['launch', 'save', 'wednesday'], { home, input: launchText() });
    expect(other.exit).toBe(0);
    expect((await lectern(['launch', 'use', 'tuesday'], { home })).stderr).toContain('is damaged');
    expect((await lectern(['launch', 'rm', 'tuesday'], { home })).exit).toBe(0);
    expect(readdirSync(join(home, 'launches')).sort()).toEqual(['monday.json', 'wednesday.json']);
  });

  test('is stored for each of many that are saved at once', async () => {
    const home = temporaryFolder();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const input = launchText();
    await Promise.all(names.map((name) => lectern(['launch', 'save', name], { home, input })));
    expect(await json(['launch', 'list'], home)).toMatchObject(names.map((name) => ({ name })));
  });
});
