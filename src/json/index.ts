/** Exact JSON: numbers keep their text, objects their order; one scanner reads values, places and duplicates. */
export * from './compare.ts';
export { compactSize, reformat, utf8Length, withoutStrings } from './reformat.ts';
export * from './levels.ts';
export * from './locate.ts';
export * from './native.ts';
export * from './print.ts';
export { parseJson } from './scan.ts';
export * from './utf8.ts';
export {
  type Json,
  JsonDepthError,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type ParsedJson,
  type ParsedObject,
} from './value.ts';
export * from './pointer.ts';
