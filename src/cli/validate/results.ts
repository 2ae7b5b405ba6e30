import { EXIT } from '../exit-codes.ts';
import type { Kind } from '../../validator/schema.ts';
import { ExitError } from '../errors.ts';
import {
  type Checked,
  findingsTable,
  findingsText,
  isFailure,
  isValid,
  resultsJson,
  summary,
} from '../output/validate.ts';
import { formatOf } from '../arguments/formats.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';
import type { ValidateReportOptions } from './flags.ts';

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
      if (!stdout.isTerminal) return printTable(context, findingsTable(results));
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
