import { kindOf } from '../../contract/index.ts';
import { KINDS } from '../../validator/schema.ts';
import { CONTRACT_HELP, contractDate, number } from '../arguments/numbers.ts';
import { defineFlags, type OptionsOf } from '../arguments/flags.ts';
import { FORMAT_FLAG } from '../arguments/formats.ts';
import { rowName } from '../arguments/rows.ts';
import { GRADE_FILE_FLAGS } from '../grade/flags.ts';

export const SCHEMA_FLAG = defineFlags({
  '--schema <kind>': { help: 'print the JSON Schema of a payload kind', choices: KINDS },
});

export const VALIDATE_REPORT_FLAGS = defineFlags({
  '--strict': 'treat warnings as errors',
  '--format <format>': FORMAT_FLAG,
});

const KIND_FLAG = defineFlags({
  '--kind <row>': {
    help: 'the row it is for, whose limits apply',
    parse: (name) => kindOf(rowName(name)),
  },
});

const percent = number({ from: 1, to: 100 });

/** `warnAt` is a fraction from 0 to 1. */
export const VALIDATE_ROW_FLAGS = defineFlags({
  ...KIND_FLAG,
  '--warn-at <percent>': {
    help: 'warn at this percentage of the size limit (default: 80%)',
    parse: (text) => percent(text.replace(/%$/, '')) / 100,
  },
  ...VALIDATE_REPORT_FLAGS,
});

export const VALIDATE_PATCH_FLAGS = defineFlags({
  '--against <rowfile>': 'the current row; - for standard input',
  ...VALIDATE_ROW_FLAGS,
});

export const VALIDATE_FILE_FLAGS = defineFlags({
  '--key <key>': 'file key (default: the base name)',
  '--with <listing>': 'file listing of the row, from: lectern files ls ROW --json',
  ...KIND_FLAG,
  ...VALIDATE_REPORT_FLAGS,
});

export const VALIDATE_GRADES_FLAGS = defineFlags({ ...GRADE_FILE_FLAGS, ...VALIDATE_REPORT_FLAGS });
export type ValidateGradesOptions = OptionsOf<typeof VALIDATE_GRADES_FLAGS>;

export const VALIDATE_LAUNCH_FLAGS = defineFlags({
  '--contract <date>': { help: CONTRACT_HELP, parse: contractDate },
  ...VALIDATE_REPORT_FLAGS,
});
