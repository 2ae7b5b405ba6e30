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
import { temporaryFolder } from '../../support/lectern.ts';
import { INSTRUCTOR, launchFor } from '../../support/service.ts';
import { jsonOf, linesIn, stepsAt } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';

const ORIGIN = 'https://service.example';
const TOKEN = 'launch-token-canary-1';

function launchText(more: Record<string, unknown> = {}): string {
  return JSON.stringify(launchFor(ORIGIN, { ...INSTRUCTOR, ...more }));
}

/** A home with launches saved under these names, the first of them in use. Standard input is a launch. */
async function homeWith(...names: string[]) {
  const at = stepsAt({ input: launchText() });
  for (const name of names) await at.step(`launch save ${name} -`);
  const file = (name: string): string => join(at.home, 'launches', `${name}.json`);
  return { ...at, file, saved: () => readdirSync(join(at.home, 'launches')).toSorted() };
}

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

const payload = Buffer.from(launchText()).toString('base64url');
const header = Buffer.from('{"alg":"none"}').toString('base64url');

describe('launch save', () => {
  test('stores the claims for the owner only, and the first launch is in use', async () => {
    const { step } = await homeWith();
    const home = join(temporaryFolder(), 'made', 'here');
    const lines = `
      launch save monday # saved launch monday: Amina Example (instructor), course c-1 … it is in use
      launch save tuesday # use it with: lectern launch use tuesday`;
    await step(lines, { home, stdout: '' });
    const file = join(home, 'launches', 'monday.json');
    expect([home, join(home, 'launches'), file].map(modeOf)).toEqual([0o700, 0o700, 0o600]);
    const claims = JSON.parse(launchText());
    const kept = { name: 'monday', origin: ORIGIN, claims };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(kept);
  });

  test('says of one launch only that it is in use, if several are saved at once', async () => {
    const { step } = await homeWith();
    const home = join(temporaryFolder(), 'new');
    const saved = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => step(`launch save ${name}`, { home })),
    );
    const inUse = saved.filter(({ stderr }) => stderr.includes('it is in use'));
    expect(inUse).toHaveLength(1);
    const [, name = ''] = /saved launch (.):/.exec(inUse[0]?.stderr ?? '') ?? [];
    await step('launch list', { home, stdout: new RegExp(`^${name}\\t\\*`, 'm') });
  });

  test('takes white space and invisible characters off the token', async () => {
    const { step } = await homeWith();
    const token = ` ${TOKEN.replace('-', '\u200b-\u00ad')}\ufeff\n`;
    await step('launch save x', { input: launchText({ api: { token } }) });
    await step('launch show --reveal api.token', { stdout: new RegExp(`^${TOKEN}\n$`) });
  });

  test.each([
    ['(hidden, 46 characters)', 'a placeholder'],
    ['[FILTERED]', 'a placeholder'],
    [`${TOKEN.slice(0, 12)}...`, 'dots'],
    [`"${TOKEN}"`, 'quotes'],
    [`Bearer ${TOKEN}`, 'Bearer'],
  ])('rejects the token %s, and saves nothing', async (token, fault) => {
    const { step, home } = await homeWith();
    const given = { input: launchText({ api: { token } }), lacks: TOKEN };
    const error = { code: 'launch.token_unusable', message: expect.stringContaining(fault) };
    await step('launch save x --json # exit 3', { ...given, error });
    expect(existsSync(join(home, 'launches'))).toBe(false);
  });

  test('reports errors and saves the launch', async () => {
    const { step } = await homeWith();
    const input = launchText({ grade: undefined });
    await step('launch save x', { input, stderr: 'launch.claim_missing' });
    const json = { name: 'y', current: false };
    const again = await step('launch save y --json', { input, stderr: '', json });
    const missing = { code: 'launch.claim_missing', path: 'grade.submit' };
    expect(jsonOf(again).findings).toContainEqual(expect.objectContaining(missing));
  });

  test('saves no launch that is too deep or has no address, and none with wrong arguments', async () => {
    const { step, home } = await homeWith();
    const deep = `{"api":{"token":"t"},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const lines = `
      launch save x --json < ${deep} # exit 3: launch.unreadable
      launch save x --json < {"iss":"https://service.example","user":{"groups":[]}} # exit 3: launch.unreadable
      launch save ../x launch.json # exit 2
      launch save ${header}.${payload}.c2ln - # exit 2
      launch save x ${header}.${payload}.c2ln # exit 2
      launch save x nowhere.json # exit 2
      launch save x / # exit 2
      launch save # exit 2`;
    for (const line of linesIn(lines)) await step(line, { lacks: payload });
    expect(existsSync(join(home, 'launches'))).toBe(false);
  });

  test('stores nothing in a shared folder, and leaves the folder unchanged: 1', async () => {
    const { step, home } = await homeWith();
    chmodSync(home, 0o1777);
    // The ledger has the same home.
    await step(`
      launch save monday # exit 1: is a shared folder … set LECTERN_HOME
      grade log # exit 1: is a shared folder`);
    expect([modeOf(home), readdirSync(home)]).toEqual([0o1777, []]);
  });

  const ASK = 'Paste the launch';
  const cut = launchText().slice(0, 60);

  test('on a terminal asks for the name and the launch, and saves no incomplete one', async () => {
    const { home, atTerminal } = stepsAt();
    const shows = 'it ends too early: copy it again to its end';
    const early = { [ASK]: [cut + KEYS.enter, KEYS.end] };
    await atTerminal('launch save x', { keys: early, exit: 3, shows, lacks: TOKEN });
    await atTerminal('launch save x', { keys: { [ASK]: `{"api":${KEYS.interrupt}` }, exit: 130 });
    expect(existsSync(join(home, 'launches'))).toBe(false);
    const keys = { 'Name:': `x${KEYS.enter}`, [ASK]: launchText() + KEYS.enter };
    await atTerminal('launch save', { keys, shows: 'saved launch x', lacks: TOKEN });
  });
});

