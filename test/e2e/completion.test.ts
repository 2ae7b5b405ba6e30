import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BINARY } from '../support/binary.ts';
import { environment, lectern, temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';

/**
 * Completes a line in real bash, as readline would: the words, and what it puts in the last one's
 * place. Two launches are saved.
 */
async function completedInBash(words: readonly string[]): Promise<string[]> {
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor('https://service.example'));
  for (const name of ['monday', 'tuesday']) {
    await lectern(['launch', 'save', name, '-'], { home, input });
  }
  const bin = temporaryFolder();
  writeFileSync(`${bin}/lectern`, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(`${bin}/lectern`, 0o755);
  const script = `
    source <(lectern completion bash) || exit
    complete -p lectern >/dev/null || exit
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _lectern lectern
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...environment({ home }), PATH: `${bin}:${process.env.PATH}` };
  return execFileSync('bash', ['-c', script, 'bash', ...words], { env })
    .toString()
    .trimEnd()
    .split('\n');
}

/** An export with a column of student IDs. */
const GRADES = fileURLToPath(new URL('../../docs/examples/grades.csv', import.meta.url));

test.each<[words: string[], found: string[]]>([
  [['lectern', 'stor'], ['storage']],
  [['lectern', 'storage', 'get', 'member_'], ['member_location']],
  [
    ['lectern', 'launch', 'use', ''],
    ['monday', 'tuesday'],
  ],
  // Bash breaks words at an equals sign, and wants only what comes after it.
  [['lectern', '--launch', '=', 'mo'], ['monday']],
  [
    ['lectern', '--launch', '='],
    ['monday', 'tuesday'],
  ],
  [['lectern', '--launch', '=', 'monday', 'storage', 'pu'], ['put']],
  [['lectern', 'grade', 'submit', '--from', GRADES, '--map', 'student_id', '=', 'mem'], ['member']],
  [
    ['lectern', 'grade', 'submit', '--map', 'a', '=', 'b', '--activity-progress', 'Com'],
    ['Completed'],
  ],
  // Nothing is put in, and bash completes files.
  [['lectern', 'validate', 'row', ''], ['']],
])('%j in bash: %j', async (words, found) => {
  expect(await completedInBash(words)).toEqual(found);
});
