import type { Command } from 'commander';
import { kindOf, type RowKind } from '../../../contract/index.ts';
import { validateRow } from '../../../validator/row.ts';
import { number } from '../../number-arguments.ts';
import type { Runtime } from '../../runtime.ts';
import { rowName } from '../../target.ts';
import { checkPayloads, PAYLOADS_ARGUMENT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions } from '../../validate/report.ts';

/** What `row` and `patch` are told of the row. */
export interface RowFlags extends ReportOptions {
  readonly kind?: RowKind;
  /** The part of the limit, from 0 to 1. */
  readonly warnAt?: number;
}

export function registerRow(parent: Command, runtime: Runtime): void {
  const row = parent
    .command('row')
    .summary('the JSON object of a row')
    .description(
      'Check what a PUT of a row would send: strict JSON, an object, its compact size against the limit of the row, and what is accepted but probably not meant.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(addSizeFlags(addKind(row))).action(async (files, _options, command: Command) => {
    const options: RowFlags = command.optsWithGlobals();
    await checkPayloads(runtime, options, 'row', files, (bytes) => validateRow(bytes, options));
  });
}

/** `--kind ROW`: whose limits hold. */
export function addKind(command: Command): Command {
  return command.option('--kind <row>', 'the row it is for, whose limits hold', (name) =>
    kindOf(rowName(name)),
  );
}

/** `--warn-at 80%`. */
export function addSizeFlags(command: Command): Command {
  return command.option(
    '--warn-at <percent>',
    'the part of the size limit from which to warn (default: 80%)',
    partOf,
  );
}

const percent = number({ from: 1, to: 100 });

function partOf(text: string): number {
  return percent(text.replace(/%$/, '')) / 100;
}