describe('launch list, use, show and rm', () => {
  test('list marks the launch in use, and shows no secret', async () => {
    const { step } = await homeWith('monday', 'tuesday');
    const whose = 'launch\\tAmina Example \\(instructor\\)\\tc-1';
    const stdout = new RegExp(
      `^monday\\t\\*\\t${whose}\\t.*\\tnever\\tnot used yet\\ntuesday\\t\\t`,
    );
    await step('launch list', { stdout, lacks: TOKEN });
    await step('launch list --json', {
      json: [
        { name: 'monday', current: true, state: 'unseen', last_success: null, ended: null },
        { name: 'tuesday', current: false, kind: 'launch', groups: ['instructor'] },
      ],
      lacks: TOKEN,
    });
  });

  test("list and show hide a student's name, even if the launch has one", async () => {
    const { step } = await homeWith();
    const user = { member: 'm-1', groups: ['student'], full_name: 'Amina Example' };
    await step('launch save s', { input: launchText({ user }) });
    await step('launch list', { stdout: 'student', lacks: 'Amina' });
  });

  test('use selects the launch of later commands, and rm deletes it', async () => {
    const { step, saved } = await homeWith('monday', 'tuesday');
    await step('launch use tuesday --json', { json: { name: 'tuesday' } });
    await step('launch show --json', { json: { name: 'tuesday', current: true } });
    await step('launch rm tuesday', { stdout: '', stderr: 'no launch is in use now' });
    expect(saved()).toEqual(['monday.json']);
    await step(`
      launch show # exit 2
      launch show mondya # exit 2: did you mean monday?
      launch check mondya # exit 2: did you mean monday?`);
  });

  test('a launch file may have any name', async () => {
    for (const name of ['my-launch.staging-eu.json', '0123456789abcdef0123456789abcdef', 'a b']) {
      const files = { [name]: launchText() };
      await stepsAt({ files }).step(`launch decode -l '${name}'`, { stderr: '' });
    }
  });

  test('use without a name asks on a terminal, and is a usage error elsewhere', async () => {
    const { step, atTerminal } = await homeWith('monday', 'tuesday');
    await step('launch use # exit 2: one of monday, tuesday');
    await atTerminal('launch use', { keys: { 'tuesday: Amina Example': KEYS.down + KEYS.enter } });
    await step('launch show --json', { json: { name: 'tuesday' } });
  });

  test('show hides the token and possible secrets in an address', async () => {
    const { step } = await homeWith('monday');
    await step('launch show --json', {
      json: { origin: ORIGIN, claims: { context: 'c-1' } },
      stdout: '?sig=(hidden)&k=(hidden)',
      lacks: [TOKEN, 'a%2Fb'],
    });
    const stdout = [`origin\t${ORIGIN}\n`, 'member\tm-1\n'];
    await step('launch show monday', { stdout, lacks: TOKEN });
  });

  test('show --reveal prints the claims completely, or only one claim', async () => {
    const { step } = await homeWith('monday');
    const claims = { api: { token: TOKEN }, context: 'c-1' };
    await step('launch show --reveal', { json: claims, stdout: 'sig=' });
    const token = new RegExp(`^${TOKEN}\n$`);
    await step('launch show monday --reveal api.token', { stdout: token, stderr: '' });
    await step('launch show --json --reveal', { json: { name: 'monday', claims } });
    const stderr = 'did you mean api.token?';
    await step('launch show --reveal api.tokn', { exit: 6, stdout: '', stderr });
  });

  test('show takes a launch in a file, which a flag or the environment may name', async () => {
    const { step } = await homeWith();
    const given = { files: { 'led.json': launchText() }, env: { LECTERN_LAUNCH: 'led.json' } };
    const json = { name: 'led.json', member: 'm-1', saved: null, state: null };
    await step('launch show --json', { ...given, json, lacks: TOKEN });
    await step('launch show led.json', { stdout: 'member\tm-1\n', lacks: 'saved' });
    await step('launch show -l led.json --reveal api.token', { stdout: `${TOKEN}\n` });
    const env = { LECTERN_LAUNCH: 'gone' };
    await step('launch show', { env, exit: 2, stderr: 'named "gone" (in LECTERN_LAUNCH)' });
  });
});

