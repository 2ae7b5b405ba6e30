import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, type RunOptions, temporaryFolder } from '../../support/lectern.ts';
import { INSTRUCTOR, answerJson, launchFor, startService } from '../../support/service.ts';

type Checkup = { name: string; state: string; detail: string; hint: string | null };

async function doctor(options: RunOptions) {
  const result = await lectern(['doctor', '--json'], options);
  const { ok, checkups } = JSON.parse(result.stdout) as { ok: boolean; checkups: Checkup[] };
  const find = (name: string): Checkup | undefined =>
    checkups.find((each) => each.name === name && each.state !== 'ok') ??
    checkups.find((each) => each.name === name);
  return { ...result, ok, find, wrong: checkups.filter(({ state }) => state === 'wrong') };
}

test('doctor finds nothing wrong in an empty home, and leaves it empty', async () => {
  const home = join(temporaryFolder(), 'none');
  const { exit, ok, find, stderr } = await doctor({ home });
  expect({ exit, ok, stderr }).toEqual({ exit: 0, ok: true, stderr: '' });
  expect(find('node')?.detail).toBe(process.versions.node);
  expect(find('home')?.detail).toBe(`${home}: does not exist yet`);
  expect(find('launch in use')?.detail).toBe('none');
  expect(find('ledger')?.detail).toContain('does not exist yet');
  const { stdout } = await lectern(['doctor'], { home });
  expect(stdout.split('\n')[0]).toMatch(/^lectern\tok\t\d+\.\d+\.\d+\t$/);
});

test('doctor shows the launch and the ledger of a home, and no secret', async () => {
  const service = await startService((_, response) => answerJson(response, 422, {}));
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor(service.origin, INSTRUCTOR));
  await lectern(['launch', 'save', 'x'], { home, input });
  await lectern(['grade', 'submit', '--score', '1', '--member', 'm-2'], { home });
  const checks = await doctor({ home, env: { LECTERN_TOKEN: 'token-canary-2' } });
  expect(checks.wrong).toEqual([]);
  expect(checks.find('launch in use')?.detail).toContain('x: Amina Example (instructor)');
  expect(checks.find('ledger')?.detail).toMatch(/intact, .*; 1 attempt \(0 in doubt\)/);
  expect(checks.find('LECTERN_TOKEN')?.detail).toContain('is set');
  expect(checks.stdout).not.toContain('canary');
});

test.each<[string, string, (home: string) => void]>([
  [
    'a secret that others can read',
    'launches',
    (home) => chmodSync(join(home, 'launches/x.json'), 0o604),
  ],
  ['a folder that others can read', 'launches', (home) => chmodSync(join(home, 'launches'), 0o750)],
  [
    'a secret that is a link',
    'launches',
    (home) => symlinkSync('/etc/hosts', join(home, 'launches/y.json')),
  ],
  ['a folder that is a link', 'keys', (home) => symlinkSync('/tmp', join(home, 'keys'))],
  [
    'a file instead of a folder',
    'keys',
    (home) => writeFileSync(join(home, 'keys'), '', { mode: 0o600 }),
  ],
  [
    'the password of a ledger that others can read',
    'ledgers',
    (home) => {
      mkdirSync(join(home, 'ledgers'), { mode: 0o700 });
      writeFileSync(join(home, 'ledgers/team.json'), '{}', { mode: 0o604 });
    },
  ],
  ['damaged settings', 'settings', (home) => writeFileSync(join(home, 'settings.json'), '{')],
  [
    'a damaged ledger',
    'ledger',
    (home) =>
      writeFileSync(join(home, 'ledger.sqlite'), 'SQLite format 4 '.repeat(400), { mode: 0o600 }),
  ],
  [
    'a missing current launch',
    'launch in use',
    (home) => execFileSync('rm', [join(home, 'launches/x.json')]),
  ],
])('doctor reports %s: 1', async (_, name, spoil) => {
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor('https://service.example'));
  await lectern(['launch', 'save', 'x'], { home, input });
  spoil(home);
  const { exit, ok, wrong, stderr } = await doctor({ home });
  expect({ exit, ok }).toEqual({ exit: 1, ok: false });
  expect(wrong.map((each) => each.name)).toContain(name);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'doctor', exit: 1 } });
});

test('doctor warns of a home that others can read, whose files have their own modes', async () => {
  const home = temporaryFolder();
  chmodSync(home, 0o755);
  const { exit, find } = await doctor({ home });
  expect(exit).toBe(0);
  expect(find('home')).toMatchObject({ state: 'warning', hint: `chmod go= ${home}` });
});

test.each([
  ['http://user:hunter2@proxy.example:3128', 'http://…@proxy.example:3128'],
  ['http://user:hunter2@hunter2@proxy.example', 'http://…@proxy.example'],
  ['http://user:hunter2/hunter2@proxy.example', 'http://…@proxy.example'],
  ['user:hunter2@proxy.example:3128', '…@proxy.example:3128'],
  ['http://proxy.example:3128', 'http://proxy.example:3128'],
])('doctor shows a proxy without its password: %s', async (address, shown) => {
  const env = { HTTPS_PROXY: address, NO_PROXY: 'example.org' };
  const { exit, find, stdout } = await doctor({ env });
  expect(exit).toBe(0);
  expect(find('proxy')).toMatchObject({
    state: 'ok',
    detail: `HTTPS_PROXY=${shown}, NO_PROXY=example.org`,
  });
  expect(stdout).not.toContain('hunter2');
});

test('doctor reads extra certificates', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'ca'));
  const empty = join(home, 'ca', 'empty.pem');
  writeFileSync(empty, '');
  for (const file of [empty, join(home, 'nowhere.pem')]) {
    const checks = await doctor({ home, env: { NODE_EXTRA_CA_CERTS: file } });
    expect(checks.find('certificates')).toMatchObject({ state: 'wrong' });
  }
  const unchecked = await doctor({ home, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
  expect(unchecked.find('tls')).toMatchObject({ state: 'wrong' });
});

test.runIf(process.platform === 'linux')(
  'doctor reports a home that cannot be created as a failed check',
  async () => {
    const { exit, find } = await doctor({ home: '/proc/lectern/home' });
    expect(exit).toBe(1);
    expect(find('writing')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('/proc cannot be written to'),
    });
  },
);

test('doctor checks where a missing home would be created, and does not create it', async () => {
  const folder = temporaryFolder();
  const { exit, find } = await doctor({ home: join(folder, 'a/b') });
  expect(exit).toBe(0);
  expect(find('writing')?.detail).toContain(`can be created in ${folder}`);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['damaged', (file: string) => writeFileSync(file, '{'), /it is damaged.*remove it/s],
  ['a folder', (file: string) => mkdirSync(file), /it is a folder(?!.*remove it)/s],
])('doctor reports settings that are %s with a remedy', async (_, make, words) => {
  const home = temporaryFolder();
  make(join(home, 'settings.json'));
  const { exit, find } = await doctor({ home });
  const { detail, hint } = find('settings') ?? {};
  expect([exit, `${detail} ${hint}`]).toEqual([1, expect.stringMatching(words)]);
});
