import { UsageError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Kind } from '../../validator/schema.ts';
import { type Format, formatOf } from '../arguments/formats.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { filesBelow } from '../input/folder.ts';
import { readInput } from '../input/read.ts';
import type { Printed } from '../output/all-forms.ts';
import type { Drawn, Result } from '../output/result.ts';
import {
  type Checked,
  findingsTable,
  findingsText,
  isValid,
  located,
  resultsJson,
  SARIF_MAX_RESULTS,
  summary,
} from '../output/validate.ts';
import type { Called, Runtime } from '../runtime.ts';
import type { VALIDATE_REPORT_FLAGS } from './flags.ts';

/** Checks every payload of a kind that the arguments name, and reports the findings. */
export async function checkPayloads(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  kind: Kind | 'seed',
  paths: readonly string[],
  check: (bytes: Uint8Array, source: string) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<Result> {
  const results: Checked[] = [];
  for (const path of await expand(context, paths)) {
    const { bytes } = await readInput(context, path, `the ${kind}`);
    const source = path ?? STANDARD_INPUT;
    results.push({ source, findings: await check(bytes, source) });
  }
  return reportResults(context, kind, results);
}

export const STANDARD_INPUT = '-';

/**
 * The files in the arguments, each once, with those of a folder in its place; undefined if there
 * are no arguments.
 */
async function expand(
  runtime: Runtime,
  paths: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [undefined];
  const disk = await runtime.disk();
  const payloads = new Set<string>();
  for (const path of paths) {
    const facts =
      path === STANDARD_INPUT ? undefined : await disk.pathInfo(path, { followLinks: true });
    if (facts?.kind !== 'folder') {
      payloads.add(path);
      continue;
    }
    const before = payloads.size;
    for await (const file of filesBelow(disk, path))
      if (/\.json$/i.test(file.name)) payloads.add(file.path);
    if (payloads.size === before) throw new UsageError(`${path} contains no .json files`);
  }
  return [...payloads];
}

/** Checks each input that the arguments name, or standard input, and reports the findings. */
export async function checkInputs(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  kind: Kind,
  named: readonly string[],
  usage: { readonly missing: string; readonly pass: string },
  check: (source: string) => Promise<Checked>,
): Promise<Result> {
  if (named.length === 0 && context.stdin.isTerminal) {
    throw new UsageError(usage.missing, `pass ${usage.pass}, or - for standard input`);
  }
  const results: Checked[] = [];
  for (const source of named.length === 0 ? [STANDARD_INPUT] : named) {
    results.push(await check(source));
  }
  return reportResults(context, kind, results);
}

/** The findings; the command ends with exit 3 if a payload is invalid. */
export async function reportResults(
  { options }: Called<typeof VALIDATE_REPORT_FLAGS>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<Result> {
  const strict = options.strict === true;
  const text = summary(results, strict);
  const invalid = results.find((result) => !isValid(result, strict));
  const worst =
    invalid?.findings.find(({ severity }) => severity === 'error') ?? invalid?.findings[0];
  const { notes = [], ...shown } = await shownIn(formatOf(options), kind, results, strict);
  return invalid === undefined
    ? { ...shown, notes: [...notes, text] }
    : { ...shown, notes, exit: new ExitError(EXIT.invalid, worst?.code ?? 'invalid', text) };
}

async function shownIn(
  format: Format,
  kind: Kind | 'seed',
  results: readonly Checked[],
  strict: boolean,
): Promise<Result> {
  if (format === 'text') {
    const terminal: Drawn = {
      drawn: ({ columns, colors }) => `${findingsText(results, columns, colors)}\n`,
    };
    return { show: { table: findingsTable(results), terminal } };
  }
  const { inFormat, junitCases } = await import('../output/ci-formats.ts');
  // A file key is not a path.
  const isOfFiles = kind !== 'key';
  const json: Printed<'validate row'> = resultsJson(results, strict);
  const suite = `lectern validate ${kind}`;
  const cases = () => junitCases(results, isOfFiles);
  const shown = await inFormat(format, { results, kind, strict, isOfFiles, json, suite, cases });
  const count = format === 'sarif' ? located(results).length : 0;
  const cut = `showing the first ${SARIF_MAX_RESULTS} of ${count} findings (the limit of SARIF)`;
  return { ...shown, show: shown, notes: count > SARIF_MAX_RESULTS ? [cut] : [] };
}
