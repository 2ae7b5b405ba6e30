import { bodyText } from '../../contract/index.ts';
import { JsonSyntaxError, reformat, parseJson } from '../../json/index.ts';
import { readOperations, type ReadPatch, readPatch } from '../../validator/patch.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import { rewrittenPointerHint } from '../arguments/rows.ts';
import type { UserInput } from '../input/read.ts';

export interface PatchSource {
  readonly source: string;
  readonly patch: ReadPatch;
}

/** Reads a patch from a file: the operations alone, or the whole body of a PATCH. */
export function patchOfFile({ source, bytes }: UserInput): PatchSource {
  const read = bodyText(bytes);
  const isList = 'text' in read && read.text.trimStart().startsWith('[');
  const patch = isList ? readOperations(read.text, { hasLines: true }) : readPatch(bytes);
  return { source, patch };
}

export interface TypedOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** `PTR:=JSON` or `PTR=TEXT`; for `remove` the pointer alone. */
  readonly text: string;
}

/** Makes a patch of operations in the order typed; values keep their exact digits. */
export function patchOfFlags(typed: readonly TypedOperation[]): PatchSource {
  const list = `[${typed.map(operationText).join(',')}]`;
  return { source: 'the patch', patch: readOperations(list, { hasLines: false }) };
}

function operationText({ op, text }: TypedOperation): string {
  const hint = rewrittenPointerHint(text);
  if (hint !== undefined) {
    throw new InvalidError(`--${op} ${JSON.stringify(text)} does not start with /`, {
      code: 'patch.path_malformed',
      hint,
    });
  }
  if (op === 'remove') return `{"op":"remove","path":${JSON.stringify(text)}}`;
  const equals = text.indexOf('=');
  if (equals === -1) {
    throw new UsageError(
      `--${op} ${JSON.stringify(text)} has no value`,
      `use --${op} /path=text, or --${op} /path:=JSON for a number, true, null, an object or an array`,
    );
  }
  const isJson = text[equals - 1] === ':';
  const path = text.slice(0, isJson ? equals - 1 : equals);
  const given = text.slice(equals + 1);
  const value = isJson ? jsonValue(op, path, given) : JSON.stringify(given);
  return `{"op":"${op}","path":${JSON.stringify(path)},"value":${value}}`;
}

function jsonValue(op: string, path: string, text: string): string {
  try {
    parseJson(text);
    return reformat(text, 0);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new InvalidError(`--${op} ${path}:= is not followed by valid JSON: ${error.message}`, {
      code: 'body.syntax',
      hint: `:= takes JSON; for text, use --${op} ${path}=…`,
    });
  }
}
