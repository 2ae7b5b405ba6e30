/** Exact JSON: numbers keep their text, objects their order; one scanner reads values, places and duplicates. */
export * from './compare.ts';
export { compactSize, reformat, utf8Length, withoutStrings } from './reformat.ts';
export * from './native.ts';
export * from './print.ts';
export { locateAll, parseJson, sourceAt } from './scan.ts';
export * from './utf8.ts';
export * from './value.ts';
export * from './pointer.ts';
