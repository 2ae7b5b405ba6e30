import { appendFileSync, readdirSync, utimesSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { answerXml, failing, type Fault, multipart, scriptedFiles, SIGNATURE } from './scripted.ts';

describe('the signed form of an upload', () => {
  test('is requested again once if it has expired', async () => {
    const { run, file, faults, files, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 1, (response) =>
      answerXml(response, 403, 'AccessDenied', 'Invalid according to Policy: Policy expired.'),
    );
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
    expect(methods()).toEqual(['GET', 'PUT', 'PUT', 'GET', '*POST', '*POST']);
    expect(files.get('a.txt')).toBe('hello');
  });

  test('that has expired twice is reported: 7', async () => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) =>
      answerXml(response, 400, 'ExpiredToken', 'The provided token has expired.'),
    );
    const { exit, stderr } = await run(['upload', 'member', 'a.txt', '--json']);
    expect(exit).toBe(7);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'storage.expired', status: 400 } });
    expect(methods().filter((method) => method === '*POST')).toHaveLength(2);
  });

  test.each([
    [400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum', 'storage.too_large'],
    [
      400,
      'EntityTooSmall',
      'Your proposed upload is smaller than the minimum',
      'storage.wrong_size',
    ],
    [400, 'IncompleteBody', 'You did not provide the number of bytes', 'storage.wrong_size'],
    [403, 'SignatureDoesNotMatch', 'The signature does not match', 'storage.refused'],
  ])(
    'that is rejected with %i %s is reported with the reason: 7',
    async (status, code, message, expected) => {
      const { run, file, faults, methods } = await scriptedFiles();
      file('a.txt', 'hello');
      faults.storage = failing('POST', 9, (response) => answerXml(response, status, code, message));
      const { exit, stderr } = await run(['upload', 'member', 'a.txt', '--json']);
      expect(exit).toBe(7);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: expected, status } });
      expect(stderr).toContain(code);
      expect(methods()).toEqual(['GET', 'PUT', '*POST']);
    },
  );

  test('is not printed if the rejection repeats it', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    const value = 'aGVsbG8=\r\nsecond-line';
    faults.api = failing('PUT', 1, (response, { headers }) => {
      const url = `http://${headers.host}/post?sig=UPSECRET&t=a1b2c3`;
      answerJson(response, 200, { url, fields: { 'zz-policy': value } });
    });
    const words = 'bad http://h/x?sig=UPSECRET with t=a1b2c3, UPSECRET, aGVsbG8=, second-line';
    faults.api = firstly(
      faults.api,
      failing('POST', 1, (response) => answerXml(response, 403, 'SignatureDoesNotMatch', words)),
    );
    const { exit, stderr } = await run(['upload', 'member', 'a.txt']);
    expect([exit, stderr]).toEqual([7, expect.stringContaining('bad http://h/x?[redacted]')]);
    expect(stderr).not.toMatch(/UPSECRET|a1b2c3|aGVsbG8|second-line/);
  });

  test('that is rejected with the page of a proxy is reported with its readable text', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) => {
      response.writeHead(413, { 'content-type': 'text/html' });
      response.end('<html><head><title>413 Request Entity Too Large</title></head></html>');
    });
    const { stderr } = await run(['upload', 'member', 'a.txt']);
    expect(stderr).toContain('answered 413: 413 Request Entity Too Large (the file is too large)');
  });

  test.each([
    ['a redirect', 303],
    ['a server error', 500],
  ])('that gets %s leaves the upload in doubt, posted once: 10', async (_, status) => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) => {
      response.writeHead(status, { location: 'https://elsewhere.example/' }).end();
    });
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(10);
    expect(methods()).toEqual(['GET', 'PUT', '*POST']);
  });

  test('leaves the upload in doubt if its connection is cut: 10', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) => void response.destroy());
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(10);
  });

  test.each([
    ['no JSON', 'hello'],
    ['no fields', '{"url":"http://127.0.0.1:1/"}'],
    ['an invalid address', '{"url":"file:///etc/passwd","fields":{}}'],
  ])('with %s is never posted', async (_, body) => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.api = failing('PUT', 1, (response) => void response.end(body));
    expect((await run(['upload', 'member', 'a.txt'])).exit).not.toBe(0);
    expect(methods()).toEqual(['GET', 'PUT']);
  });

  test('may have any field, which is sent unchanged', async () => {
    const { run, file, faults, storage } = await scriptedFiles();
    file('a.txt', 'hello');
    const fields = { 'quo"ted\r\nname': 'two\r\nlines', __proto__: 'x', 7: '', number: 1 };
    const text = JSON.stringify({ url: `${storage.origin}/p`, fields }).replace(
      '"number"',
      '"__proto__":"own","number"',
    );
    faults.api = failing('PUT', 1, (response) => void response.end(text));
    await run(['upload', 'member', 'a.txt']);
    const [posted] = storage.requests;
    const parts = posted ? multipart(posted) : [];
    expect(parts.map(({ name, content }) => [name, content])).toEqual([
      ['7', ''],
      ['quo%22ted%0D%0Aname', 'two\r\nlines'],
      ['__proto__', 'own'],
      ['number', '1'],
      ['file', 'hello'],
    ]);
  });
});

