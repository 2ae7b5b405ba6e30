import { expect, test } from 'vitest';
import { readSources } from './sources.ts';

/** The flags that decide what is printed, and what standard output is. */
const READS =
  /\boptions\.(?:json|quiet)\b|\bstdout\.isTerminal\b|\{[^{}]*\b(?:json|quiet)\b[^{}]*\} = (?:\w+\.)?options\b/g;

/** The demo plays on a terminal. */
const MAY_READ = /^src\/cli\/(?:output|demo)\//;

test('only src/cli/output knows what standard output is, and whether JSON is printed', () => {
  const verbs = [...readSources()].filter(
    ([file]) => file.startsWith('src/cli/') && !MAY_READ.test(file),
  );
  const found = verbs.flatMap(([file, text]) =>
    [...text.matchAll(READS)].map(([words]) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});
