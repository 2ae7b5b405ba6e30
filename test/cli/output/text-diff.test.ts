import { applyPatch } from 'diff';
import { array, assert, constantFrom, property } from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { colorsWith } from '../../../src/cli/output/colors.ts';
import { unifiedDiff } from '../../../src/cli/output/text-diff.ts';

const plain = colorsWith(false);
const diff = (before: string, after: string): string =>
  unifiedDiff(['old', before], ['new', after], plain, (text) => text);

describe('a unified diff', () => {
  test('of the same texts is empty', () => {
    expect(diff('a\nb', 'a\nb')).toBe('');
  });

  test('shows three lines around each change, and one stretch where they meet', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
    const after = before.toSpliced(1, 1, 'B').toSpliced(7, 1);
    expect(diff(before.join('\n'), after.join('\n'))).toBe(
      '--- old\n+++ new\n@@ -1,11 +1,10 @@\n a\n-b\n+B\n c\n d\n e\n f\n g\n-h\n i\n j\n k\n',
    );
  });

  test('is taken by another program, which makes the one text of the other', () => {
    const lines = array(constantFrom('{', '}', '  "a": 1,', '  "b": 2'), { maxLength: 40 });
    assert(
      property(lines, lines, (before, after) => {
        const [old = '', now = ''] = [before, after].map((each) => each.join('\n'));
        const text = diff(old, now);
        expect(text === '' ? old : applyPatch(`${old}\n`, text)).toBe(
          text === '' ? now : `${now}\n`,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('of 60,000 lines with 5,000 changes takes no time worth a name', () => {
    const before = Array.from({ length: 60_000 }, (_, index) => `  "key ${index}": ${index % 9},`);
    const after = before.map((line, index) => (index % 12 === 0 ? `${line} ` : line));
    expect(diff(before.join('\n'), after.join('\n')).split('\n-')).toHaveLength(5001);
  });
});
