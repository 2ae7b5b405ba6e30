import * as flags from '../storage/flags.ts';
import type { Context } from '../runtime.ts';
import { defineCommand, type Noun, unlessDryRun, verbs } from '../declare/define.ts';
import { CALL_EXITS, WRITE_EXITS } from './exits.ts';

const ROW = {
  name: '[row]',
  help: 'context, location, member, member_location, parent_context, parent_location or a URL',
} as const;

const DIR = { name: '<dir>', help: 'the folder of the backup' } as const;

const keepHistory = (keeps: boolean) => async () => {
  const { keepHistory: keep } = await import('../storage/history.ts');
  return (context: Context) => keep(context, keeps);
};

export const storageNoun: Noun = {
  commands: verbs({
    get: defineCommand({
      summary: 'print a row',
      description:
        'Print a row, or the value at a JSON pointer, with indentation. Numbers, escapes and names are printed as the service wrote them.',
      args: [ROW, { name: '[pointer]', help: 'an RFC 6901 JSON pointer, such as /settings/theme' }],
      flags: flags.GET_FLAGS,
      examples: [
        'lectern storage get member',
        'lectern storage get location /settings/title',
        'lectern storage get location --depth 1',
      ],
      exits: CALL_EXITS,
      load: async () => (await import('../storage/get.ts')).runGet,
    }),
    put: defineCommand({
      summary: 'replace a row',
      description:
        'Replace the whole row with a JSON object, sent byte for byte. Shows which keys would be removed and asks for confirmation.',
      args: [ROW, { name: '[file]', help: 'the new row; omit or - for standard input' }],
      flags: flags.WRITE_FLAGS,
      examples: ['lectern storage put member row.json --yes'],
      exits: WRITE_EXITS,
      changes: unlessDryRun,
      load: async () => (await import('../storage/replace.ts')).runPut,
    }),
    patch: defineCommand({
      summary: 'change parts of a row',
      description:
        'Apply a JSON Patch with the operations add, replace and remove. The patch is tested on the current row first; there is no confirmation.',
      args: [
        ROW,
        {
          name: '[file]',
          help: 'an array of operations, or { "patch": [ … ] }; - for standard input',
        },
      ],
      flags: flags.PATCH_FLAGS,
      examples: [
        'lectern storage patch member --add /page:=3 --add /theme=dark',
        'lectern storage patch member patch.json --dry-run',
      ],
      exits: WRITE_EXITS,
      changes: unlessDryRun,
      load: async () => (await import('../storage/patch.ts')).runPatch,
    }),
    edit: defineCommand({
      summary: 'edit a row in your editor',
      description:
        'Open the row in $VISUAL or $EDITOR, show the changes, ask for confirmation, and send the smallest patch. Stops if the same values were changed elsewhere.',
      args: [ROW],
      flags: flags.WRITE_FLAGS,
      examples: ['lectern storage edit member'],
      exits: WRITE_EXITS,
      changes: unlessDryRun,
      load: async () => (await import('../storage/edit.ts')).runEdit,
    }),
    diff: defineCommand({
      summary: 'compare a row with a file, another row or a previous version',
      description:
        'Show the changes from the row to a file or another row; without either, to its newest previous version that differs.',
      args: [ROW, { name: '[other]', help: 'a file, - for standard input, or another row' }],
      flags: flags.DIFF_FLAGS,
      examples: [
        'lectern storage diff member row.json',
        'lectern storage diff member row.json --patch',
      ],
      exits: [1, ...CALL_EXITS],
      load: async () => (await import('../storage/diff.ts')).runDiff,
    }),
    size: defineCommand({
      summary: 'show the size of a row and of its keys',
      description:
        'Show the size of a row as compact JSON, which is what its limit applies to, and the size of each key with its value, largest first.',
      args: [ROW],
      examples: ['lectern storage size location'],
      exits: CALL_EXITS,
      list: { columns: async () => (await import('../storage/size.ts')).SHARES },
      load: async () => (await import('../storage/size.ts')).runSize,
    }),
    copy: defineCommand({
      summary: 'copy one row to another',
      description:
        'Replace the row TO with the row FROM, for example: storage copy parent_context context. Shows which keys would be removed and asks for confirmation.',
      args: [
        { ...ROW, name: '<from>' },
        { ...ROW, name: '<to>' },
      ],
      flags: flags.WRITE_FLAGS,
      examples: ['lectern storage copy location member --yes'],
      exits: WRITE_EXITS,
      changes: unlessDryRun,
      load: async () => (await import('../storage/replace.ts')).runCopy,
    }),
    history: defineCommand({
      summary: 'list the previous versions of rows',
      description:
        'List the previous versions of rows, as they were before each write, newest first. They are kept on this machine: the newest 100 of each row, for 90 days.',
      args: [ROW],
      flags: flags.HISTORY_FLAGS,
      examples: ['lectern storage history', 'lectern storage history member --json'],
      exits: [6],
      list: {
        columns: async () => (await import('../output/images.ts')).IMAGES,
        not: ['show'],
      },
      load: async () => (await import('../storage/history.ts')).runHistory,
      commands: verbs({
        clear: defineCommand({
          description: 'Delete all previous versions and overwrite them on disk.',
          examples: ['lectern storage history clear --yes'],
          load: async () => (await import('../storage/history.ts')).runClear,
        }),
        off: defineCommand({
          description: 'Stop keeping previous versions.',
          examples: ['lectern storage history off'],
          load: keepHistory(false),
        }),
        on: defineCommand({
          description: 'Resume keeping previous versions.',
          examples: ['lectern storage history on'],
          load: keepHistory(true),
        }),
      }),
    }),
    undo: defineCommand({
      summary: 'restore a previous version of a row',
      description:
        'Replace the row with a previous version: the one with ID, or the newest that differs. The replaced version is saved as well, so an undo can be undone.',
      args: [ROW, { name: '[id]', help: 'ID of a previous version (see storage history)' }],
      flags: flags.WRITE_FLAGS,
      examples: ['lectern storage undo member --yes'],
      exits: WRITE_EXITS,
      changes: unlessDryRun,
      load: async () => (await import('../storage/replace.ts')).runUndo,
    }),
    watch: defineCommand({
      summary: 'print each change of a row',
      description:
        'Poll a row until interrupted and print each change as a JSON Patch. Each call restarts the 12-hour idle time of the token.',
      args: [ROW],
      flags: flags.WATCH_FLAGS,
      examples: ['lectern storage watch member --interval 5'],
      exits: [...CALL_EXITS, 130],
      list: {},
      load: async () => (await import('../storage/watch.ts')).runWatch,
    }),
    backup: defineCommand({
      summary: 'write the rows of a launch into a folder',
      description:
        'Write each row that the token may read into a new folder, byte for byte, with an index. A row that the service refuses is left out and listed. The same command continues a backup that ended with an error.',
      args: [DIR],
      flags: flags.BACKUP_FLAGS,
      examples: ['lectern storage backup monday-rows --files'],
      exits: [3, ...CALL_EXITS, 9],
      load: async () => (await import('../storage/backup.ts')).runBackup,
    }),
    restore: defineCommand({
      summary: 'write rows of a backup back',
      description:
        'Replace rows and files by those of a backup of the same course, placement and member: all of them, or the named rows. Shows what would change and asks once. Files that the backup does not have stay.',
      args: [DIR, { name: '[rows...]', help: 'context, location, member or member_location' }],
      flags: flags.WRITE_FLAGS,
      examples: ['lectern storage restore monday-rows member --dry-run'],
      exits: [1, ...WRITE_EXITS, 9],
      changes: unlessDryRun,
      load: async () => (await import('../storage/restore.ts')).runRestore,
    }),
  }),
};
