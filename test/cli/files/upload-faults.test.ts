import { appendFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { start } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { answering, answerXml, failing, multipart, scriptedFiles, SIGNATURE } from './scripted.ts';

const UPLOAD = 'files upload member a.txt';

/** Files of a service, and `a.txt` to upload. */
async function uploading(contents: Record<string, string> = {}) {
  const service = await scriptedFiles(contents);
  service.file('a.txt', 'hello');
  return service;
}

/** Answers requests of a method about one key. */
const ofRecord = (method: string, key: string, answer: Parameters<typeof answering>[1]) =>
  answering((request) => request.method === method && request.target.includes(key), answer);

describe('the signed form of an upload', () => {
  test('is requested again once if it has expired', async () => {
    const { step, faults, files } = await uploading();
    faults.storage = failing('POST', 1, (response) =>
      answerXml(response, 403, 'AccessDenied', 'Invalid according to Policy: Policy expired.'),
    );
    await step(UPLOAD, { methods: ['GET', 'PUT', 'PUT', 'GET', '*POST', '*POST'] });
    expect(files.get('a.txt')).toBe('hello');
  });

  test.each([
    [400, 'ExpiredToken', 'The provided token has expired.', 'storage.expired', 2],
    [400, 'EntityTooLarge', 'Your proposed upload exceeds', 'storage.too_large', 1],
    [400, 'EntityTooSmall', 'Your proposed upload is smaller', 'storage.wrong_size', 1],
    [400, 'IncompleteBody', 'You did not provide the bytes', 'storage.wrong_size', 1],
    [403, 'SignatureDoesNotMatch', 'The signature does not match', 'storage.refused', 1],
  ])('that is rejected with %i %s is reported with the reason: 7', async (...row) => {
    const [status, code, message, expected, posts] = row;
    const { step, faults, methods } = await uploading();
    faults.storage = failing('POST', 9, (response) => answerXml(response, status, code, message));
    const error = { code: expected, status };
    await step(`${UPLOAD} --json`, { exit: 7, error, stderr: code });
    expect(methods().filter((method) => method === '*POST')).toHaveLength(posts);
  });

  test.each([
    ['a redirect', (response: ServerResponse) => response.writeHead(303, { location: '/' }).end()],
    ['a server error', (response: ServerResponse) => response.writeHead(500).end()],
    ['a cut connection', (response: ServerResponse) => response.destroy()],
  ])('that gets %s leaves the upload in doubt, posted once: 10', async (_, answer) => {
    const { step, faults } = await uploading();
    faults.storage = failing('POST', 9, (response) => void answer(response));
    const lacks = [SIGNATURE, 'canary-1'];
    await step(`${UPLOAD} --verbose`, { exit: 10, methods: ['GET', 'PUT', '*POST'], lacks });
  });

  test.each(['hello', '{"url":"http://127.0.0.1:1/"}', '{"url":"file:///etc/passwd","fields":{}}'])(
    'that is none is never posted, and the declaration is in doubt: %s',
    async (body) => {
      const { step, faults } = await uploading();
      faults.api = failing('PUT', 1, (response) => void response.end(body));
      const stderr = /the declaration of \S+ was sent/;
      await step(UPLOAD, { exit: 10, stderr, methods: ['GET', 'PUT'] });
    },
  );

  test('that never came is a declaration in doubt: 10', async () => {
    const { step, faults } = await uploading();
    faults.api = failing('PUT', 1, (response) => void response.writeHead(503).end());
    const error = { code: 'in_doubt.server-error', status: 503 };
    await step(`${UPLOAD} --json`, { exit: 10, error, methods: ['GET', 'PUT'] });
  });

  test('may have any field, which is sent unchanged', async () => {
    const { step, faults, storage } = await uploading();
    const fields = { 'quo"ted\r\nname': 'two\r\nlines', 7: '', number: 1 };
    const text = JSON.stringify({ url: `${storage.origin}/p`, fields });
    faults.api = failing('PUT', 1, (response) => void response.end(text));
    await step(UPLOAD, { exit: 10 });
    const [posted] = storage.requests;
    const parts = posted ? multipart(posted) : [];
    expect(parts.map(({ name, content }) => [name, content])).toEqual([
      ['7', ''],
      ['quo%22ted%0D%0Aname', 'two\r\nlines'],
      ['number', '1'],
      ['file', 'hello'],
    ]);
  });
});

test('files upload and rm name a file in doubt, and the command that shows it: 10', async () => {
  const { step, faults } = await uploading({ 'old.txt': 'x' });
  const down = (method: string) => failing(method, 1, (answer) => void answer.writeHead(502).end());
  faults.storage = down('POST');
  faults.api = down('DELETE');
  for (const [line, words, key] of [
    [UPLOAD, 'the upload of a.txt', 'a.txt'],
    ['files rm member old.txt --yes', 'the delete of old.txt', 'old.txt'],
  ] as const) {
    const message = new RegExp(`in doubt: ${words} was sent, but`);
    const hint = `check it before repeating it, with: lectern files stat member ${key}`;
    const error = { code: 'in_doubt.server-error', message, hint, status: 502 };
    await step(`${line} --json`, { exit: 10, error });
  }
});

describe('the check after an upload', () => {
  test('leaves it in doubt if the record has another size: 10', async () => {
    const { step, faults } = await uploading();
    faults.storage = failing('POST', 9, (response) => void response.writeHead(204).end());
    await step(UPLOAD, { exit: 10, stderr: 'the check of its record failed' });
  });

  test.each([
    [500, 'cannot be read: answered 500'],
    [401, 'cannot be read: 401: token has ended'],
  ])('leaves it in doubt if the record gets a %i: 10', async (status, stderr) => {
    const { step, faults } = await uploading();
    const body = { error: { message: 'token has ended' } };
    faults.api = ofRecord('GET', 'a.txt', (response) => answerJson(response, status, body));
    await step(UPLOAD, { exit: 10, stderr, lacks: 'nothing took effect' });
  });

  test.each([
    ['a page', 200, '<html>sign in</html>'],
    ['nothing at all', 204, undefined],
  ])(
    'leaves it in doubt if the earlier file is unchanged and the storage responded with %s: 10',
    async (_, status, body) => {
      const { step, file, faults, files } = await uploading({ 'a.txt': 'old' });
      file('a.txt', 'new');
      faults.storage = failing('POST', 1, (response) => void response.writeHead(status).end(body));
      const error = { code: 'in_doubt.unchecked', exit: 10 };
      await step(`${UPLOAD} --json`, { exit: 10, error });
      expect(files.get('a.txt')).toBe('old');
      await step(UPLOAD);
      expect(files.get('a.txt')).toBe('new');
    },
  );

  test('waits for a record that comes a moment later', async () => {
    const { step, faults } = await uploading();
    const late = failing('GET', 1, (response) => answerJson(response, 404, { message: 'not yet' }));
    faults.api = (request, response) => request.target.includes('a.txt') && late(request, response);
    await step(UPLOAD, { methods: ['GET', 'PUT', 'GET', 'GET', '*POST'] });
  });

  test('is skipped if the declaration is rejected, and waits as long as the service requests', async () => {
    const { step, faults } = await uploading();
    faults.api = failing('PUT', 1, (response) => answerJson(response, 422, { message: 'quota' }));
    await step(UPLOAD, { exit: 7, stderr: 'answered 422: quota', methods: ['GET', 'PUT'] });
    faults.api = failing('PUT', 2, (response) =>
      response.writeHead(429, { 'retry-after': '0' }).end(),
    );
    await step(UPLOAD, { methods: ['GET', 'PUT', 'PUT', 'PUT', 'GET', '*POST'] });
  });
});

describe('an upload of several files', () => {
  const files = { 'a.txt': 'a.txt', 'b.txt': 'b.txt', 'c.txt': 'c.txt' };

  test('continues after one fails, and its summary adds up: 9', async () => {
    const { step, faults } = await scriptedFiles();
    const message = 'not this one';
    faults.api = ofRecord('PUT', 'b.txt', (response) => answerJson(response, 422, { message }));
    await step('files upload member a.txt b.txt c.txt', {
      files,
      exit: 9,
      stdout: ['a.txt\t5\tuploaded\n', 'b.txt\t5\tfailed\n', 'c.txt\t5\tuploaded\n'],
      stderr: [
        'lectern: b.txt: the service answered 422: not this one',
        '3 files: 2 uploaded, 1 failed',
      ],
      keys: ['a.txt', 'c.txt'],
    });
    const failed = { key: 'b.txt', outcome: 'failed', error: { exit: 7, status: 422 } };
    const json = { files: [{}, failed, {}], summary: { files: 3, uploaded: 2, failed: 1 } };
    const error = { code: 'batch.failed', exit: 9 };
    await step('files upload member a.txt b.txt c.txt --json', { exit: 9, json, error });
  });

  test('with one in doubt and none failed: 10', async () => {
    const { step, faults } = await scriptedFiles();
    faults.storage = failing('POST', 1, (response) => void response.writeHead(502).end());
    const stderr = '1 in doubt, 1 uploaded';
    await step('files upload member a.txt b.txt --concurrency 1', { files, exit: 10, stderr });
  });

  test('sends as many at once as --concurrency says', async () => {
    const { step, faults } = await scriptedFiles();
    const names = Array.from({ length: 6 }, (_, index) => `f${index}`);
    const waiting: (() => void)[] = [];
    faults.storage = answering(
      ({ method }) => method === 'POST',
      (response) => {
        // Answered only when three have come: with fewer at once the test would hang.
        waiting.push(() => void response.writeHead(500).end());
        if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
      },
    );
    await step(`files upload member ${names.join(' ')} --concurrency 3 --json`, {
      files: Object.fromEntries(names.map((name) => [name, name])),
      exit: 10,
      json: { summary: { files: 6, in_doubt: 6 } },
    });
  });
});

describe('a file that changes during its upload', () => {
  const files = { 'a.bin': Buffer.alloc(5_000_000) };

  test.each([
    ['grows', (path: string) => appendFileSync(path, 'more')],
    ['is written', (path: string) => utimesSync(path, 1, 1)],
  ])('is an error and not uploaded if it %s: 3', async (_, change) => {
    const { step, faults, files: row, folder } = await scriptedFiles({ 'a.bin': 'before' });
    faults.api = (request) => {
      if (request.method === 'PUT') change(join(folder, 'a.bin'));
      return false;
    };
    const error = { code: 'file.changed' };
    await step('files upload member a.bin --json', { files, exit: 3, error });
    expect(row.get('a.bin')).toBe('before');
  });
});

test.runIf(process.platform === 'linux').each([
  ['/proc/version', 'it has more bytes than its size of 0'],
  ['/sys/kernel/profiling', 'it has fewer bytes than its size of 4096'],
])('files upload sends nothing of %s, whose size is wrong: 3', async (path, reason) => {
  const { step } = await scriptedFiles();
  const message = `${path} changed while it was being read: ${reason}`;
  const error = { code: 'file.changed', message };
  const upload = `files upload member ${path} --key a.txt --json`;
  await step(upload, { exit: 3, error, methods: ['GET'] });
});

describe('an interrupt of files upload', () => {
  /** Interrupts an upload when its first form has been posted. */
  async function interrupted(names: readonly string[]) {
    const { options, file, faults } = await scriptedFiles();
    for (const name of names) file(name, 'hello');
    const args = ['files', 'upload', 'member', ...names, '--concurrency', '1', '--json'];
    const { kill, ended } = start(args, options);
    faults.storage = () => {
      kill('SIGINT');
      return true;
    };
    return ended;
  }

  test('that leaves an upload in doubt is reported, of a single upload like any write: 10', async () => {
    const both = await interrupted(['a.txt', 'b.txt']);
    const message = expect.stringContaining('interrupted');
    expect([both.exit, errorsOf(both)]).toMatchObject([10, { code: 'batch.in_doubt', message }]);
    const files = [{ outcome: 'in_doubt' }, { key: 'b.txt', outcome: 'not_done' }];
    expect(jsonOf(both)).toMatchObject({ files, summary: { files: 2, in_doubt: 1, not_done: 1 } });
    const one = await interrupted(['a.txt']);
    expect([one.exit, errorsOf(one).code]).toEqual([10, 'in_doubt.interrupted']);
  });
});
