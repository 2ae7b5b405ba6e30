import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { JSON_FORMS, WITHOUT_JSON } from '../../../src/cli/output/all-forms.ts';
import { commandTree } from '../../support/command-tree.ts';
import { lectern } from '../../support/lectern.ts';
import { step } from '../../support/steps.ts';

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
  await step('explain json', { stdout: 'grade log\ta line each: an attempt' });
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

test('explain json rejects an unknown command, and explain a command after another word', async () => {
  await step(`
    explain json grade submitt # exit 2: did you mean grade submit?
    explain json nothing # exit 2: lectern explain json lists them
    explain limits grade # exit 2`);
});
