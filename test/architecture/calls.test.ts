import { type CallExpression, type NewExpression, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { parse, readSources, type Sources } from './sources.ts';

test('no call spreads a list of unknown length into its arguments', () => {
  // Some hundred thousand arguments overflow the stack, which a user would see as a bug.
  expect(spreadArguments(readSources()).filter((found) => !OF_KNOWN_LENGTH.test(found))).toEqual(
    [],
  );
});

/** Arguments as `...this`, with the file and the line. */
function spreadArguments(sources: Sources): string[] {
  const found: string[] = [];
  for (const [file, text] of sources) {
    const look = (node: CallExpression | NewExpression): void => {
      for (const argument of node.arguments) {
        if (argument.type !== 'SpreadElement') continue;
        const line = text.slice(0, argument.start).split('\n').length;
        found.push(`${file}:${line} ${text.slice(argument.start, argument.end)}`);
      }
    };
    new Visitor({ CallExpression: look, NewExpression: look }).visit(parse(file, text));
  }
  return found;
}

/** Parameters of our own statements, and what a file lists itself. */
const OF_KNOWN_LENGTH = new RegExp(
  [
    '^src/sqlite/database\\.ts:',
    '^src/emulator/control/fixture\\.ts:',
    '^src/(emulator|cli)/.*:\\d+ \\.\\.\\.[A-Z_]+$',
    '^src/cli/(emulator/control\\.ts:\\d+ \\.\\.\\.sent|declare/define\\.ts:\\d+ \\.\\.\\.called)',
  ].join('|'),
);
