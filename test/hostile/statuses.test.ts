import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { ATTEMPT, head, jsonAnswer, startFiles } from './raw-answers.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

const SUBMIT = ['grade', 'submit', '--score', '0.5'];

const INTERIM: Readonly<Record<string, readonly string[]>> = {
  '102, 103 with fields, 104 and 199': [
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n',
    'HTTP/1.1 104 Upload Resumption Supported\r\n\r\n',
    'HTTP/1.1 199 Odd\r\ncontent-length: 5\r\n\r\n',
  ],
  'a thousand of 102': Array.from({ length: 1000 }, () => 'HTTP/1.1 102 Processing\r\n\r\n'),
};
for (const [which, interim] of Object.entries(INTERIM)) {
  hostile(
    {
      tried: `${which}, unasked, before the answer to each kind of call`,
      times: { short: 1, long: 50 },
    },
    async () => {
      const row = await startRawServer({ answer: () => [...interim, head(7), '{"a":1}'] });
      const got = await lectern(['storage', 'get', 'member', '-l', launchFile(row.origin)]);
      expect([got.exit, JSON.parse(got.stdout)]).toEqual([0, { a: 1 }]);

      // All in one piece, as a proxy may send it.
      const graded = await startRawServer({
        answer: () => [interim.join('') + jsonAnswer(ATTEMPT)],
      });
      const submitted = await lectern([...SUBMIT, '--json', '-l', launchFile(graded.origin)]);
      expect([submitted.exit, submitted.stderr]).toEqual([0, '']);
      expect(submitted.stdout).toContain('attempt-1');
      expect(graded.requests).toHaveLength(1);

      const content = Buffer.alloc(300_000, 7);
      const down = await startFiles(content.length, () => [...interim, head(300_000), content]);
      const out = join(temporaryFolder(), 'out.bin');
      const args = ['files', 'download', 'context', 'file.bin', '-o', out, '-l', down.launch];
      expect((await lectern(args)).exit).toBe(0);
      expect(readFileSync(out).equals(content)).toBe(true);

      const file = join(temporaryFolder(), 'file.bin');
      writeFileSync(file, content);
      const up = await startFiles(300_000, () => [...interim, 'HTTP/1.1 204 No Content\r\n\r\n']);
      const sent = await lectern(['files', 'upload', 'context', file, '-l', up.launch]);
      expect(sent.exit).toBe(0);
      expect(up.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );
}

const NOT_HTTP = ['in_doubt.unusable', 'the response is not valid HTTP'] as const;
const CLOSED = ['in_doubt.connection', 'the connection was closed'] as const;
const NO_ANSWERS: readonly (readonly [first: string, code: string, words: string])[] = [
  ['HTTP/1.1 000 Zero', ...NOT_HTTP],
  ['HTTP/1.1 099 Low', ...NOT_HTTP],
  ['HTTP/1.1 100 Continue', ...CLOSED],
  ['HTTP/1.1 101 Switching Protocols', ...NOT_HTTP],
  ['HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c', ...CLOSED],
  ['HTTP/1.1 20 Short', ...NOT_HTTP],
  ['SSH-2.0-OpenSSH_9.6', ...NOT_HTTP],
];
hostile(
  {
    tried: 'invalid statuses (000, 099), an unexpected 100 and 101, and bytes that are not HTTP',
    times: { short: 1, long: 50 },
    found: 'reported as "false == true", or as a connection that was cut',
  },
  async () => {
    for (const [first, code, words] of NO_ANSWERS) {
      const answer = (): Piece[] => [`${first}\r\ncontent-length: 2\r\n\r\n{}`];
      const service = await startRawServer({ answer });
      const launch = launchFile(service.origin);
      const read = await lectern(['storage', 'get', 'member', '-l', launch]);
      expect([first, read.exit, read.stdout]).toEqual([first, 8, '']);
      expect(read.stderr).toContain(words);
      const home = temporaryFolder();
      const write = await lectern([...SUBMIT, '--json', '-l', launch], { home });
      expect([first, write.exit]).toEqual([first, 10]);
      expect(JSON.parse(write.stderr).error).toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
      expect(service.requests).toHaveLength(2);
      const log = await lectern(['grade', 'log', '--json'], { home });
      expect(JSON.parse(log.stdout)).toMatchObject({
        outcome: expect.stringMatching(/^in.doubt$/),
      });
    }
  },
);

hostile(
  {
    tried: '204 with a Content-Length, and with a body, for two deletions',
    times: { short: 1, long: 50 },
  },
  async () => {
    for (const body of ['', 'hello']) {
      const bare = `HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n${body}`;
      const listing = jsonAnswer(['a.bin', 'b.bin'].map((key) => ({ key, size: 1, modified: 1 })));
      const service = await startRawServer({
        answer: ({ method }) => [method === 'GET' ? listing : bare],
      });
      const launch = launchFile(service.origin);
      const args = ['files', 'rm', 'context', 'a.bin', 'b.bin', '--yes', '-l', launch];
      const { exit, stdout } = await lectern(args);
      // A 204 has no body, and undici waits for the one that is announced.
      const deleted = 'a.bin\t1\tin_doubt\nb.bin\t1\tin_doubt\n';
      expect([body, exit, stdout]).toEqual([body, 10, deleted]);
      expect(service.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
    }
  },
);
