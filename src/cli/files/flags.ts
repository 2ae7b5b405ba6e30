import { defineFlags, type OptionsOf } from '../arguments/flags.ts';
import { LIMIT_FLAG, wholeNumber } from '../arguments/numbers.ts';

const CONCURRENCY = defineFlags({
  '--concurrency <n>': {
    help: 'maximum parallel transfers',
    parse: wholeNumber({ from: 1, to: 32 }),
    default: 4,
  },
});

export const DOWNLOAD_FLAGS = defineFlags({
  '--all': 'all files of the row',
  '--to <folder>': 'folder to write to; files are named by their keys',
  '-o, --output <file>': 'file to write a single file to; - for standard output',
  '--overwrite': 'replace existing files',
  ...CONCURRENCY,
});

export const LS_FLAGS = defineFlags({
  '--sort <by>': {
    help: 'sort by name (default), size or date, ascending',
    choices: ['name', 'size', 'date'],
  },
  '--reverse': 'reverse the order',
  ...LIMIT_FLAG,
});
export type FilesLsOptions = OptionsOf<typeof LS_FLAGS>;

export const RM_FLAGS = defineFlags({
  '--all': 'all files of the row',
  '--dry-run': 'show what would be deleted without deleting it',
  ...CONCURRENCY,
});

export const STAT_FLAGS = defineFlags({ '--show-url': 'include the signed download URL' });

export const SYNC_FLAGS = defineFlags({
  '--delete': 'delete files that the source does not have',
  '--max-delete <n>': {
    help: 'change nothing if more files than this would be deleted',
    parse: wholeNumber({ from: 0 }),
  },
  '--include <glob>': {
    help: 'include only matching keys (repeatable)',
    repeat: true,
    default: [],
  },
  '--exclude <glob>': { help: 'exclude matching keys (repeatable)', repeat: true, default: [] },
  '--checksum': 'compare files of equal size by content instead of date',
  '--follow-symlinks': 'follow symbolic links',
  '--dry-run': 'show the plan without changing anything',
  ...CONCURRENCY,
});
export type FilesSyncOptions = OptionsOf<typeof SYNC_FLAGS>;

export const UPLOAD_FLAGS = defineFlags({
  '--key <key>': 'file key (default: the base name)',
  '--prefix <text>': 'prefix of each key, before the base name',
  '--mimetype <type>': 'media type (default: guessed from the name)',
  '--filename <name>': 'file name of downloads (default: the key)',
  '--attachment': 'browsers save the file instead of showing it',
  '--follow-symlinks': 'follow symbolic links',
  '--dry-run': 'show the declarations without sending them',
  ...CONCURRENCY,
});
export type FilesUploadOptions = OptionsOf<typeof UPLOAD_FLAGS>;
