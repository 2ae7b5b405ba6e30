import { EXIT } from '../exit-codes.ts';
import type { Kind } from '../../validator/schema.ts';
import { ExitError } from '../errors.ts';
import { UsageError } from '../../errors.ts';
import {
  type Checked,
  findingsTable,
  findingsText,
  isValid,
  resultsJson,
  summary,
} from '../output/validate.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';
import type { ValidateReportOptions } from './flags.ts';

export type Format = 'table' | 'json' | 'sarif';

/** Prints what was found, and ends with exit 3 where a payload is invalid. */
export async function reportResults(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<void> {
  const strict = context.options.strict === true;
  await printResults(context, kind, results);
  const words = summary(results, strict);
  const invalid = results.find((result) => !isValid(result, strict));
  if (invalid === undefined) {
    await note(context, words);
    return;
  }
  const worst =
    invalid.findings.find(({ severity }) => severity === 'error') ?? invalid.findings[0];
  throw new ExitError(EXIT.invalid, worst?.code ?? 'invalid', words);
}

async function printResults(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  results: readonly Checked[],
): Promise<void> {
  const { options } = context;
  const { stdout } = context;
  const format = formatOf(options);
  if (format === 'json') {
    await printJson<'validate row'>(context, resultsJson(results, options.strict === true));
  } else if (format === 'sarif') {
    await printSarif(context, kind, results);
  } else if (stdout.isTerminal) {
    await stdout.write(`${findingsText(results, stdout.columns, stdout.colors)}\n`);
  } else {
    await printTable(context, findingsTable(results));
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

function formatOf({ format, json }: Context<ValidateReportOptions>['options']): Format {
  if (json && format === 'table') {
    throw new UsageError('--json and --format table exclude each other', 'use one of them');
  }
  return format ?? (json ? 'json' : 'table');
}
