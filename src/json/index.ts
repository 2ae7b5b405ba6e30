/** Exact JSON: numbers keep their text, objects their order, and no depth of nesting crashes. */
export * from './compare.ts';
export { reformat } from './reformat.ts';
export * from './locate.ts';
export * from './native.ts';
export * from './parse.ts';
export * from './print.ts';
export { compactSize, utf8Length } from './size.ts';
export { membersOf, readName } from './spans.ts';
export * from './utf8.ts';
export {
  type Json,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type ParsedJson,
  type ParsedObject,
} from './value.ts';
export * from './pointer.ts';
