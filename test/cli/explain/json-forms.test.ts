import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { JSON_FORMS, WITHOUT_JSON } from '../../../src/cli/output/all-forms.ts';
import { commandTree } from '../../support/command-tree.ts';
import { checkJsonForms } from '../../support/json-forms.ts';
import { lectern } from '../../support/lectern.ts';

const explain = (...words: string[]) => lectern(['explain', 'json', ...words]);

test('every command has a JSON form, or prints no JSON', async () => {
  const formless: string[] = [];
  const known = [...Object.keys(JSON_FORMS), ...WITHOUT_JSON];
  for await (const { path, command } of commandTree()) {
    const isGroup = command.commands.length > 0 && !known.includes(path);
    if (!isGroup && !known.includes(path)) formless.push(path);
  }
  expect(formless).toEqual([]);
});

test('explain json lists the commands and what they print', async () => {
  const { exit, stdout } = await explain();
  expect([exit, stdout]).toEqual([
    0,
    expect.stringContaining('grade log\ta line each: an attempt'),
  ]);
  const listed = JSON.parse((await explain('--json')).stdout) as { command: string }[];
  expect(listed.map(({ command }) => command)).toEqual(Object.keys(JSON_FORMS));
});

test('explain json prints each schema unchanged, as a strict JSON Schema', async () => {
  const ajv = new Ajv2020({ strict: true, strictTuples: false, allowUnionTypes: true });
  ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  for (const command of Object.keys(JSON_FORMS)) {
    const { exit, stdout } = await explain(...command.split(' '));
    expect([command, exit]).toEqual([command, 0]);
    const schema = JSON.parse(stdout) as object;
    expect(schema).toMatchObject({ $schema: expect.stringContaining('2020-12') });
    expect(() => ajv.compile(schema)).not.toThrow();
  }
});

test.each([
  [['grade', 'submitt'], 'did you mean grade submit?'],
  [['nothing'], 'lectern explain json lists them'],
])('explain json %j is unknown: 2', async (words, hint) => {
  const { exit, stderr } = await explain(...words);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('explain only accepts a command after json: 2', async () => {
  expect((await lectern(['explain', 'limits', 'grade'])).exit).toBe(2);
});

const KEY = {
  name: 'quiz',
  origin: 'https://service.example',
  saved: '2026-10-13T08:00:00.000Z',
  current: true,
};
const SUMMARY = JSON.stringify({ summary: { run: 1 } });

test.each([
  ['a document that matches', ['key', 'list', '--json'], [KEY], undefined],
  ['a property without a schema', ['key', 'list', '--json'], [{ ...KEY, more: 1 }], 'more'],
  ['a missing property', ['key', 'list', '--json'], [{ name: 'quiz' }], 'origin'],
  ['a wrong type', ['-l', 'x', 'key', 'list', '--json'], { keys: [] }, 'array'],
  ['a line', ['grade', 'resume', '1', '--json'], `${SUMMARY}\n${SUMMARY}`, 'digest'],
  ['a text that is not JSON', ['key', 'list', '--json'], 'no saved keys', 'JSON'],
])('the JSON check of the tests decides for %s', (_, args, printed, complaint) => {
  const stdout = typeof printed === 'string' ? printed : JSON.stringify(printed);
  const check = () => checkJsonForms(args, { exit: 0, stdout, stderr: '' });
  if (complaint === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(complaint);
});
