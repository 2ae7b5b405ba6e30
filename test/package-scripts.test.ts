import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

const SHELL_SCRIPTS = ['.ci/run', '.ci/nightly', ...globSync('scripts/*.sh')];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

/** Of bash, and for the machine that checks a change. */
const FOR_BASH = ['nightly'];

test('each script of package.json also runs in cmd.exe', () => {
  const own = Object.entries(scripts).filter(([name]) => !FOR_BASH.includes(name));
  // cmd.exe passes single quotes on as they are, and knows no variable before a command.
  const withSingleQuotes = own.filter(([, line]) =>
    /'/.test(line.replace(/"[^"]*(\\"[^"]*)*"/g, '')),
  );
  const withVariable = own.filter(([, line]) => /(^|&& )[A-Z_]+=/.test(line));
  const withPath = own.filter(([, line]) => /(^|&& )\.\//.test(line));
  expect({ withSingleQuotes, withVariable, withPath }).toEqual({
    withSingleQuotes: [],
    withVariable: [],
    withPath: [],
  });
});

test.each(SHELL_SCRIPTS)('%s runs in bash 3.2, the version of macOS', (file) => {
  const newer = /declare -A|mapfile|readarray|,,\}|\^\^\}|wait -n|&>>|local \w+=\(\)/g;
  expect(readFileSync(file, 'utf8').match(newer)).toBeNull();
});
