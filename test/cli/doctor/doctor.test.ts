import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { INSTRUCTOR, answerJson, launchFor, startService } from '../../support/service.ts';
import { type Expected, type Given, jsonOf, linesIn, step } from '../../support/steps.ts';

type Checkup = { name: string; state: string; detail: string; hint: string | null };

/** Runs `doctor --json`; `find` gives a check, and the wrong one of several of this name. */
async function doctor({ home = temporaryFolder(), ...given }: Given & Expected) {
  const result = await step('doctor --json', { home, ...given });
  const { ok, checkups } = jsonOf(result) as { ok: boolean; checkups: Checkup[] };
  expect(ok).toBe(result.exit === 0);
  const find = (name: string): Checkup | undefined =>
    checkups.find((each) => each.name === name && each.state !== 'ok') ??
    checkups.find((each) => each.name === name);
  return { find, wrong: checkups.filter(({ state }) => state === 'wrong') };
}

test('doctor finds nothing wrong in an empty home, and leaves it empty', async () => {
  const home = join(temporaryFolder(), 'none');
  const { find } = await doctor({ home, stderr: '' });
  expect(find('node')?.detail).toBe(process.versions.node);
  expect(find('home')?.detail).toBe(`${home}: does not exist yet`);
  expect(find('launch in use')?.detail).toBe('none');
  expect(find('ledger in use')?.detail).toBe('the one of this machine');
  expect(find('ledger')?.detail).toContain('does not exist yet');
  await step('doctor', { home, stdout: /^lectern\tok\t\d+\.\d+\.\d+\t\n/ });
});

test('doctor shows the launch and the ledger of a home, and no secret', async () => {
  const service = await startService((_, response) => answerJson(response, 422, {}));
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor(service.origin, INSTRUCTOR));
  await step('launch save x', { home, input });
  await step('grade submit --score 1 --member m-2', { home, exit: 7 });
  const env = { LECTERN_TOKEN: 'token-canary-2' };
  const checks = await doctor({ home, env, lacks: 'canary' });
  expect(checks.wrong).toEqual([]);
  expect(checks.find('launch in use')?.detail).toContain('x: Amina Example (instructor)');
  expect(checks.find('ledger')?.detail).toMatch(/intact, .*; 1 attempt \(0 in doubt\)/);
  expect(checks.find('LECTERN_TOKEN')?.detail).toContain('is set');
});

test('doctor names the shared ledger that is used, without a connection and without its password', async () => {
  const env = { LECTERN_LEDGER: 'postgres://me:canary@127.0.0.1:1/x' };
  const { find } = await doctor({ env, lacks: 'canary' });
  const hint = expect.stringContaining('lectern ledger status');
  expect(find('ledger in use')).toMatchObject({ detail: 'postgres://127.0.0.1:1/x', hint });
  expect(find('LECTERN_LEDGER')?.detail).toContain('is set');
});

const link = (path: string, to: string) => (home: string) => symlinkSync(to, join(home, path));
const mode = (path: string, bits: number) => (home: string) => chmodSync(join(home, path), bits);
const text = (path: string, content: string, bits: number) => (home: string) => {
  mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, path), content, { mode: bits });
};

const emptied = (path: string) => (home: string) => {
  rmSync(join(home, path));
  mkdirSync(join(home, path));
};

const damaged = /it is damaged.*remove it/;
const noFile = /it is a folder(?!.*remove it)/;

test.each<[string, string, (home: string) => void, words?: RegExp]>([
  ['a secret that others can read', 'launches', mode('launches/x.json', 0o604)],
  ['a folder that others can read', 'launches', mode('launches', 0o750)],
  ['a secret that is a link', 'launches', link('launches/y.json', '/etc/hosts')],
  ['a folder that is a link', 'keys', link('keys', '/tmp')],
  ['a file instead of a folder', 'keys', text('keys', '', 0o600)],
  ['a readable password of a ledger', 'ledgers', text('ledgers/team.json', '{}', 0o604)],
  ['damaged settings', 'settings', text('settings.json', '{', 0o644), damaged],
  ['settings that are a folder', 'settings', emptied('settings.json'), noFile],
  ['a damaged ledger', 'ledger', text('ledger.sqlite', 'SQLite format 4 '.repeat(400), 0o600)],
  ['a missing current launch', 'launch in use', (home) => rmSync(join(home, 'launches/x.json'))],
])('doctor reports %s: 1', async (_, name, spoil, words = /./) => {
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor('https://service.example'));
  await step('launch save x', { home, input });
  spoil(home);
  const { wrong } = await doctor({ home, exit: 1, error: { code: 'doctor', exit: 1 } });
  const said = wrong.filter((each) => each.name === name).map(({ detail, hint }) => detail + hint);
  expect(said).toContainEqual(expect.stringMatching(words));
});

test('doctor warns of a home that others can read, whose files have their own modes', async () => {
  const home = temporaryFolder();
  chmodSync(home, 0o755);
  const { find } = await doctor({ home });
  expect(find('home')).toMatchObject({ state: 'warning', hint: `chmod go= ${home}` });
});

test.each(
  linesIn(`
  http://user:hunter2@proxy.example:3128 # http://…@proxy.example:3128
  http://user:hunter2@hunter2@proxy.example # http://…@proxy.example
  http://user:hunter2/hunter2@proxy.example # http://…@proxy.example
  user:hunter2@proxy.example:3128 # …@proxy.example:3128
  http://proxy.example:3128 # http://proxy.example:3128`),
)('doctor shows a proxy without its password: %s', async (line) => {
  const [address, shown] = line.split(' # ');
  const stdout = `proxy\tok\tHTTPS_PROXY=${shown}, NO_PROXY=example.org`;
  const env = { HTTPS_PROXY: address, NO_PROXY: 'example.org' };
  await step('doctor', { env, stdout, lacks: 'hunter2' });
});

test('doctor reads extra certificates', async () => {
  const home = temporaryFolder();
  const given = { home, cwd: home, files: { 'ca/empty.pem': '' }, exit: 1 };
  for (const [name, value, check] of [
    ['NODE_EXTRA_CA_CERTS', join(home, 'ca/empty.pem'), 'certificates'],
    ['NODE_EXTRA_CA_CERTS', join(home, 'nowhere.pem'), 'certificates'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0', 'tls'],
  ] as const) {
    const { find } = await doctor({ ...given, env: { [name]: value } });
    expect(find(check)).toMatchObject({ state: 'wrong' });
  }
});

test.runIf(process.platform === 'linux')(
  'doctor reports that a home cannot be created',
  async () => {
    await step('doctor # exit 1: writing\twrong\t/proc cannot be written to', {
      home: '/proc/x/y',
    });
  },
);

test('doctor checks where a missing home would be created, and does not create it', async () => {
  const folder = temporaryFolder();
  const { find } = await doctor({ home: join(folder, 'a/b') });
  expect(find('writing')?.detail).toContain(`can be created in ${folder}`);
  expect(readdirSync(folder)).toEqual([]);
});