test('files upload and rm name a file in doubt, and the command that shows it: 10', async () => {
  const { run, file, faults } = await scriptedFiles({ 'old.txt': 'x' });
  file('a.txt', 'hello');
  const down = (method: string) => failing(method, 1, (answer) => void answer.writeHead(502).end());
  faults.storage = down('POST');
  faults.api = down('DELETE');
  const cases = [
    [['upload', 'member', 'a.txt'], 'the upload of a.txt', 'a.txt'],
    [['rm', 'member', 'old.txt', '--yes'], 'the delete of old.txt', 'old.txt'],
  ] as const;
  for (const [args, words, key] of cases) {
    const { exit, stderr } = await run([...args, '--json']);
    expect([exit, JSON.parse(stderr)]).toMatchObject([
      10,
      {
        error: {
          code: 'in_doubt.server-error',
          message: expect.stringContaining(`in doubt: ${words} was sent, but`),
          hint: `check it with lectern files stat ROW ${key} before repeating it`,
          status: 502,
        },
      },
    ]);
  }
});

describe('the check after an upload', () => {
  test('leaves it in doubt if the record has another size: 10', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) => void response.writeHead(204).end());
    const { exit, stderr } = await run(['upload', 'member', 'a.txt']);
    expect([exit, stderr]).toEqual([10, expect.stringContaining('the check of its record failed')]);
  });

  test('leaves it in doubt if the record cannot be read, and says so', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.api = ({ method, target }, response) => {
      if (method !== 'GET' || !target.includes('a.txt')) return false;
      response.writeHead(500).end();
      return true;
    };
    const { exit, stderr } = await run(['upload', 'member', 'a.txt']);
    expect([exit, stderr]).toEqual([10, expect.stringContaining('cannot be read: answered 500')]);
    expect(stderr).not.toContain('nothing took effect');
  });

  test('leaves it in doubt if the token has ended, and asks once', async () => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.api = ({ method, target }, response) => {
      if (method !== 'GET' || !target.includes('a.txt')) return false;
      answerJson(response, 401, { error: { message: 'token has ended' } });
      return true;
    };
    const { exit, stderr } = await run(['upload', 'member', 'a.txt']);
    expect([exit, stderr]).toEqual([10, expect.stringContaining('cannot be read')]);
    expect(methods()).toEqual(['GET', 'PUT', 'GET', '*POST']);
  });

  test.each([
    ['a page', 200, '<html>sign in</html>'],
    ['nothing at all', 204, undefined],
  ])(
    'leaves it in doubt if the earlier file is unchanged and the storage responded with %s: 10',
    async (_, status, body) => {
      const { run, file, faults, files } = await scriptedFiles({ 'a.txt': 'old' });
      file('a.txt', 'new');
      faults.storage = failing('POST', 1, (response) => void response.writeHead(status).end(body));
      const { exit, stderr } = await run(['upload', 'member', 'a.txt', '--json']);
      expect(exit).toBe(10);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'in_doubt.unchecked', exit: 10 } });
      expect(files.get('a.txt')).toBe('old');
      expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
      expect(files.get('a.txt')).toBe('new');
    },
  );

  test('waits for a record that comes a moment later', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    let isListed = false;
    let reads = 0;
    faults.api = ({ method }, response) => {
      if (method !== 'GET' || !isListed) {
        isListed = true;
        return false;
      }
      reads += 1;
      if (reads === 1) answerJson(response, 404, { message: 'not yet' });
      return reads === 1;
    };
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
    expect(reads).toBe(2);
  });

  test('is skipped if the declaration is rejected, and nothing is posted', async () => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.api = failing('PUT', 1, (response) => answerJson(response, 422, { message: 'quota' }));
    const { exit, stderr } = await run(['upload', 'member', 'a.txt']);
    expect([exit, stderr]).toEqual([7, expect.stringContaining('answered 422: quota')]);
    expect(methods()).toEqual(['GET', 'PUT']);
  });

  test('waits as long as the service requests', async () => {
    const { run, file, faults, methods } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.api = failing('PUT', 2, (response) => {
      response.writeHead(429, { 'retry-after': '0' }).end();
    });
    expect((await run(['upload', 'member', 'a.txt'])).exit).toBe(0);
    expect(methods().filter((method) => method === 'PUT')).toHaveLength(3);
  });

  test('never prints the signature', async () => {
    const { run, file, faults } = await scriptedFiles();
    file('a.txt', 'hello');
    faults.storage = failing('POST', 9, (response) => void response.writeHead(500).end());
    const { stdout, stderr } = await run(['upload', 'member', 'a.txt', '--verbose']);
    expect(stderr).toContain('/post -> 500');
    expect(stdout + stderr).not.toContain(SIGNATURE);
    expect(stdout + stderr).not.toContain('canary-1');
  });
});

