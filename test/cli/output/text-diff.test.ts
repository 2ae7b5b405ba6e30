import { applyPatch } from 'diff';
import { array, assert, constantFrom, property, runs } from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { colorsWith } from '../../../src/cli/colors.ts';
import { unifiedDiff } from '../../../src/cli/storage/difference.ts';

const plain = colorsWith(false);
const diff = (before: string, after: string): string =>
  unifiedDiff(['old', before], ['new', after], plain, (text) => text);

describe('a unified diff', () => {
  test('of equal texts is empty', () => {
    expect(diff('a\nb', 'a\nb')).toBe('');
  });

  test('shows three lines around each change, and joins hunks that meet', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
    const after = before.toSpliced(1, 1, 'B').toSpliced(7, 1);
    expect(diff(before.join('\n'), after.join('\n'))).toBe(
      '--- old\n+++ new\n@@ -1,11 +1,10 @@\n a\n-b\n+B\n c\n d\n e\n f\n g\n-h\n i\n j\n k\n',
    );
  });

  test('is accepted by patch, which turns one text into the other', () => {
    const lines = array(constantFrom('{', '}', '  "a": 1,', '  "b": 2'), { maxLength: 40 });
    assert(
      property(lines, lines, (before, after) => {
        const [old = '', now = ''] = [before, after].map((each) => each.join('\n'));
        const text = diff(old, now);
        expect(text === '' ? old : applyPatch(`${old}\n`, text)).toBe(
          text === '' ? now : `${now}\n`,
        );
      }),
      runs(100),
    );
  });

  test('of 60,000 lines with 30,000 changes shows the whole text', () => {
    const old = Array.from({ length: 60_000 }, (_, index) => `  "key ${index}": ${index % 9},`);
    const before = old.join('\n');
    const after = old.map((line, at) => (at % 2 === 0 ? `${line} ` : line)).join('\n');
    const text = diff(before, after);
    expect(text.split('\n-')).toHaveLength(60_001);
    expect(applyPatch(`${before}\n`, text)).toBe(`${after}\n`);
  });
});
