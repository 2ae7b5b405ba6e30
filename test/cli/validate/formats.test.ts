import { describe, expect, test } from 'vitest';
import { readJunit } from '../../support/junit.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { type Expected, type Given, step } from '../../support/steps.ts';

const FILES = {
  'right.json': '{"score":1}',
  'wrong, 1.json': '{\n "score": 2,\n "x": 1}',
  'doubtful.json': '{"score":1,"x":1}',
};
const NAMES = "right.json 'wrong, 1.json' doubtful.json";

/** What `validate` prints in a folder with these files. */
const printed = async (line: string, given: Given & Expected): Promise<string> =>
  (await step(`validate ${line}`, { cwd: temporaryFolder(), ...given })).stdout;

const casesOf = async (line: string, given: Given & Expected) =>
  readJunit(await printed(`${line} --format junit`, given)).cases;

describe('validate --format github', () => {
  test('prints one line for each finding, with file, line and column', async () => {
    const text = await printed(`grade ${NAMES} --format github`, { files: FILES, exit: 3 });
    expect(text.split('\n')).toEqual([
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

  test.each<[line: string, exit: number, stdout: string | RegExp]>([
    ['grade doubtful.json --strict', 3, /^::error file=doubtful\.json,/],
    ['grade right.json', 0, ''],
    // No file is named.
    ['grade -', 3, /^::error title=grade\.score_range::/],
    ["key 'a b'", 3, /^::error title=file\.key_invalid::invalid file key "a b"/],
  ])('prints warnings as errors with --strict, nothing without findings: %s', async (...row) => {
    const [line, exit, stdout] = row;
    await printed(`${line} --format github`, { files: FILES, input: '{"score":2}', exit, stdout });
  });

  test('escapes characters that would end a property, a message or a line', async () => {
    const name = 'a:b,c%d.json';
    const field = 'é\n::error::x\r%0A\u001b[31m';
    const files = { [name]: JSON.stringify({ score: 1, [field]: 1 }) };
    const text = await printed(`grade ${name} --format github`, { files });
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(text).toMatch(/^::warning file=a%3Ab%2Cc%25d\.json,line=1,/);
    expect(text).toContain('é%0A::error::x%0D%250A\\u{1b}[31m is not a field');
  });
});

describe('validate --format junit', () => {
  test('prints one case for each input, which fails if the input is invalid', async () => {
    const text = await printed(`grade ${NAMES} --format junit`, { files: FILES, exit: 3 });
    const { suite, cases } = readJunit(text);
    expect(suite).toBe('lectern validate grade');
    const failure = {
      message: 'score must be between 0 and 1',
      type: 'grade.score_range',
      text: expect.stringContaining('wrong, 1.json:2:11 /score: error: score must be'),
    };
    const of = (name: string, more: object) => ({
      name,
      classname: 'lectern.validate.grade',
      file: name,
      failure: undefined,
      output: undefined,
      ...more,
    });
    const output = expect.stringContaining('x is not a field of a grade submission');
    expect(cases).toEqual([
      of('right.json', {}),
      of('wrong, 1.json', { failure, output }),
      of('doubtful.json', { output: expect.stringContaining('doubtful.json:1:') }),
    ]);
  });

  test('fails for a warning only with --strict', async () => {
    const [lenient] = await casesOf('grade doubtful.json', { files: FILES });
    expect(lenient?.failure).toBeUndefined();
    const [strict] = await casesOf('grade doubtful.json --strict', { files: FILES, exit: 3 });
    expect(strict?.failure?.type).toBe('grade.unknown_field');
  });

  test('puts the number of other findings into the message', async () => {
    const files = { 'a.json': '{"score":2,"max_score":0,"comment":7}' };
    const [only] = await casesOf('grade a.json', { files, exit: 3 });
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
    const [only] = await casesOf('grade a.json --strict', { files, exit: 3 });
    expect(only?.failure?.message).toContain('is not a field of a grade submission');
    expect(only?.failure?.message).not.toMatch(/(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u);
  });

  test('keeps the text of a finding unchanged if XML allows it', async () => {
    const field = '<b> & "q" \'s\' ]]> é😀';
    const files = { 'a.json': JSON.stringify({ score: 1, [field]: 1 }) };
    const [only] = await casesOf('grade a.json --strict', { files, exit: 3 });
    expect(only?.failure?.message).toBe(`${field} is not a field of a grade submission`);
  });
});

test('validate --format text is the default, and table its former name', async () => {
  const files = { 'a.json': '{"score":2}' };
  const without = await printed('grade a.json', { files, exit: 3 });
  for (const name of ['text', 'table']) {
    expect(await printed(`grade a.json --format ${name}`, { files, exit: 3 })).toBe(without);
  }
});
