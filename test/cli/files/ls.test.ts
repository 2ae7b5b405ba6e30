import { describe, expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { terminal } from '../../support/terminal.ts';
import { cells, emulatedFiles } from './emulated.ts';
import { MODIFIED, scriptedFiles, SIGNATURE } from './scripted.ts';

const LISTING =
  '[ {"size": 300,"key":"b.txt", "modified":1790000000002,"etag":1.10},\n {"key":"a.txt","size":20,"modified":1790000000003},{"key":"C.txt","size":1,"modified":1790000000001} ]';

/** A service whose listing is these very bytes. */
async function listing(text: string) {
  const service = await scriptedFiles();
  service.faults.api = (_, response) => {
    response.end(text);
    return true;
  };
  return service;
}

describe('files ls', () => {
  test('prints keys, sizes and dates by name, and the used quota', async () => {
    const { run } = await listing(LISTING);
    const { stdout, stderr, exit } = await run(['ls', 'member']);
    expect(cells(stdout)).toEqual([
      ['C.txt', '1', '2026-09-21T14:13:20Z'],
      ['a.txt', '20', '2026-09-21T14:13:20Z'],
      ['b.txt', '300', '2026-09-21T14:13:20Z'],
    ]);
    expect(stderr).toBe('3 of 100 files, 321 B of 100 MB (0.0 %)\n');
    expect(exit).toBe(0);
  });

  test.each([
    [
      ['--sort', 'size'],
      ['C.txt', 'a.txt', 'b.txt'],
    ],
    [
      ['--sort', 'size', '--reverse'],
      ['b.txt', 'a.txt', 'C.txt'],
    ],
    [
      ['--sort', 'date'],
      ['C.txt', 'b.txt', 'a.txt'],
    ],
    [['--reverse'], ['b.txt', 'a.txt', 'C.txt']],
  ])('with %j sorts the keys', async (flags, keys) => {
    const { run } = await listing(LISTING);
    const { stdout } = await run(['ls', 'member', ...flags]);
    expect(cells(stdout).map(([key]) => key)).toEqual(keys);
  });

  test('--json prints the bytes of the service', async () => {
    const { run } = await listing(LISTING);
    const { stdout, stderr } = await run(['ls', 'member', '--json']);
    expect(stdout).toBe(`${LISTING}\n`);
    expect(stderr).toBe('');
  });

  test('--json --sort keeps each item as the service wrote it', async () => {
    const { run } = await listing(LISTING);
    const { stdout } = await run(['ls', 'member', '--json', '--sort', 'size', '--reverse']);
    expect(stdout).toMatch(/^\[\{"size":300,"key":"b.txt","modified":1790000000002,"etag":1.10\},/);
  });

  test('shows a size as it is, and only counts it if it is valid', async () => {
    const { run } = await listing(
      '[{"key":"a","size":1152921504606846976,"modified":1},{"key":"b","size":-5,"modified":1},{"key":"c","size":1e400},{"key":"d","size":7,"modified":1e400}]',
    );
    const { stdout, stderr } = await run(['ls', 'member']);
    expect(cells(stdout).map(([, size]) => size)).toEqual([
      '1152921504606846976',
      '-5',
      '1e400',
      '7',
    ]);
    expect(stderr).toBe('4 of 100 files, 7 B of 100 MB (0.0 %); 3 invalid sizes not counted\n');
  });

  test('escapes control characters in a key', async () => {
    const { run } = await listing('[{"key":"a\\u001b[2J\\tb\\u202e","size":1,"modified":null}]');
    const { stdout } = await run(['ls', 'member']);
    expect(stdout).toBe('a\\u{1b}[2J\\tb\\u{202e}\t1\t\n');
  });

  test.each([
    ['a response that is not a list', '{"items":[]}'],
    ['no JSON', '<html>'],
    ['an item without a size', '[{"key":"a"}]'],
  ])('rejects %s as an unusable response: 8', async (_, text) => {
    const { run } = await listing(text);
    expect((await run(['ls', 'member'])).exit).toBe(8);
  });

  test('with an unknown row, order or launch is a usage error', async () => {
    const { run } = await scriptedFiles();
    expect((await run(['ls', 'membr'])).stderr).toContain('did you mean member?');
    expect((await run(['ls', 'member', '--sort', 'colour'])).exit).toBe(2);
    expect((await run(['ls'])).exit).toBe(2);
  });

  test('shows the quota of the row', async () => {
    const { run } = await emulatedFiles();
    expect((await run(['ls', 'context'])).stderr).toContain('of 500 MB');
    expect((await run(['ls', 'location'])).stderr).toContain('of 250 MB');
  });

  test('shows no quota for a URL that the launch does not contain', async () => {
    const { run, api } = await scriptedFiles({ 'a.txt': 'hello' });
    const { stderr, exit } = await run(['ls', '--url', `${api.origin}/v0/f%69les/other?x=%20`]);
    expect([stderr, exit]).toEqual(['1 of 100 files, 5 B\n', 0]);
    expect(api.requests[0]?.target).toBe('/v0/f%69les/other?x=%20');
  });

  test('prints whole keys in a terminal of 40 columns', async () => {
    const key = `${'long-name-'.repeat(9)}.txt`;
    const service = await scriptedFiles({ [key]: 'hello' });
    const view = terminal(['files', 'ls', 'member'], { ...service.options, columns: 40 });
    expect(await view.exit).toBe(0);
    expect(view.bytes()).toMatch(/^\S*key/);
    expect(view.bytes()).toContain(key);
    expect(view.bytes()).not.toContain('…');
  });
});

describe('files stat', () => {
  test('shows every field and the remaining time, but not the signed address', async () => {
    const { run } = await scriptedFiles({ 'a.txt': 'hello' });
    const { stdout } = await run(['stat', 'member', 'a.txt']);
    const rows = new Map(cells(stdout).map(([name, value]) => [name, value]));
    expect([...rows.keys()]).toEqual([
      'key',
      'size',
      'modified',
      'content_type',
      'expires',
      'time_left',
    ]);
    expect(rows.get('modified')).toBe('2026-10-01T12:30:15Z');
    expect(stdout).not.toContain(SIGNATURE);
  });

  test('--json leaves out the address, and --show-url includes it', async () => {
    const service = await scriptedFiles();
    const record = `{"key":"a.txt", "size":5,"modified":${MODIFIED},"url":"https://x.example/?s=1","expires":1e15,"more":[1.10]}`;
    service.faults.api = (_, response) => {
      response.end(record);
      return true;
    };
    const hidden = await service.run(['stat', 'member', 'a.txt', '--json']);
    expect(hidden.stdout).toBe(
      `{"key":"a.txt","size":5,"modified":${MODIFIED},"expires":1e15,"more":[1.10]}\n`,
    );
    const shown = await service.run(['stat', 'member', 'a.txt', '--json', '--show-url']);
    expect(shown.stdout).toBe(`${record}\n`);
  });

  test('shows the remaining time of an expired address', async () => {
    const service = await scriptedFiles();
    service.faults.api = (_, response) => {
      answerJson(response, 200, { key: 'a', size: 1, modified: 1, url: 'x', expires: 1000 });
      return true;
    };
    expect((await service.run(['stat', 'member', 'a'])).stdout).toMatch(/time_left\texpired/);
  });

  test('warns if the record is for another file', async () => {
    const service = await scriptedFiles();
    service.faults.api = (_, response) => {
      answerJson(response, 200, { key: 'b', size: 1, modified: 1, url: 'x', expires: 1000 });
      return true;
    };
    const { exit, stderr } = await service.run(['stat', 'member', 'a']);
    expect([exit, stderr]).toEqual([0, 'warning: the record is for the file "b", not a\n']);
  });

  test('of an absent key exits with 6', async () => {
    const { run } = await emulatedFiles();
    expect((await run(['stat', 'member', 'nix'])).exit).toBe(6);
  });

  test.each(['..', 'a/b', '.hidden', '', 'ü', 'a'.repeat(129)])(
    'rejects %j, which cannot be a key, and sends nothing',
    async (key) => {
      const { run, methods } = await scriptedFiles();
      expect((await run(['stat', 'member', key])).exit).toBe(3);
      expect((await run(['rm', 'member', key, '--yes'])).exit).toBe(3);
      expect((await run(['download', 'member', key])).exit).toBe(3);
      expect(methods()).toEqual([]);
    },
  );

  test('rejects the API key and sends nothing: 4', async () => {
    const { run, methods } = await scriptedFiles();
    expect((await run(['stat', 'member', 'a', '--api-key', 'prod'])).exit).toBe(4);
    expect(methods()).toEqual([]);
  });
});
