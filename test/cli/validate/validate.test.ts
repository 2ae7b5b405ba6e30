import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FILES_TOTAL, ROW_SIZE } from '../../../src/contract/index.ts';
import { KINDS, schemaFor } from '../../../src/validator/index.ts';
import { launchFor } from '../../support/service.ts';
import { lectern } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';
import { codes, folderOf, validate } from './results.ts';

/** A row whose compact form has exactly this many bytes. */
const rowOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

describe('validate --json', () => {
  test('prints exactly one array of source, valid and findings', async () => {
    const { stdout, exit } = await lectern(['validate', 'grade', '--json'], {
      input: '{\n "score": 42.5}',
    });
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toEqual([
      {
        source: '-',
        valid: false,
        findings: [
          {
            code: 'grade.score_range',
            severity: 'error',
            path: '/score',
            line: 2,
            column: 11,
            message: 'score must be between 0 and 1',
            rule: 'Endpoints, Grade submission: request body',
            hint: expect.stringContaining('42.5 is outside') as string,
          },
        ],
      },
    ]);
  });

  test('prints only one error object on standard error', async () => {
    const bad = await validate(['row'], { input: '[]' });
    expect(JSON.parse(bad.stderr)).toMatchObject({ error: { code: 'body.not_object', exit: 3 } });
    const good = await validate(['row'], { input: '{"a":1e400}' });
    expect(good).toMatchObject({ exit: 0, stderr: '' });
    expect(codes(good.results)).toEqual([['body.lossy_number']]);
  });
});

describe('validate', () => {
  test.each<[kind: string, input: string, flags: string[], exit: number, found: string[]]>([
    ['row', rowOf(ROW_SIZE.member.bytes + 1), ['--kind', 'parent_location'], 0, []],
    ['row', rowOf(300_000), ['--kind', 'member', '--warn-at', '50%'], 0, ['row.near_limit']],
    ['file', '{"size":1}', ['--key', 'a b'], 3, ['file.key_invalid']],
    ['launch', 'Hello', [], 3, ['launch.unreadable']],
  ])('checks a %s from standard input %#', async (kind, input, flags, exit, found) => {
    for (const stdin of [[], ['-']]) {
      const result = await validate([kind, ...stdin, ...flags], { input });
      expect(codes(result.results)).toEqual([found]);
      expect(result.exit).toBe(exit);
    }
  });

  test('checks several files, folders and standard input separately', async () => {
    const cwd = folderOf({
      'b.json': '{"score":1}',
      'all/one.json': '{"score":2}',
      'all/deep/two.json': '{"score":1,"score":1}',
      'all/.hidden/three.json': 'no JSON',
      'all/notes.txt': 'no JSON',
    });
    const args = ['grade', 'b.json', 'all', '-', 'b.json'];
    const { exit, results } = await validate(args, { cwd, input: '{' });
    expect(exit).toBe(3);
    expect(results.map(({ source, valid }) => [source, valid])).toEqual([
      ['b.json', true],
      ['all/deep/two.json', true],
      ['all/one.json', false],
      ['-', false],
    ]);
  });

  test('--strict fails for warnings', async () => {
    const input = '{"a":1e400}';
    const { exit, results } = await validate(['row', '--strict'], { input });
    expect(exit).toBe(3);
    expect(results).toMatchObject([{ valid: false, findings: [{ severity: 'warning' }] }]);
    expect((await validate(['row', '--strict'], { input: '{}' })).exit).toBe(0);
  });

  test('--against applies the patch to the row, and prints the resulting size', async () => {
    const cwd = folderOf({ 'row.json': '{"a":1}' });
    const args = ['validate', 'patch', '--against', 'row.json', '--kind', 'member'];
    const add = '{"patch":[{"op":"add","path":"/b","value":2}]}';
    const good = await lectern(args, { cwd, input: add });
    expect(good).toMatchObject({ exit: 0, stdout: '' });
    expect(good.stderr).toContain('-: the resulting row has 13 bytes, 0.0 % of the 512 KB limit');
    const remove = '{"patch":[{"op":"remove","path":"/b"}]}';
    const bad = await validate(args.slice(1), { cwd, input: remove });
    expect(codes(bad.results)).toEqual([['patch.target_missing']]);
    const twice = await lectern(['validate', 'patch', '--against', '-'], { input: add });
    expect(twice).toMatchObject({ exit: 2, stdout: '' });
  });

  test('reads keys from arguments, or as lines of standard input', async () => {
    const typed = await validate(['key', 'logo.png', 'a b', '--', '-x']);
    expect(typed.results.map(({ source, valid }) => [source, valid])).toEqual([
      ['logo.png', true],
      ['a b', false],
      ['-x', false],
    ]);
    const piped = await validate(['key'], { input: 'logo.png\r\nRésumé.pdf\n' });
    expect(piped.results).toMatchObject([
      { source: 'logo.png', valid: true },
      {
        source: 'Résumé.pdf',
        valid: false,
        findings: [{ hint: expect.stringContaining('Resume.pdf') as string }],
      },
    ]);
    expect(codes((await validate(['key'], { input: '' })).results)).toEqual([['file.key_invalid']]);
  });

  test('launch checks a saved launch, also against an older contract', async () => {
    const launch = launchFor('https://service.example');
    const home = folderOf({ 'launch.json': JSON.stringify(launch) });
    await lectern(['launch', 'save', 'monday', `${home}/launch.json`], { home });
    const saved = await validate(['launch', '--launch', 'monday'], { home });
    expect(saved.results[0]?.source).toBe('monday');
    expect(saved.results[0]?.findings.length).toBeGreaterThan(0);
    const dated = ['launch', `${home}/launch.json`, '--contract', '2026-09-21'];
    const older = await validate(dated, { home });
    expect(codes(older.results).flat()).toContain('launch.claim_too_new');
    expect(JSON.stringify([saved, older])).not.toContain(launch.api.token);
  });
});

