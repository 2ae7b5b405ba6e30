import fastJsonPatch, { type Operation as LibraryOperation } from 'fast-json-patch';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/rows/update.ts';

// Checked by the compiler: each of the two types is assignable to the other.
const toOurs = (operations: readonly LibraryOperation[]): readonly Operation[] => operations;
const toTheirs = (operations: readonly Operation[]): readonly LibraryOperation[] => operations;

test('the operation types of fast-json-patch and of the library are assignable to each other', () => {
  const patch = toOurs(fastJsonPatch.compare({ a: 1, b: 2 }, { a: 3, c: [] }));
  expect(patch.map(({ op, path }) => [op, path])).toEqual([
    ['remove', '/b'],
    ['replace', '/a'],
    ['add', '/c'],
  ]);
  const { newDocument } = fastJsonPatch.applyPatch({ a: 1, b: 2 }, toTheirs(patch));
  expect(newDocument).toEqual({ a: 3, c: [] });
});
