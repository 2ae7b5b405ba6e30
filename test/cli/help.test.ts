import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandTree } from '../support/command-tree.ts';

const COLUMNS = 80;

/** The help of a command as it is printed, with what stands below it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test('the help of every command is as it was, and fits 80 columns', async () => {
  const texts: string[] = [];
  for await (const { path: words, command } of commandTree({ columns: COLUMNS })) {
    const path = `lectern ${words}`.trim();
    const help = helpOf(command);
    const tooLong = help.split('\n').filter((line) => line.length > COLUMNS);
    expect({ path, tooLong }).toEqual({ path, tooLong: [] });
    expect(help).toContain(path === 'lectern' ? '--launch <name|file>' : 'lectern help flags');
    texts.push(`$ ${path} --help\n${help}`);
  }
  expect(texts.length).toBeGreaterThan(40);
  await expect(texts.join('\n')).toMatchFileSnapshot('help.txt');
});
