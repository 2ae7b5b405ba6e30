import { type Command, Option } from 'commander';
import { kindOf } from '../../../contract/index.ts';
import { number } from '../../arguments/numbers.ts';
import { rowName } from '../../arguments/rows.ts';
import type { Format } from '../../validate/report.ts';

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

/** How help explains what a payload is read from. */
export const PAYLOADS_ARGUMENT = 'files, folders of .json files, or - for standard input';

const FORMATS: readonly Format[] = ['table', 'json', 'sarif'];

/** Adds the flags of the report. */
export function addReportFlags(command: Command): Command {
  return command
    .option('--strict', 'warnings count: with one, a payload is invalid')
    .addOption(
      new Option('--format <format>', 'how to print it; sarif is for code scanning').choices(
        FORMATS,
      ),
    );
}