describe('validate file', () => {
  test('checks files against key and size', async () => {
    const folder = folderOf({ 'good.txt': 'x', 'bad name.txt': 'x', 'deep/x.txt': 'x' });
    const { results } = await validate(['file', folder, `${folder}/deep/x.txt`]);
    expect(results.map(({ source, valid }) => [source.replace(folder, ''), valid])).toEqual([
      ['/bad name.txt', false],
      ['/good.txt', true],
      ['/deep/x.txt', true],
    ]);
    const named = await validate(['file', `${folder}/bad name.txt`, '--key', 'good']);
    expect(named.exit).toBe(0);
  });

  test('counts files with the listing of their row', async () => {
    const listing = Array.from({ length: 99 }, (_, index) => ({ key: `f${index}`, size: 1 }));
    const cwd = folderOf({ a: 'x', b: 'x', 'listing.json': JSON.stringify(listing) });
    const args = ['file', 'a', 'b', '--with', 'listing.json', '--kind', 'member'];
    expect(codes((await validate(args, { cwd })).results)).toEqual([[], ['files.too_many']]);
    const full = JSON.stringify([{ key: 'f', size: FILES_TOTAL.member.bytes }]);
    const piped = ['file', 'a', '--with', '-', '--kind', 'member'];
    expect(codes((await validate(piped, { cwd, input: full })).results)).toEqual([
      ['files.quota_exceeded'],
    ]);
  });
});

