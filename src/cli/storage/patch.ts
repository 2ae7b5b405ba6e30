import type { PATCH_FLAGS, TypedOperation } from './flags.ts';
import { bodyText } from '../../contract/index.ts';
import { JsonSyntaxError, parseJson, reformat } from '../../json/index.ts';
import {
  patchBody,
  readOperations,
  type ReadPatch,
  readPatch,
  tryPatch,
} from '../../validator/patch.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { rewrittenPointerHint } from '../arguments/rows.ts';
import { readInput, type UserInput } from '../input/read.ts';
import type { Result } from '../output/result.ts';
import type { Runtime, Called } from '../runtime.ts';
import { noteWarnings, note } from '../output/notes.ts';
import { refuseErrors } from '../ask.ts';
import { dryRun } from '../output/dry-run.ts';
import { rowTargetAndRest } from '../session/resolve-call.ts';
import { runBlindWrite, runChange } from './change.ts';

export async function runPatch(
  context: Called<typeof PATCH_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const { options } = context;
  const { typed = [] } = options;
  const [target, file] = await rowTargetAndRest(context, 'storage', args);
  const { source, patch } = await patchGiven(context, file, typed);
  const { findings } = tryPatch(patch, { kind: target.kind });
  refuseErrors(findings, `${source} is not a valid patch`);
  const command = 'storage patch';
  if (options.check === false) {
    await noteWarnings(context, findings);
    await note(context, NOT_CHECKED);
    const write = { command, method: 'PATCH', body: patchBody(patch) } as const;
    return options.dryRun
      ? dryRun({ ...write, url: target.url, findings })
      : runBlindWrite(context, target, write, findings);
  }
  return runChange(
    context,
    target,
    { method: 'PATCH', command, source, plan: () => patch },
    { unchanged: () => 'the patch changes nothing; nothing was sent' },
  );
}

const NOT_CHECKED =
  'the row was not read: the patch is not tested, and no previous version is kept to undo it';

async function patchGiven(
  runtime: Runtime,
  file: string | undefined,
  typed: readonly TypedOperation[],
): Promise<PatchSource> {
  if (typed.length === 0) return patchOfFile(await readInput(runtime, file, 'the patch'));
  const patch = patchOfFlags(typed);
  if (file === undefined) return patch;
  throw new UsageError(
    'a patch comes from a file or from --add, --replace and --remove, not from both',
  );
}

interface PatchSource {
  readonly source: string;
  readonly patch: ReadPatch;
}

/** Reads a patch from a file: the operations alone, or the whole body of a PATCH. */
function patchOfFile({ source, bytes }: UserInput): PatchSource {
  const read = bodyText(bytes);
  const isList = 'text' in read && read.text.trimStart().startsWith('[');
  const patch = isList ? readOperations(read.text, { hasLines: true }) : readPatch(bytes);
  return { source, patch };
}

/** Makes a patch of operations in the order typed; values keep their exact digits. */
function patchOfFlags(typed: readonly TypedOperation[]): PatchSource {
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
