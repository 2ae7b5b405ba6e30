import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { linesIn } from '../../support/steps.ts';
import { rowService } from './row-service.ts';

const ROW =
  '{"z":1.10,"9":9007199254740993, "e":1e400,"n":-0,"d":1,"d":[2,{"a/b":"x"}],"s":"\\ud800\\/","":""}';
const GET = 'storage get context';

/** What a command line prints for the row. */
async function printed(line: string, row = ROW): Promise<string> {
  const { step } = await rowService({ context: row });
  return (await step(line)).stdout;
}

describe('storage get', () => {
  test.each([GET, `${GET} --json`])('indents the row and keeps every token: %s', async (line) => {
    expect(await printed(line)).toBe(
      '{\n  "z": 1.10,\n  "9": 9007199254740993,\n  "e": 1e400,\n  "n": -0,\n  "d": 1,\n  "d": [\n    2,\n' +
        '    {\n      "a/b": "x"\n    }\n  ],\n  "s": "\\ud800\\/",\n  "": ""\n}\n',
    );
  });

  test('--raw prints the exact bytes, also of a part', async () => {
    expect(await printed(`${GET} --raw`, ` ${ROW}\r\n`)).toBe(` ${ROW}\r\n`);
    expect(await printed(`${GET} /d --raw`)).toBe('[2,{"a/b":"x"}]');
  });

  test('warns of duplicate names in the printed value on standard error', async () => {
    const { step } = await rowService({ context: ROW });
    for (const pointer of ["''", '/d', '/d/0']) {
      await step(`${GET} ${pointer}`, { stderr: /^warning: \/d: .*\n$/ });
    }
    await step(`${GET} /d --raw`, { stderr: 'warning: /d: ' });
    const { stderr } = await step(`${GET} --json`);
    const twice = { code: 'body.duplicate_name', severity: 'warning', path: '/d', line: 1 };
    expect(JSON.parse(stderr)).toMatchObject({ findings: [twice] });
    await step(`${GET} /z`, { stderr: '' });
    await step(`${GET} --quiet --json`, { stderr: '' });
  });

  test('recognises an address with a hidden secret, and names the command that prints it', async () => {
    const { step, launch } = await rowService({ context: ROW });
    const said = 'exit 3: has (hidden) in place of a secret … launch show NAME --reveal CLAIM';
    await step(`storage get ${launch.storage.context}?sig=(hidden) # ${said}`, { methods: [] });
  });

  test('sends no token to an address of another origin, and the hint names both origins', async () => {
    const { step, launch } = await rowService({ context: ROW });
    const elsewhere = 'http://service.example';
    await step(`storage get --url ${elsewhere}/row --json`, {
      exit: 4,
      error: {
        code: 'credential.other_origin',
        message: new RegExp(`belongs to ${launch.iss} and is not sent to ${elsewhere}`),
        hint: `the address that was given is of ${elsewhere}: use an address of ${launch.iss}, or pass a launch of ${elsewhere} with --launch NAME; LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH to use the saved one`,
      },
      methods: [],
    });
  });

  test.each(
    linesIn(`
    /z # 1.10
    /d/1/a~1b # "x"
    / # ""
    '' # {
    /nothing # exit 6
    /lt_g4hbfD8AX1isvn62cuj # exit 6: no value at /lt_g…
    /d/- # exit 6
    d # exit 2
    --depth 1 --json # exit 2
    --depth 1 --raw # exit 2
    /a~2 # exit 2`),
  )('storage get context %s', async (pointer) => {
    await (await rowService({ context: ROW })).step(`${GET} ${pointer}`);
  });

  test('escapes terminal control characters on a terminal', async () => {
    const { atTerminal } = await rowService({ context: '{"a":"\u202eevil\u009b31m"}' });
    expect((await atTerminal(GET)).screen).toBe('{\n  "a": "\\u202eevil\\u009b31m"\n}');
  });
});

describe('storage get on a terminal', () => {
  const NESTED =
    '{"k\\"":"v: \\"{","list":[1,{"a":"["},[]],"o":{"deep":{"x":1,"y":{}},"s":"t"},"e":{},"one":[7]}';

  test('is colored there only: names dim, strings green', async () => {
    const { atTerminal, step } = await rowService({ context: NESTED });
    const shownWith = async (flags: string, env = {}): Promise<string> =>
      (await atTerminal(`${GET}${flags}`, { env })).bytes.replaceAll('\r\n', '\n');
    const coloured = await shownWith('');
    expect(coloured).toContain('\u001b[2m"k\\""\u001b[22m: \u001b[32m"v: \\"{"\u001b[39m,\n');
    const { stdout } = await step(GET, { lacks: '\u001b' });
    expect(stripVTControlCharacters(coloured)).toBe(stdout);
    expect(await shownWith('', { NO_COLOR: '1' })).toBe(stdout);
    for (const flag of [' --json', ' --no-color']) expect(await shownWith(flag)).toBe(stdout);
  });

  test.each([
    [
      '',
      '{\n  "k\\"": "v: \\"{",\n  "list": [… 3 items],\n  "o": {… 2 keys},\n  "e": {},\n  "one": [… 1 item]\n}\n',
    ],
    ['/o', '{\n  "deep": {… 2 keys},\n  "s": "t"\n}\n'],
    ['/list', '[\n  1,\n  {… 1 key},\n  []\n]\n'],
    ['/o/s', '"t"\n'],
  ])('with %s --depth 1 folds deeper values', async (pointer, shown) => {
    expect(await printed(`${GET} ${pointer} --depth 1`, NESTED)).toBe(shown);
    const whole = await printed(`${GET} ${pointer}`, NESTED);
    expect(await printed(`${GET} ${pointer} --depth 9`, NESTED)).toBe(whole);
  });
});

describe('storage size', () => {
  test('lists each key, largest first, and the total with its limit', async () => {
    const { step } = await rowService({
      member: '{ "a": 1, "text": "é\\u0041\\/", "b/c": [1, 2] }',
    });
    const { stdout } = await step('storage size member');
    expect(stdout).toBe('(member)\t33\t0.0\n/text\t13\t39.4\n/b~1c\t11\t33.3\n/a\t5\t15.2\n');
    const keys = [{ key: 'text' }, { key: 'b/c', pointer: '/b~1c', bytes: 11 }, { key: 'a' }];
    const json = { row: 'member', kind: 'member', bytes: 33, limit: 524_288, keys };
    await step('storage size member --json', { json });
  });

  test('draws a bar on a terminal, also in 40 columns', async () => {
    const { atTerminal } = await rowService({
      member: `{"half":"${'x'.repeat(262_000)}","name":1}`,
    });
    const shows = /\(member\) +2620\d\d +50\.0 +#+/;
    const { lines } = await atTerminal('storage size member', { columns: 40, shows });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  });
});