describe('the output of validate', () => {
  const input = '{"score":2,"a/b":1}';

  test('has one line for each finding without a terminal', async () => {
    const { stdout, stderr } = await lectern(['validate', 'grade'], { input });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split('\t').slice(0, 6))).toEqual([
      ['-', 'error', 'grade.score_range', '1', '10', '/score'],
      ['-', 'warning', 'grade.unknown_field', '1', '18', '/a~1b'],
    ]);
    expect(stderr).toBe('lectern: 1 of 1 invalid: 1 error, 1 warning\n');
  });

  test('is not cut on a narrow terminal, and control characters are escaped', async () => {
    const cwd = folderOf({ 'evil\u001b[2J.json': '{"score":2}' });
    const shell = terminal(['validate', 'grade', '.'], { cwd, columns: 40 });
    expect(await shell.exit).toBe(3);
    const words = shell.screen().replace(/\s+/g, ' ');
    expect(words).toContain('evil\\u{1b}[2J.json');
    expect(words).toContain('error: score must be between 0 and 1 [grade.score_range, line 1,');
    expect(words).toContain('(--points 42.5/50) Endpoints, Grade submission: request body');
  });

  test('suggests validate grades if validate grade gets a CSV file', async () => {
    const cwd = folderOf({ 'grades.csv': 'member,score\na,1\n' });
    const { exit, stderr } = await lectern(['validate', 'grade', 'grades.csv'], { cwd });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('lectern validate grades FILE\n')]);
  });

  test('says on standard error that there are no findings', async () => {
    const good = { input: '{"score":1}' };
    expect((await lectern(['validate', 'grade'], good)).stderr).toBe(
      '1 valid: no errors, no warnings\n',
    );
    expect((await lectern(['validate', 'grade', '--quiet'], good)).stderr).toBe('');
  });
});

describe('validate --schema', () => {
  test.each(KINDS)('prints the schema of %s', async (kind) => {
    const { exit, stdout } = await lectern(['validate', '--schema', kind]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual(schemaFor(kind));
  });

  test('takes precedence over another kind', async () => {
    const beside = await lectern(['validate', 'row', '--schema', 'key']);
    expect(JSON.parse(beside.stdout)).toEqual(schemaFor('key'));
  });
});

describe('validate with wrong arguments', () => {
  test.each<[string[], string]>([
    [[], 'needs a command'],
    [['rwo'], 'did you mean row?'],
    [['row', '--kind', 'contxt'], 'did you mean context?'],
    [['row', '--warn-at', '0'], 'from 1 to 100'],
    [['row', '--format', 'xml'], 'text, json, sarif, github, junit'],
    [['row', '--json', '--format', 'table'], 'cannot be used together'],
    [['row', '--json', '--format', 'text'], 'cannot be used together'],
    [['row', '--json', '--format', 'github'], 'cannot be used together'],
    [['row', '--json', '--format', 'junit'], 'cannot be used together'],
    [['row', 'nope.json'], 'no such file'],
    [['row', '.'], 'contains no .json files'],
    [['file', 'nope.txt'], 'no such file'],
    [['file', '.'], 'contains no files'],
    [['file', '/dev/null'], 'not a regular file'],
    [['file', '-', '--with', '-'], 'cannot both come from standard input'],
    [['file', '-', 'a'], 'cannot be combined with files'],
    [['launch', '--contract', 'yesterday'], 'YYYY-MM-DD'],
    [['launch', '--contract', '2026-02-30'], 'YYYY-MM-DD'],
    [['hosted-tool', 'nope.zip'], 'no such file or folder'],
    [['grades', 'nope.csv'], 'no such file'],
    [['grades', '--map', 'x=membr'], 'did you mean member?'],
    [['--schema', 'rwo'], 'rwo'],
  ])('exits with 2 and a hint: %j', async (args, words) => {
    const { exit, stdout, stderr } = await lectern(['validate', ...args], { cwd: folderOf({}) });
    expect(stderr).toContain(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  });

  test('rejects an input that is far too large for a payload: 3', async () => {
    const cwd = folderOf({ 'video.mp4': '' });
    truncateSync(`${cwd}/video.mp4`, 40_000_000);
    const { exit, stderr } = await lectern(['validate', 'row', 'video.mp4'], { cwd });
    expect(exit).toBe(3);
    expect(stderr).toContain('video.mp4 has more than 16777216 bytes');
  });

  test('does not repeat a secret given as a file name', async () => {
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';
    const { exit, stderr } = await lectern(['validate', 'launch', token]);
    expect(exit).toBe(2);
    expect(stderr).not.toContain(token);
  });

  test.each(['row', 'hosted-tool', 'grades', 'key', 'file'])(
    'asks for the payload of %s instead of waiting for it',
    async (kind) => {
      const shell = terminal(['validate', kind]);
      expect(await shell.exit).toBe(2);
      expect(shell.screen()).toContain('for standard input');
    },
  );
});
