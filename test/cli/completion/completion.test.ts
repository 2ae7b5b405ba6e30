import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchFor } from '../../support/service.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { inScope, Scope } from '../../support/scope.ts';

/** A home with two launches and a key. */
const scope = new Scope();
const home = inScope(scope, temporaryFolder);
afterAll(() => scope.end());
beforeAll(() => inScope(scope, save));

async function save(): Promise<void> {
  const input = JSON.stringify(launchFor('https://service.example'));
  for (const name of ['monday', 'tuesday']) {
    await lectern(['launch', 'save', name, '-'], { home, input });
  }
  const origin = ['--origin', 'https://service.example'];
  await lectern(['key', 'save', 'prod', ...origin], { home, input: 'key-canary-1' });
}

async function candidates(words: readonly string[]): Promise<string[]> {
  const args = ['completion', 'candidates', '--', ...words];
  const { exit, stdout, stderr } = await lectern(args, { home });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] as string)
    .slice(0, -1);
}

const ROWS = [
  'context',
  'location',
  'member',
  'member_location',
  'parent_context',
  'parent_location',
];

describe('what can stand there', () => {
  test.each<[words: string[], found: string[]]>([
    [['st'], ['storage']],
    [['nothing-such'], []],
    [
      ['storage', 'p'],
      ['put', 'patch'],
    ],
    [['help', 'st'], ['storage']],
    [['help', 'storage', 'ge'], ['get']],
    [['storage', 'get', ''], ROWS],
    [
      ['storage', 'get', '--raw', 'mem'],
      ['member', 'member_location'],
    ],
    [['storage', 'get', 'member', ''], []],
    [
      ['-l', ''],
      ['monday', 'tuesday'],
    ],
    [['--launch', 'm'], ['monday']],
    [['--launch=t'], ['--launch=tuesday']],
    [['--launch=monday', 'storage', 'get', 'con'], ['context']],
    [['-l', 'monday', '--json', 'storage', 'get', 'con'], ['context']],
    [['grade', 'submit', '--api-key', ''], ['prod']],
    [['key', 'rm', ''], ['prod']],
    [['launch', 'use', 'mon'], ['monday']],
    [['storage', 'get', '--ra'], ['--raw']],
    [['storage', 'get', '--time'], ['--timeout']],
    [['storage', 'get', '--', '--ra'], []],
    [
      ['validate', 'row', '--kind', 'par'],
      ['parent_context', 'parent_location'],
    ],
    [
      ['validate', 'row', '--format='],
      ['--format=table', '--format=json', '--format=sarif'],
    ],
    [
      ['validate', '--schema', 'gr'],
      ['grade', 'grades'],
    ],
    [['validate', 'row', ''], []],
    [['explain', 'exi'], ['exit-codes']],
    [['explain', 'row.too_large_'], ['row.too_large_for_member']],
    [
      ['provision', ''],
      ['context', 'location'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('%j: %j', async (words, found) => {
    expect(await candidates(words)).toEqual(found);
  });

  test('every noun, with what it is for', async () => {
    const { stdout } = await lectern(['completion', 'candidates', '--', '']);
    expect(stdout).toContain('storage\tread,');
    expect(stdout.split('\n').length).toBeGreaterThan(10);
    expect(stdout).not.toContain('candidates');
  });

  test('no secret', async () => {
    const { stdout } = await lectern(['completion', 'candidates', '--', '-k', ''], { home });
    expect(stdout).toBe('prod\t\n');
  });
});

describe('the scripts', () => {
  test.each(['bash', 'zsh', 'fish'])('%s', async (shell) => {
    const { exit, stdout, stderr } = await lectern(['completion', shell]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('completion candidates --');
    const json = await lectern(['completion', shell, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ shell, script: stdout });
    // Where the shell is on this machine, it takes the script.
    const file = join(temporaryFolder(), 'script');
    writeFileSync(file, stdout);
    const parsed = spawnSync(shell, ['-n', file]);
    if (parsed.error === undefined) expect(parsed.stderr.toString()).toBe('');
  });

  test.each([
    ['bsh', 'did you mean bash?'],
    ['powershell', 'one of bash, zsh, fish\n'],
  ])('%s is unknown', async (shell, words) => {
    const { exit, stderr } = await lectern(['completion', shell]);
    expect(exit).toBe(2);
    expect(stderr).toContain(words);
  });
});