describe('an upload of several files', () => {
  test('continues after one fails, and its summary adds up: 9', async () => {
    const { run, file, faults, files } = await scriptedFiles();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) file(name, name);
    faults.api = (request, response) => {
      if (request.method !== 'PUT' || !request.target.includes('b.txt')) return false;
      answerJson(response, 422, { message: 'not this one' });
      return true;
    };
    const result = await run(['upload', 'member', 'a.txt', 'b.txt', 'c.txt']);
    expect(result.exit).toBe(9);
    expect(result.stdout.split('\n').sort().filter(Boolean)).toEqual([
      'a.txt\t5\tuploaded',
      'b.txt\t5\tfailed',
      'c.txt\t5\tuploaded',
    ]);
    expect(result.stderr).toContain('lectern: b.txt: the service answered 422: not this one');
    expect(result.stderr).toContain('3 files: 2 uploaded, 1 failed');
    expect([...files.keys()].sort()).toEqual(['a.txt', 'c.txt']);
    const json = await run(['upload', 'member', 'a.txt', 'b.txt', 'c.txt', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      files: [
        { key: 'a.txt', outcome: 'uploaded', error: null },
        { key: 'b.txt', outcome: 'failed', error: { exit: 7, status: 422 } },
        { key: 'c.txt', outcome: 'uploaded' },
      ],
      summary: { files: 3, uploaded: 2, failed: 1 },
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'batch.failed', exit: 9 } });
  });

  test('with one in doubt and none failed: 10', async () => {
    const { run, file, faults } = await scriptedFiles();
    for (const name of ['a.txt', 'b.txt']) file(name, name);
    faults.storage = failing('POST', 1, (response) => void response.writeHead(502).end());
    const { exit, stderr } = await run([
      'upload',
      'member',
      'a.txt',
      'b.txt',
      '--concurrency',
      '1',
    ]);
    expect([exit, stderr]).toEqual([10, expect.stringContaining('1 in doubt, 1 uploaded')]);
  });

  test('sends as many at once as --concurrency says', async () => {
    const { run, file, faults } = await scriptedFiles();
    const names = Array.from({ length: 6 }, (_, index) => `f${index}`);
    for (const name of names) file(name, name);
    const waiting: (() => void)[] = [];
    faults.storage = (request, response) => {
      if (request.method !== 'POST') return false;
      // Answered only when three have come: with fewer at once the test would hang.
      waiting.push(() => void response.writeHead(500).end());
      if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
      return true;
    };
    const flags = ['--concurrency', '3', '--json'];
    const { stdout } = await run(['upload', 'member', ...names, ...flags]);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { files: 6, in_doubt: 6 } });
  });

  test('replaces a larger file before another file needs its room', async () => {
    const { run, file, faults, api } = await scriptedFiles();
    faults.api = (request, response) => {
      if (request.method !== 'GET' || request.target.includes('.bin')) return false;
      const sizes = { 'old.bin': 24_000_000, a: 25_000_000, b: 25_000_000, c: 25_000_000 };
      const items = Object.entries(sizes).map(([key, size]) => ({ key, size, modified: 1 }));
      answerJson(response, 200, items);
      return true;
    };
    file('new.bin', Buffer.alloc(2_000_000));
    file('old.bin', 'small now');
    await run(['upload', 'member', 'new.bin', 'old.bin']);
    const puts = api.requests.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ target }) => /(\w+)\.bin/.exec(target)?.[1])).toEqual(['old', 'new']);
  });
});