describe('the file of a saved launch', () => {
  test('and its home lose the permissions of others when they are used', async () => {
    const { step, home, file } = await homeWith('monday');
    for (const path of [home, file('monday')]) chmodSync(path, 0o755);
    await step('launch save tuesday\nlaunch show monday');
    expect([home, file('monday')].map(modeOf)).toEqual([0o700, 0o600]);
  });

  test('that is a symbolic link is not read or written through', async () => {
    const { step, home, file } = await homeWith();
    const aim = join(temporaryFolder(), 'aim.json');
    writeFileSync(aim, JSON.stringify({ name: 'x', claims: launchFor(ORIGIN), saved: '' }));
    mkdirSync(join(home, 'launches'));
    symlinkSync(aim, file('x'));
    const before = readFileSync(aim, 'utf8');
    await step(`
      launch show x # exit 1: symbolic links are not followed
      storage get member -l x # exit 1: symbolic links are not followed
      launch save x - --force # exit 1: symbolic links are not followed
      launch rm x # exit 1: symbolic links are not followed`);
    expect(readFileSync(aim, 'utf8')).toBe(before);
  });

  test.each([
    ['no JSON', '{"name":'],
    ['not a launch', '{"name":"tuesday"}'],
    ['not an object', '[]'],
  ])('that is damaged (%s) only affects its own launch', async (_, text) => {
    const { step, file, saved } = await homeWith('monday', 'tuesday');
    writeFileSync(file('tuesday'), text);
    const stderr = /^skipped: .*tuesday\.json is damaged\n$/;
    await step('launch list', { stdout: /^monday\t/, stderr });
    await step('launch list --json', { json: [{ name: 'monday' }] });
    await step(`
      launch save tuesday # exit 2: --force
      launch save wednesday
      launch use tuesday # exit 1: is damaged
      launch rm tuesday`);
    expect(saved()).toEqual(['monday.json', 'wednesday.json']);
  });
});
