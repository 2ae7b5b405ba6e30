import { defineFlags } from '../arguments/flags.ts';
import { LIMIT_FLAG, number, wholeNumber } from '../arguments/numbers.ts';

export const WRITE_FLAGS = defineFlags({
  '--dry-run': 'show what would be sent without sending it',
  '--no-history': 'do not save the previous version of the row',
});

export const GET_FLAGS = defineFlags({
  '--depth <n>': {
    help: 'show deeper objects and arrays by their number of keys or items',
    parse: wholeNumber({ from: 1, to: 100 }),
  },
  '--raw': 'print the raw bytes',
});

export const DIFF_FLAGS = defineFlags({
  '--image <id>': 'compare with this previous version (see storage history)',
  '--patch': 'print a JSON Patch instead of a text diff',
  '--exit-code': 'exit with 1 if there are differences',
});

export const HISTORY_FLAGS = defineFlags({
  ...LIMIT_FLAG,
  '--show <id>': 'print the raw bytes of this previous version',
});

export interface TypedOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** `PTR:=JSON` or `PTR=TEXT`; for `remove` the pointer alone. */
  readonly text: string;
}

const typed =
  (op: TypedOperation['op']) =>
  (text: string): TypedOperation => ({ op, text });

/** The first three fill one list, which keeps the order in which they were typed. */
export const PATCH_FLAGS = defineFlags({
  '--add <ptr=text>': {
    help: 'add or set a value; PTR:=JSON if it is not text; a name with = needs a file',
    parse: typed('add'),
    repeat: true,
    into: 'typed',
  },
  '--replace <ptr=text>': {
    help: 'replace an existing value',
    parse: typed('replace'),
    repeat: true,
    into: 'typed',
  },
  '--remove <ptr>': {
    help: 'remove an existing value',
    parse: typed('remove'),
    repeat: true,
    into: 'typed',
  },
  '--no-check':
    'do not read the row first; the patch is not tested and no previous version is kept',
  ...WRITE_FLAGS,
});

export const BACKUP_FLAGS = defineFlags({ '--files': 'also download the files of each row' });

export const WATCH_FLAGS = defineFlags({
  '--interval <seconds>': {
    help: 'time between two reads',
    parse: number({ from: 0.1, to: 86_400 }),
    default: 5,
  },
});
