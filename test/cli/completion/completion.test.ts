import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchFor } from '../../support/service.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { emulated } from '../emulator/running.ts';
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

describe('completion', () => {
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
      ['--format=text', '--format=json', '--format=sarif', '--format=github', '--format=junit'],
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
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
  ])('of %j suggests %j', async (words, found) => {
    expect(await candidates(words)).toEqual(found);
  });

  test('lists every noun with its summary', async () => {
    const { stdout } = await lectern(['completion', 'candidates', '--', '']);
    expect(stdout).toContain('storage\tread,');
    expect(stdout.split('\n').length).toBeGreaterThan(10);
    expect(stdout).not.toContain('candidates');
  });

  test('suggests no secret', async () => {
    const { stdout } = await lectern(['completion', 'candidates', '--', '-k', ''], { home });
    expect(stdout).toBe('prod\t\n');
  });
});

describe('completion of saved names and names in files', () => {
  /** A home with a run of two grades and two before-images. */
  const withRuns = async () => {
    const { home: at, run } = await emulated();
    await run('emulator launch --role instructor --save teacher');
    writeFileSync(join(at, 'grades.csv'), 'member,score\nmember-111,0.5\nmember-112,1\n');
    expect((await run(`grade submit --from ${at}/grades.csv --yes`)).exit).toBe(0);
    for (const page of [1, 2]) await run(`storage patch member --add /page:=${page}`);
    return async (line: string): Promise<string[]> => {
      const words = ['completion', 'candidates', '--', ...line.split(' ')];
      return (await run(words)).stdout.split('\n').slice(0, -1);
    };
  };

  test('suggests runs, before-images and statuses', async () => {
    const complete = await withRuns();
    const run = [expect.stringMatching(/^1\t.*grades\.csv, 2 rows$/)];
    for (const line of ['grade resume ', 'grade report ', 'grade log --run ']) {
      expect(await complete(line)).toEqual(run);
    }
    const images = [/^2\t.*member, storage patch$/, /^1\t/].map((each) =>
      expect.stringMatching(each),
    );
    for (const line of [
      'storage undo member ',
      'storage history --show ',
      'storage diff member --image ',
    ]) {
      expect(await complete(line)).toEqual(images);
    }
    expect(await complete('grade log --status fa')).toEqual(['failed\t']);
    expect(await complete('grade log --status failed,re')).toEqual([
      'failed,recorded\t',
      'failed,refused\t',
    ]);
    expect(await complete('grade log --status=failed,su')).toEqual(['--status=failed,success\t']);
  });

  test('without a ledger suggests no runs, and creates no ledger', async () => {
    const empty = temporaryFolder();
    const { exit, stdout } = await lectern(
      ['completion', 'candidates', '--', 'grade', 'resume', ''],
      { home: empty },
    );
    expect([exit, stdout, readdirSync(empty)]).toEqual([0, '', []]);
  });

  test.each([
    [
      ['grade', 'submit', '--from', 'FILE', '--map', 'st'],
      [
        'student_id=member',
        'student_id=score',
        'student_id=points',
        'student_id=activity_progress',
        'student_id=grading_progress',
      ],
    ],
    [['grade', 'submit', '--from', 'FILE', '--map', 'student_id=mem'], ['student_id=member']],
    [['grade', 'submit', '--from=FILE', '--map=student_id=sc'], ['--map=student_id=score']],
    [['validate', 'grades', 'FILE', '--map', 'student_id=mem'], ['student_id=member']],
    [['grade', 'submit', '--map', 'student_id=mem'], []],
    [['grade', 'submit', '--from', 'nothing-such.csv', '--map', ''], []],
  ])('suggests columns for %j', async (words, found) => {
    const file = join(temporaryFolder(), 'grades.csv');
    writeFileSync(file, '\uFEFF"student_id",max_score,comment\r\nm-1,5,fine\r\n');
    expect(await candidates(words.map((word) => word.replace('FILE', file)))).toEqual(found);
  });

  test('suggests no column with a control character', async () => {
    const file = join(temporaryFolder(), 'grades.csv');
    writeFileSync(file, 'fine,red\u001b[31m,bidi\u202e\n');
    const words = [
      'completion',
      'candidates',
      '--',
      'grade',
      'submit',
      '--from',
      file,
      '--map',
      '',
    ];
    const { stdout } = await lectern(words);
    expect([...new Set(stdout.match(/^[^=]*/gm))]).toEqual(['fine', '']);
  });

  test.each([
    [['help', 'exi'], ['exit-codes']],
    [['help', 'fl'], ['flags']],
    [['explain', 'js'], ['json']],
    [['explain', 'json', 'stor'], ['storage']],
    [['explain', 'json', 'storage', 'ge'], ['get']],
    [['explain', 'limits', ''], []],
  ])('suggests pages and tables for %j', async (words, found) => {
    expect(await candidates(words)).toEqual(found);
  });
});

describe('completion scripts', () => {
  test('for PowerShell call the candidates and split their lines', async () => {
    const { exit, stdout, stderr } = await lectern(['completion', 'powershell']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName lectern');
    expect(stdout).toContain("lectern completion candidates '--' @words $last");
    // Each of these ends a string in single quotes, and is doubled.
    expect(stdout).toContain(String.raw`($found -replace "(['\u2018-\u201b])", '$1$1')`);
    const json = await lectern(['completion', 'powershell', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ shell: 'powershell', script: stdout });
    // A line is a word, one tab and a summary: the script splits it there.
    for (const words of [[''], ['storage', ''], ['-l', ''], ['storage', 'get', '--']]) {
      const found = await lectern(['completion', 'candidates', '--', ...words], { home });
      expect(found.stdout).toMatch(/^([^\t\n]+\t[^\t\n]*\n)+$/);
    }
  });

  test.each(['bash', 'zsh', 'fish'])('exist for %s', async (shell) => {
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
    ['cmd', 'one of bash, zsh, fish, powershell\n'],
  ])('do not exist for %s: exit 2', async (shell, words) => {
    const { exit, stderr } = await lectern(['completion', shell]);
    expect(exit).toBe(2);
    expect(stderr).toContain(words);
  });
});