describe('a file that changes during its upload', () => {
  test.each([
    ['grows', (path: string) => appendFileSync(path, 'more')],
    ['is written', (path: string) => utimesSync(path, 1, 1)],
  ])('is an error and not uploaded if it %s: 3', async (_, change) => {
    const { run, file, faults, files } = await scriptedFiles({ 'a.bin': 'before' });
    const path = file('a.bin', Buffer.alloc(5_000_000));
    faults.api = (request) => {
      if (request.method === 'PUT') change(path);
      return false;
    };
    const { exit, stderr } = await run(['upload', 'member', 'a.bin', '--json']);
    expect(exit).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'file.changed' } });
    expect(files.get('a.bin')).toBe('before');
  });

  test.each([
    [
      'has another record than before',
      (response: ServerResponse) => {
        answerJson(response, 200, { key: 'a.bin', size: 9, modified: 9, url: 'x' });
      },
    ],
    [
      'has an unreadable record',
      (response: ServerResponse) => {
        response.writeHead(500).end();
      },
    ],
  ])('is in doubt if the key afterwards %s: 10', async (_, answer) => {
    const { run, file, faults } = await scriptedFiles();
    const path = file('a.bin', Buffer.alloc(5_000_000));
    faults.api = (request, response) => {
      if (request.method === 'PUT') appendFileSync(path, 'more');
      if (request.method !== 'GET' || !request.target.includes('a.bin')) return false;
      answer(response);
      return true;
    };
    const { exit, stderr } = await run(['upload', 'member', 'a.bin', '--json']);
    expect(exit).toBe(10);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'in_doubt.cut' } });
  });
});

test.runIf(process.platform === 'linux').each([
  ['/proc/version', 'it has more bytes than its size of 0'],
  ['/sys/kernel/profiling', 'it has fewer bytes than its size of 4096'],
])('files upload sends nothing of %s, whose size is wrong: 3', async (path, reason) => {
  const { run, methods } = await scriptedFiles();
  const { exit, stderr } = await run(['upload', 'member', path, '--key', 'a.txt', '--json']);
  expect([exit, JSON.parse(stderr)]).toEqual([
    3,
    {
      error: expect.objectContaining({
        code: 'file.changed',
        message: `${path} changed while it was being read: ${reason}`,
      }),
    },
  ]);
  expect(methods()).toEqual(['GET']);
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

  test('that leaves an upload in doubt is reported: 10', async () => {
    const { exit, stdout, stderr } = await interrupted(['a.txt', 'b.txt']);
    expect(exit).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        { key: 'a.txt', outcome: 'in_doubt' },
        { key: 'b.txt', outcome: 'not_done' },
      ],
      summary: { files: 2, in_doubt: 1, not_done: 1 },
    });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'batch.in_doubt', exit: 10, message: expect.stringContaining('interrupted') },
    });
  });

  test('of a single upload is reported like any write: 10', async () => {
    const { exit, stderr } = await interrupted(['a.txt']);
    expect(exit).toBe(10);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'in_doubt.interrupted', exit: 10 } });
  });

  test('during the read of standard input leaves nothing behind', async () => {
    const { options, methods } = await scriptedFiles();
    const args = ['files', 'upload', 'member', '-', '--key', 'k'];
    const env = { ...options.env, TMPDIR: options.cwd };
    const { stdin, kill, ended } = start(args, { ...options, env });
    stdin.write('some');
    // The spool is there when the first bytes have been read.
    while (readdirSync(options.cwd).length === 0) await new Promise(setImmediate);
    kill('SIGINT');
    expect((await ended).exit).toBe(130);
    expect(readdirSync(options.cwd)).toEqual([]);
    expect(methods()).toEqual([]);
  });
});

/** One fault, and another one. */
function firstly(one: Fault, other: Fault): Fault {
  return (request, response) => one(request, response) || other(request, response);
}
