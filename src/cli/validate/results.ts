import { UsageError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Kind } from '../../validator/schema.ts';
import { formatOf } from '../arguments/formats.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { filesBelow } from '../input/folder.ts';
import { readInput } from '../input/read.ts';
import {
  type Checked,
  findingsTable,
  findingsText,
  isFailure,
  isValid,
  resultsJson,
  summary,
} from '../output/validate.ts';
import type { Context, Runtime } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, printTable } from '../output/print.ts';
import type { ValidateReportOptions } from './flags.ts';

/** Checks every payload of a kind that the arguments name, and reports the findings. */
export async function checkPayloads(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  paths: readonly string[],
  check: (bytes: Uint8Array, source: string) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<void> {
  const results: Checked[] = [];
  for (const path of await expand(context, paths)) {
    const { bytes } = await readInput(context, path, `the ${kind}`);
    const source = path ?? STANDARD_INPUT;
    results.push({ source, findings: await check(bytes, source) });
  }
  await reportResults(context, kind, results);
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
      if (isPayload(file.name)) payloads.add(file.path);
    if (payloads.size === before) throw new UsageError(`${path} contains no .json files`);
  }
  return [...payloads];
}

/** Hidden files are not checked. */
function isPayload(name: string): boolean {
  return name.endsWith('.json') && !name.split('/').some((part) => part.startsWith('.'));
}

/** Checks each input that the arguments name, or standard input, and reports the findings. */
export async function checkInputs(
  context: Context<ValidateReportOptions>,
  kind: Kind,
  named: readonly string[],
  usage: { readonly missing: string; readonly pass: string },
  check: (source: string) => Promise<Checked>,
): Promise<void> {
  if (named.length === 0 && context.stdin.isTerminal) {
    throw new UsageError(usage.missing, `pass ${usage.pass}, or - for standard input`);
  }
  const results: Checked[] = [];
  for (const source of named.length === 0 ? [STANDARD_INPUT] : named) {
    results.push(await check(source));
  }
  await reportResults(context, kind, results);
}

/** Prints the findings, and ends with exit 3 if a payload is invalid. */
export async function reportResults(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<void> {
  const strict = context.options.strict === true;
  await printResults(context, kind, results);
  const text = summary(results, strict);
  const invalid = results.find((result) => !isValid(result, strict));
  if (invalid === undefined) {
    await note(context, text);
    return;
  }
  const worst =
    invalid.findings.find(({ severity }) => severity === 'error') ?? invalid.findings[0];
  throw new ExitError(EXIT.invalid, worst?.code ?? 'invalid', text);
}

async function printResults(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<void> {
  const { options, stdout } = context;
  const strict = options.strict === true;
  // A file key is not a path.
  const isOfFiles = kind !== 'key';
  switch (formatOf(options)) {
    case 'json':
      return printJson<'validate row'>(context, resultsJson(results, strict));
    case 'sarif':
      return printSarif(context, kind, results);
    case 'github': {
      const { githubLines } = await import('../output/github.ts');
      return stdout.write(githubLines(results, { strict, isOfFiles }));
    }
    case 'junit': {
      const { junitCases, junitXml } = await import('../output/junit.ts');
      const cases = junitCases(results, isOfFiles);
      const xml = junitXml(`lectern validate ${kind}`, cases, (each) => isFailure(each, strict));
      return stdout.write(xml);
    }
    case 'text':
      if (!stdout.isTerminal || context.fields) return printTable(context, findingsTable(results));
      return stdout.write(`${findingsText(results, stdout.columns, stdout.colors)}\n`);
  }
}

async function printSarif(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<void> {
  const { sarifLog, SARIF_MAX_RESULTS } = await import('../output/sarif.ts');
  await printJson<'validate row'>(context, sarifLog(results, kind, __VERSION__));
  const count = results.reduce((sum, { findings }) => sum + findings.length, 0);
  if (count <= SARIF_MAX_RESULTS) return;
  await note(
    context,
    `showing the first ${SARIF_MAX_RESULTS} of ${count} findings (the limit of SARIF)`,
  );
}
