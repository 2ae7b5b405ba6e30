import { isRow } from '../arguments/rows.ts';
import * as flags from '../files/flags.ts';
import { defineCommand, type Noun, unlessDryRun, verbs } from '../declare/define.ts';
import { CALL_EXITS, WRITE_EXITS } from './exits.ts';

const ROW = {
  name: '[row]',
  help: 'context, location, member, member_location or a files URL',
} as const;
const KEYS = { name: '[key...]', help: 'file keys' } as const;

/** What is listed: the results, or with `--dry-run` the plan. */
const LISTS = {
  which: ({ dryRun }: { readonly dryRun?: boolean }) => (dryRun ? 'plan' : 'results'),
  columns: async (list: string | undefined) =>
    list === 'plan'
      ? (await import('../output/dry-run.ts')).REQUESTS
      : (await import('../output/files.ts')).FILE_RESULTS,
};

export const filesNoun: Noun = {
  commands: verbs({
    ls: defineCommand({
      summary: 'list the files of a row',
      description:
        'List the files of a row with size and date, and how much of the quota they use.',
      args: [ROW],
      flags: flags.LS_FLAGS,
      examples: ['lectern files ls location --sort size --reverse'],
      exits: CALL_EXITS,
      list: { columns: async () => (await import('../output/files.ts')).LISTING },
      load: async () => (await import('../files/ls.ts')).runLs,
    }),
    stat: defineCommand({
      summary: 'show the record of one file',
      description:
        'Show all fields of a file. The signed download URL lets anyone read the file and is shown only with --show-url.',
      args: [ROW, { name: '[key]', help: 'the file key' }],
      flags: flags.STAT_FLAGS,
      examples: ['lectern files stat location rubric.txt'],
      exits: CALL_EXITS,
      load: async () => (await import('../files/stat.ts')).runStat,
    }),
    upload: defineCommand({
      summary: 'upload files',
      description:
        'Upload files, replacing files with the same key. Limits are checked before anything is sent, and each upload is verified afterwards.',
      args: [ROW, { name: '[path...]', help: 'files and globs; - for standard input' }],
      flags: flags.UPLOAD_FLAGS,
      examples: [
        'lectern files upload location rubric.txt',
        'lectern files upload location rubric.txt --key rubric-2 --attachment',
      ],
      exits: [...WRITE_EXITS, 9],
      changes: unlessDryRun,
      list: LISTS,
      load: async () => (await import('../files/upload.ts')).runUpload,
    }),
    download: defineCommand({
      summary: 'download files',
      description:
        'Download files; a partial file is never left behind. A single file is written to standard output if that is a pipe, otherwise to the current folder.',
      args: [ROW, KEYS],
      flags: flags.DOWNLOAD_FLAGS,
      examples: [
        'lectern files download location rubric.txt --output copy.txt',
        'lectern files download location --all --to backup',
      ],
      exits: [...CALL_EXITS, 3, 9],
      list: { columns: LISTS.columns },
      load: async () => (await import('../files/download.ts')).runDownload,
    }),
    rm: defineCommand({
      summary: 'delete files',
      description: 'Delete files. A missing key is not an error.',
      args: [ROW, KEYS],
      flags: flags.RM_FLAGS,
      examples: ['lectern files rm location rubric-2 --yes'],
      exits: [...WRITE_EXITS, 9],
      changes: unlessDryRun,
      list: LISTS,
      load: async () => (await import('../files/rm.ts')).runRm,
    }),
    sync: defineCommand({
      summary: 'synchronize a folder and the files of a row',
      description:
        'Make the destination match the source: DIR ROW uploads, ROW DIR downloads. Files are compared by size, then by date. For a folder named like a row, write ./member.',
      args: [
        { name: '<from>', help: 'a folder, or a row' },
        { name: '<to>', help: 'a row, or a folder' },
      ],
      flags: flags.SYNC_FLAGS,
      examples: [
        'lectern files sync handouts location --dry-run',
        'lectern files sync location copies',
      ],
      exits: [...WRITE_EXITS, 9],
      changes: (options, _, to) => unlessDryRun(options) && isRow(to),
      list: {
        which: LISTS.which,
        columns: async (list) => {
          const { FILE_RESULTS, STEPS } = await import('../output/files.ts');
          return list === 'plan' ? STEPS : FILE_RESULTS;
        },
      },
      load: async () => (await import('../files/sync.ts')).runSync,
    }),
  }),
};
