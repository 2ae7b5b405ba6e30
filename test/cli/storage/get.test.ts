import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { terminal } from '../../support/terminal.ts';
import { rowService } from './row-service.ts';

const ROW =
  '{"z":1.10,"9":9007199254740993, "e":1e400,"n":-0,"d":1,"d":[2,{"a/b":"x"}],"s":"\\ud800\\/","":""}';

describe('storage get', () => {
  test('indents the row and keeps every token of the service', async () => {
    const rows = await rowService({ context: ROW });
    const laidOut =
      '{\n  "z": 1.10,\n  "9": 9007199254740993,\n  "e": 1e400,\n  "n": -0,\n  "d": 1,\n  "d": [\n    2,\n' +
      '    {\n      "a/b": "x"\n    }\n  ],\n  "s": "\\ud800\\/",\n  "": ""\n}\n';
    expect((await rows.run(['get', 'context'])).stdout).toBe(laidOut);
    expect((await rows.run(['get', 'context', '--json'])).stdout).toBe(laidOut);
  });

  test('--raw prints the exact bytes, also of a part', async () => {
    const text = ` ${ROW}\r\n`;
    const rows = await rowService({ context: text });
    expect((await rows.run(['get', 'context', '--raw'])).stdout).toBe(text);
    expect((await rows.run(['get', 'context', '/d', '--raw'])).stdout).toBe('[2,{"a/b":"x"}]');
  });

  test('warns of duplicate names in the printed value on standard error', async () => {
    const rows = await rowService({ context: ROW });
    const stderrOf = async (...args: string[]): Promise<string> =>
      (await rows.run(['get', 'context', ...args])).stderr;
    for (const pointer of ['', '/d', '/d/0']) {
      expect(await stderrOf(pointer)).toMatch(/^warning: \/d: .*\n$/);
    }
    expect(await stderrOf('/d', '--raw')).toContain('warning: /d: ');
    expect(JSON.parse(await stderrOf('--json'))).toEqual({
      findings: [
        expect.objectContaining({
          code: 'body.duplicate_name',
          severity: 'warning',
          path: '/d',
          line: 1,
        }),
      ],
    });
    expect([await stderrOf('/z'), await stderrOf('--quiet', '--json')]).toEqual(['', '']);
  });

  test('recognises an address with a hidden secret, and names the command that prints it', async () => {
    const rows = await rowService({ context: ROW });
    const copied = `${rows.launch.storage.context}?sig=(hidden)`;
    const { exit, stderr } = await rows.run(['get', copied]);
    expect([exit, stderr, rows.requests]).toEqual([
      3,
      expect.stringMatching(
        /has \(hidden\) in place of a secret\n.*launch show NAME --reveal CLAIM/,
      ),
      [],
    ]);
  });

  test('sends no token to an address of another origin, and the hint names both origins', async () => {
    const rows = await rowService({ context: ROW });
    const elsewhere = 'http://service.example';
    const given = await rows.run(['get', '--url', `${elsewhere}/row`, '--json']);
    const origin = new URL(rows.launch.storage.context as string).origin;
    expect([given.exit, JSON.parse(given.stderr), rows.requests]).toEqual([
      4,
      {
        error: expect.objectContaining({
          code: 'credential.other_origin',
          message: expect.stringContaining(`belongs to ${origin} and is not sent to ${elsewhere}`),
          hint: `the address that was given is of ${elsewhere}: use an address of ${origin}, or pass a launch of ${elsewhere} with --launch NAME; LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH to use the saved one`,
        }),
      },
      [],
    ]);
  });

  test.each([
    ['/z', 0, '1.10\n'],
    ['/d/1/a~1b', 0, '"x"\n'],
    ['/', 0, '""\n'],
    ['', 0, undefined],
    ['/nothing', 6, ''],
    ['/d/-', 6, ''],
    ['d', 2, ''],
    ['/a~2', 2, ''],
  ])('with the pointer %j exits with %i', async (pointer, exit, stdout) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['get', 'context', pointer]);
    expect(result.exit).toBe(exit);
    if (stdout !== undefined) expect(result.stdout).toBe(stdout);
  });

  test('prints a row that was never written as an empty object', async () => {
    const rows = await rowService();
    expect((await rows.run(['get', 'member'])).stdout).toBe('{}\n');
  });

  test('rejects a row with a byte order mark as an unusable response', async () => {
    const rows = await rowService({ context: '\ufeff{}' });
    expect((await rows.run(['get', 'context'])).exit).toBe(8);
  });

  test('escapes terminal control characters on a terminal', async () => {
    const rows = await rowService({ context: '{"a":"\u202eevil\u009b31m"}' });
    const screen = terminal(['storage', 'get', 'context'], {
      home: rows.home,
      env: rows.environment,
    });
    expect(await screen.exit).toBe(0);
    expect(screen.screen()).toBe('{\n  "a": "\\u202eevil\\u009b31m"\n}');
  });
});

