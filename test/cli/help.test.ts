import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitMeaning } from '../../src/cli/exit-codes.ts';
import { commandTree } from '../support/command-tree.ts';

const COLUMNS = 80;

/** The help of a command as it is printed, with what follows its flags. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** A help whose exit codes are a line, and each code with its meaning as it was printed. */
function withoutMeanings(help: string): { short: string; meanings: [number, string][] } {
  const [, block = ''] = /\nExit codes:\n((?: .+\n)+)/.exec(help) ?? [];
  const meanings = [...block.matchAll(/^ +(\d+) {2}(\S.*(?:\n {7}.*)*)/gm)].map(
    ([, code, meaning = '']): [number, string] => [Number(code), meaning.replaceAll(/\s+/g, ' ')],
  );
  const codes = meanings.map(([code]) => code).join(', ');
  return { short: help.replace(`codes:\n${block}`, `codes: ${codes}\n`), meanings };
}

test('the help of every command equals its snapshot, and fits into 80 columns', async () => {
  const nouns = new Map<string, string[]>();
  for await (const { path: words, command } of commandTree({ columns: COLUMNS })) {
    const path = `lectern ${words}`.trim();
    const help = helpOf(command);
    const tooLong = help.split('\n').filter((line) => line.length > COLUMNS);
    expect({ path, tooLong }).toEqual({ path, tooLong: [] });
    expect(help).toContain(path === 'lectern' ? '--launch <name|file>' : 'lectern help flags');
    const { short, meanings } = withoutMeanings(help);
    expect([path, meanings]).toEqual([path, meanings.map(([code]) => [code, exitMeaning(code)])]);
    expect([path, meanings.length > 0]).toEqual([path, help.includes('Exit codes:')]);
    const [noun = ''] = words.split(' ');
    nouns.set(noun, [...(nouns.get(noun) ?? []), `$ ${path} --help\n${short}`]);
  }
  expect([...nouns.values()].flat().length).toBeGreaterThan(40);
  for (const [noun, texts] of nouns) {
    await expect(texts.join('\n')).toMatchFileSnapshot(`help/${noun || 'lectern'}.txt`);
  }
});
