import { describe, expect, test } from 'vitest';
import { atTerminal } from '../../support/steps.ts';
import { answerJson } from '../../support/service.ts';
import { cells } from './emulated.ts';
import { MODIFIED, scriptedFiles, SIGNATURE } from './scripted.ts';

const LISTING =
  '[ {"size": 300,"key":"b.txt", "modified":1790000000002,"etag":1.10},\n {"key":"a.txt","size":20,"modified":1790000000003},{"key":"C.txt","size":1,"modified":1790000000001} ]';

/** A service that answers with these very bytes. */
async function answering(text: string) {
  const service = await scriptedFiles();
  service.faults.api = (_, response) => {
    response.end(text);
    return true;
  };
  return service;
}

describe('files ls', () => {
  test('prints keys, sizes and dates by name, and the used quota', async () => {
    const { step } = await answering(LISTING);
    const second = '2026-09-21T14:13:20';
    const stdout = `C.txt\t1\t${second}.001Z\na.txt\t20\t${second}.003Z\nb.txt\t300\t${second}.002Z\n`;
    const stderr = /^3 of 100 files, 321 B of 100 MB \(0\.0 %\)\n$/;
    await step('files ls member', { stdout, stderr });
  });

  test.each([
    ['--sort size', ['C.txt', 'a.txt', 'b.txt']],
    ['--sort size --reverse', ['b.txt', 'a.txt', 'C.txt']],
    ['--sort date', ['C.txt', 'b.txt', 'a.txt']],
    ['--reverse', ['b.txt', 'a.txt', 'C.txt']],
  ])('with %s sorts the keys', async (flags, keys) => {
    const { step } = await answering(LISTING);
    const { stdout } = await step(`files ls member ${flags}`);
    expect(cells(stdout).map(([key]) => key)).toEqual(keys);
  });

  test('--json prints the bytes of the service, and with --sort each item as it was', async () => {
    const { step } = await answering(LISTING);
    const { stdout } = await step('files ls member --json', { stderr: '' });
    expect(stdout).toBe(`${LISTING}\n`);
    await step('files ls member --json --sort size --reverse', {
      stdout: /^\[\{"size":300,"key":"b.txt","modified":1790000000002,"etag":1.10\},/,
    });
  });

  test('shows a size as it is, and only counts it if it is valid', async () => {
    const { step } = await answering(
      '[{"key":"a","size":1152921504606846976,"modified":1},{"key":"b","size":-5,"modified":1},{"key":"c","size":1e400},{"key":"d","size":7,"modified":1e400}]',
    );
    const { stdout } = await step('files ls member', {
      stderr: /^4 of 100 files, 7 B of 100 MB \(0\.0 %\); 3 invalid sizes not counted\n$/,
    });
    const sizes = cells(stdout).map(([, size]) => size);
    expect(sizes).toEqual(['1152921504606846976', '-5', '1e400', '7']);
  });

  test.each(['{"items":[]}', '<html>', '[{"key":"a"}]'])(
    'rejects %s as an unusable response: 8',
    async (text) => void (await (await answering(text)).step('files ls member # exit 8')),
  );

  test('shows no quota for a URL that the launch does not contain', async () => {
    const { step, api } = await scriptedFiles({ 'a.txt': 'hello' });
    const stderr = /^1 of 100 files, 5 B\n$/;
    await step(`files ls --url ${api.origin}/v0/f%69les/other?x=%20`, { stderr });
    expect(api.requests[0]?.target).toBe('/v0/f%69les/other?x=%20');
  });

  test('prints whole keys in a terminal of 40 columns', async () => {
    const key = `${'long-name-'.repeat(9)}.txt`;
    const service = await scriptedFiles({ [key]: 'hello' });
    const given = { ...service.options, columns: 40, shows: 'key', lacks: '…' };
    expect((await atTerminal('files ls member', given)).bytes).toContain(key);
  });
});

describe('files stat', () => {
  test('shows every field and the remaining time, but not the signed address', async () => {
    const { step } = await scriptedFiles({ 'a.txt': 'hello' });
    const { stdout } = await step('files stat member a.txt', { lacks: SIGNATURE });
    const names = ['key', 'size', 'modified', 'content_type', 'expires', 'time_left'];
    expect(cells(stdout).map(([name]) => name)).toEqual(names);
    expect(stdout).toContain('\nmodified\t2026-10-01T12:30:15.310Z\n');
  });

  test('--json leaves out the address, and --show-url includes it', async () => {
    const record = `{"key":"a.txt", "size":5,"modified":${MODIFIED},"url":"https://x.example/?s=1","expires":1e15,"more":[1.10]}`;
    const { step } = await answering(record);
    const hidden = `{"key":"a.txt","size":5,"modified":${MODIFIED},"expires":1e15,"more":[1.10]}\n`;
    expect((await step('files stat member a.txt --json')).stdout).toBe(hidden);
    const shown = await step('files stat member a.txt --json --show-url');
    expect(shown.stdout).toBe(`${record}\n`);
  });

  test('shows that an address has expired, and warns of a record for another file', async () => {
    const { step, faults } = await scriptedFiles();
    faults.api = (_, response) => {
      answerJson(response, 200, { key: 'b', size: 1, modified: 1, url: 'x', expires: 1000 });
      return true;
    };
    await step('files stat member a', {
      stdout: 'time_left\texpired',
      stderr: /^warning: the record is for the file "b", not a\n$/,
    });
  });

  test.each(['..', 'a/b', '.hidden', "''", 'ü', 'a'.repeat(129)])(
    'rejects %s, which cannot be a key, and sends nothing',
    async (key) => {
      const { step } = await scriptedFiles();
      const others = `files rm member ${key} --yes # exit 3\nfiles download member ${key} # exit 3`;
      await step(`files stat member ${key} # exit 3\n${others}`, { methods: [] });
    },
  );
});
