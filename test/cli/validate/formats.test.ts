import { describe, expect, test } from 'vitest';
import { lectern } from '../../support/lectern.ts';
import { readJunit } from '../../support/junit.ts';
import { folderOf } from './results.ts';

const FILES = {
  'right.json': '{"score":1}',
  'wrong, 1.json': '{\n "score": 2,\n "x": 1}',
  'doubtful.json': '{"score":1,"x":1}',
};
const NAMES = Object.keys(FILES);

const validate = (args: readonly string[], files: Record<string, string>) =>
  lectern(['validate', ...args], { cwd: folderOf(files) });

describe('validate --format github', () => {
  test('prints one line for each finding, with file, line and column', async () => {
    const { exit, stdout } = await validate(['grade', ...NAMES, '--format', 'github'], FILES);
    expect(exit).toBe(3);
    const lines = stdout.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(
        /^::error file=wrong%2C 1\.json,line=2,col=11,title=grade\.score_range::score must be between 0 and 1 \(at \/score\); /,
      ),
      expect.stringMatching(
        /^::warning file=wrong%2C 1\.json,line=3,col=\d+,title=grade\.unknown_field::/,
      ),
      expect.stringMatching(/^::warning file=doubtful\.json,line=1,/),
      '',
    ]);
  });

  test('prints warnings as errors with --strict', async () => {
    const args = ['grade', 'doubtful.json', '--strict', '--format', 'github'];
    const { exit, stdout } = await validate(args, FILES);
    expect([exit, stdout]).toEqual([3, expect.stringMatching(/^::error file=doubtful\.json,/)]);
  });

  test('prints nothing without findings', async () => {
    const { exit, stdout } = await validate(['grade', 'right.json', '--format', 'github'], FILES);
    expect([exit, stdout]).toEqual([0, '']);
  });

  test('escapes characters that would end a property, a message or a line', async () => {
    const name = 'a:b,c%d.json';
    const field = 'é\n::error::x\r%0A\u001b[31m';
    const files = { [name]: JSON.stringify({ score: 1, [field]: 1 }) };
    const { stdout } = await validate(['grade', name, '--format', 'github'], files);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stdout).toMatch(/^::warning file=a%3Ab%2Cc%25d\.json,line=1,/);
    expect(stdout).toContain('é%0A::error::x%0D%250A\\u{1b}[31m is not a field');
  });

  test('names no file for standard input and for keys', async () => {
    const args = ['validate', 'grade', '-', '--format', 'github'];
    const piped = await lectern(args, { input: '{"score":2}' });
    expect(piped.stdout).toMatch(/^::error title=grade\.score_range::/);
    const key = await lectern(['validate', 'key', 'a b', '--format', 'github']);
    expect(key.stdout).toMatch(/^::error title=file\.key_invalid::invalid file key "a b"/);
  });
});

describe('validate --format junit', () => {
  test('prints one case for each input, which fails if the input is invalid', async () => {
    const { exit, stdout } = await validate(['grade', ...NAMES, '--format', 'junit'], FILES);
    expect(exit).toBe(3);
    const { suite, cases } = readJunit(stdout);
    expect(suite).toBe('lectern validate grade');
    expect(cases).toEqual([
      {
        name: 'right.json',
        classname: 'lectern.validate.grade',
        file: 'right.json',
        failure: undefined,
        output: undefined,
      },
      {
        name: 'wrong, 1.json',
        classname: 'lectern.validate.grade',
        file: 'wrong, 1.json',
        failure: {
          message: 'score must be between 0 and 1',
          type: 'grade.score_range',
          text: expect.stringContaining('wrong, 1.json:2:11 /score: error: score must be'),
        },
        output: expect.stringContaining('x is not a field of a grade submission'),
      },
      {
        name: 'doubtful.json',
        classname: 'lectern.validate.grade',
        file: 'doubtful.json',
        failure: undefined,
        output: expect.stringContaining('doubtful.json:1:'),
      },
    ]);
  });

  test('fails for a warning only with --strict', async () => {
    const args = ['grade', 'doubtful.json', '--format', 'junit'];
    const lenient = await validate(args, FILES);
    expect(lenient.exit).toBe(0);
    expect(readJunit(lenient.stdout).cases[0]?.failure).toBeUndefined();
    const strict = await validate([...args, '--strict'], FILES);
    expect(strict.exit).toBe(3);
    expect(readJunit(strict.stdout).cases[0]?.failure?.type).toBe('grade.unknown_field');
  });

  test('puts the number of other findings into the message', async () => {
    const files = { 'a.json': '{"score":2,"max_score":0,"comment":7}' };
    const { stdout } = await validate(['grade', 'a.json', '--format', 'junit'], files);
    const [only] = readJunit(stdout).cases;
    expect(only?.failure?.message).toBe('score must be between 0 and 1, and 2 more findings');
    expect(only?.failure?.text.match(/error: /g)).toHaveLength(3);
  });

  test.each([
    ['markup', '</failure><x a="1">&amp;]]>'],
    ['control characters', '\u0000\u0001\b\u000b\u001b[31m\u007f\u0085'],
    ['line breaks and tabs', 'a\r\nb\tc\rd'],
    ['characters that XML does not allow', '\ufffe\uffff'],
    ['half a surrogate pair', '\ud800x'],
    ['bidi control characters', '\u202egnp.exe'],
    ['characters of other planes', '😀'],
  ])('prints valid XML, whatever the findings quote: %s', async (_, field) => {
    const files = { 'a.json': JSON.stringify({ score: 1, [field]: 1 }) };
    const args = ['grade', 'a.json', '--strict', '--format', 'junit'];
    const { stdout } = await validate(args, files);
    const [only] = readJunit(stdout).cases;
    expect(only?.failure?.message).toContain('is not a field of a grade submission');
    expect(only?.failure?.message).not.toMatch(/(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u);
  });

  test('keeps the text of a finding unchanged if XML allows it', async () => {
    const field = '<b> & "q" \'s\' ]]> é😀';
    const files = { 'a.json': JSON.stringify({ score: 1, [field]: 1 }) };
    const { stdout } = await validate(['grade', 'a.json', '--strict', '--format', 'junit'], files);
    const message = readJunit(stdout).cases[0]?.failure?.message;
    expect(message).toBe(`${field} is not a field of a grade submission`);
  });
});

test('validate --format text is the default, and table its former name', async () => {
  const files = { 'a.json': '{"score":2}' };
  const without = await validate(['grade', 'a.json'], files);
  for (const name of ['text', 'table']) {
    const { exit, stdout } = await validate(['grade', 'a.json', '--format', name], files);
    expect([exit, stdout]).toEqual([without.exit, without.stdout]);
  }
});