describe('storage get on a terminal', () => {
  const NESTED =
    '{"k\\"":"v: \\"{","list":[1,{"a":"["},[]],"o":{"deep":{"x":1,"y":{}},"s":"t"},"e":{},"one":[7]}';

  test('is colored there only: names dim, strings green', async () => {
    const rows = await rowService({ context: NESTED });
    const { home, environment } = rows;
    const shownWith = async (flags: string[], env = {}): Promise<string> => {
      const view = terminal(['storage', 'get', 'context', ...flags], {
        home,
        env: { ...environment, ...env },
      });
      expect(await view.exit).toBe(0);
      return view.bytes().replaceAll('\r\n', '\n');
    };
    const coloured = await shownWith([]);
    expect(coloured).toContain('\u001b[2m"k\\""\u001b[22m: \u001b[32m"v: \\"{"\u001b[39m,\n');
    const { stdout } = await rows.run(['get', 'context']);
    expect(stdout).not.toContain('\u001b');
    expect(stripVTControlCharacters(coloured)).toBe(stdout);
    expect(await shownWith([], { NO_COLOR: '1' })).toBe(stdout);
    for (const flag of ['--json', '--no-color']) expect(await shownWith([flag])).toBe(stdout);
  });

  test.each([
    [
      ['--depth', '1'],
      '{\n  "k\\"": "v: \\"{",\n  "list": [… 3 items],\n  "o": {… 2 keys},\n  "e": {},\n  "one": [… 1 item]\n}\n',
    ],
    [['/o', '--depth', '1'], '{\n  "deep": {… 2 keys},\n  "s": "t"\n}\n'],
    [['/list', '--depth', '1'], '[\n  1,\n  {… 1 key},\n  []\n]\n'],
    [['/o/s', '--depth', '1'], '"t"\n'],
  ])('with %j folds deeper values', async (args, shown) => {
    const rows = await rowService({ context: NESTED });
    expect((await rows.run(['get', 'context', ...args])).stdout).toBe(shown);
    const whole = await rows.run(['get', 'context', ...args.slice(0, -2), '--depth', '9']);
    expect(whole.stdout).toBe((await rows.run(['get', 'context', ...args.slice(0, -2)])).stdout);
  });

  test.each(['--json', '--raw'])('--depth %s is a usage error', async (flag) => {
    const rows = await rowService({ context: NESTED });
    const { exit, stdout } = await rows.run(['get', 'context', '--depth', '1', flag]);
    expect([exit, stdout, rows.requests]).toEqual([2, '', []]);
  });

  test('prints a text of one megabyte of escapes unchanged', async () => {
    const row = `{"a":"${'\\\\'.repeat(500_000)}"}`;
    const rows = await rowService({ context: row });
    const { exit, stdout } = await rows.run(['get', 'context', '--depth', '1']);
    expect([exit, stdout.length]).toEqual([0, row.length + '\n   \n\n'.length]);
  });
});

describe('storage size', () => {
  test('lists each key, largest first, and the total with its limit', async () => {
    const rows = await rowService({ member: '{ "a": 1, "text": "é\\u0041\\/", "b/c": [1, 2] }' });
    expect((await rows.run(['size', 'member'])).stdout).toBe(
      '(member)\t33\t0.0\n/text\t13\t39.4\n/b~1c\t11\t33.3\n/a\t5\t15.2\n',
    );
    expect(JSON.parse((await rows.run(['size', 'member', '--json'])).stdout)).toEqual({
      row: 'member',
      kind: 'member',
      bytes: 33,
      limit: 524_288,
      keys: [
        { key: 'text', pointer: '/text', bytes: 13 },
        { key: 'b/c', pointer: '/b~1c', bytes: 11 },
        { key: 'a', pointer: '/a', bytes: 5 },
      ],
    });
  });

  test('draws a bar on a terminal, also in 40 columns', async () => {
    const rows = await rowService({ member: `{"half":"${'x'.repeat(262_000)}","name":1}` });
    const screen = terminal(['storage', 'size', 'member'], {
      home: rows.home,
      env: rows.environment,
      columns: 40,
    });
    expect(await screen.exit).toBe(0);
    expect(screen.screen()).toMatch(/\(member\) +2620\d\d +50\.0 +#+/);
    for (const line of screen.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });
});
