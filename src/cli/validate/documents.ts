import { UsageError } from '../../errors.ts';
import { validateKey } from '../../validator/file.ts';
import { decodeClaims, validateLaunch } from '../../validator/launch.ts';
import { validateGrade, validateLocations } from '../../validator/payloads.ts';
import { simulatePatch } from '../../validator/patch.ts';
import { validateRow } from '../../validator/row.ts';
import { type Kind, schemaFor } from '../../validator/schema.ts';
import { checkedSeed } from '../input/document.ts';
import { readInput } from '../input/read.ts';
import { MAX_LAUNCH_BYTES } from '../sizes.ts';
import { share } from '../output/row-change.ts';
import type { Result } from '../output/result.ts';
import type { Called, Runtime } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { note } from '../output/notes.ts';
import { printJsonText } from '../output/print.ts';
import { STANDARD_INPUT, checkPayloads, reportResults } from './results.ts';
import type {
  VALIDATE_LAUNCH_FLAGS,
  VALIDATE_PATCH_FLAGS,
  VALIDATE_REPORT_FLAGS,
  VALIDATE_ROW_FLAGS,
} from './flags.ts';

/* The kinds of payload that are JSON documents, and their schemas; and keys. */

export async function runRow(
  context: Called<typeof VALIDATE_ROW_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  return checkPayloads(context, 'row', files, (bytes) => validateRow(bytes, context.options));
}

export async function runPatch(
  context: Called<typeof VALIDATE_PATCH_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  const against = await readAgainst(context, files);
  const { kind, warnAt } = context.options;
  return checkPayloads(context, 'patch', files, async (bytes, source) => {
    const { findings, size } = simulatePatch(bytes, { kind, warnAt, against });
    if (size !== undefined) {
      const part = kind === undefined ? '' : `, ${share(size, kind)}`;
      await note(context, `${source}: the resulting row has ${size} bytes${part}`);
    }
    return findings;
  });
}

async function readAgainst(
  context: Called<typeof VALIDATE_PATCH_FLAGS>,
  files: readonly string[],
): Promise<Uint8Array | undefined> {
  const { against } = context.options;
  if (against === undefined) return undefined;
  if (against === STANDARD_INPUT && (files.length === 0 || files.includes(STANDARD_INPUT))) {
    throw new UsageError('the row and the patch cannot both come from standard input');
  }
  return (await readInput(context, against, 'the row')).bytes;
}

export async function runGrade(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  return checkPayloads(context, 'grade', files, async (bytes, source) => {
    if (/\.[ct]sv$/i.test(source)) {
      await note(context, 'a grade file is checked by: lectern validate grades FILE');
    }
    return validateGrade(bytes);
  });
}

export async function runLaunch(
  context: Called<typeof VALIDATE_LAUNCH_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  const { options } = context;
  const how = { now: context.now(), contract: options.contract };
  if (files.length === 0 && options.launch !== undefined) {
    const { name, launch } = await launchNamed(context, options.launch);
    const { findings } = decodeClaims(launch.claims, how);
    return reportResults(context, 'launch', [{ source: name, findings }]);
  }
  return checkPayloads(context, 'launch', files, (bytes) => validateLaunch(bytes, how));
}

export async function runLocations(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  return checkPayloads(context, 'locations', files, (bytes) => validateLocations(bytes));
}

export async function runSeed(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  files: readonly string[],
): Promise<Result> {
  return checkPayloads(context, 'seed', files, async (bytes, source) => {
    return (await checkedSeed(context, source, bytes)).findings;
  });
}

export async function runKey(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  named: readonly string[],
): Promise<Result> {
  const keys: string[] = [];
  for (const each of named.length === 0 ? [STANDARD_INPUT] : named) {
    const given = each === STANDARD_INPUT ? await readKeys(context, named[0]) : [each];
    for (const key of given) keys.push(key);
  }
  const results = keys.map((source) => ({ source, findings: validateKey(source) }));
  return reportResults(context, 'key', results);
}

/** A key on each line; input without any line is one empty key. */
async function readKeys(runtime: Runtime, named: string | undefined): Promise<string[]> {
  const input = await readInput(runtime, named && STANDARD_INPUT, 'the key', MAX_LAUNCH_BYTES);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.bytes);
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

export async function runSchema(runtime: Runtime, kind: Kind): Promise<void> {
  await printJsonText(runtime, JSON.stringify(schemaFor(kind), null, 2));
}
