import { bodyText } from '../../contract/index.ts';
import { JsonSyntaxError, reformat, parseJson } from '../../json/index.ts';
import type { Finding } from '../../validator/finding.ts';
import {
  type PatchOptions,
  type ReadPatch,
  readPatch,
  type Simulation,
  tryPatch,
} from '../../validator/patch.ts';
import { UsageError } from '../../errors.ts';
import { InvalidError } from '../../errors.ts';
import type { UserInput } from '../input/read.ts';

/** A patch that was read, and how messages call where it comes from. */
export interface PatchSource {
  readonly source: string;
  readonly read: ReadPatch;
  /** How many lines of the body come before those of the source; undefined for what was typed. */
  readonly linesAbove: number | undefined;
}

/** Takes a patch from a file: the operations alone, or the whole body of a PATCH. */
export function patchOfFile({ source, bytes }: UserInput): PatchSource {
  const text = bodyText(bytes);
  if (!('text' in text) || !text.text.trimStart().startsWith('[')) {
    return { source, read: readPatch('text' in text ? text.text : bytes), linesAbove: 0 };
  }
  return { source, read: readPatch(`{"patch":\n${text.text}\n}`), linesAbove: 1 };
}

/** Tries a patch, on a row where there is one; the places in the findings are those of the source. */
export function tryPatchOf({ read, linesAbove }: PatchSource, options: PatchOptions): Simulation {
  const { findings, ...rest } = tryPatch(read, options);
  return { ...rest, findings: findings.map((each) => placed(each, linesAbove)) };
}

function placed(finding: Finding, linesAbove: number | undefined): Finding {
  if (linesAbove === undefined) return { ...finding, line: null, column: null };
  return finding.line === null ? finding : { ...finding, line: finding.line - linesAbove };
}

/** An operation as it was typed. */
export interface TypedOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** `PTR:=JSON` or `PTR=TEXT`; for `remove` the pointer alone. */
  readonly text: string;
}

/** Makes a patch of operations in the order typed; their values keep the digits they were typed with. */
export function patchOfFlags(typed: readonly TypedOperation[]): PatchSource {
  const body = `{"patch":[${typed.map(operationText).join(',')}]}`;
  return { source: 'the patch', read: readPatch(body), linesAbove: undefined };
}

function operationText({ op, text }: TypedOperation): string {
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
