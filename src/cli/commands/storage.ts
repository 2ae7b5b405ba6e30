import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';
import { wholeNumber, number } from '../arguments/numbers.ts';
import type { TypedOperation } from '../storage/patch-source.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const storage = group(program, 'storage', summary);
  registerGet(storage, runtime);
  registerPut(storage, runtime);
  registerPatch(storage, runtime);
  registerEdit(storage, runtime);
  registerDiff(storage, runtime);
  registerSize(storage, runtime);
  registerCopy(storage, runtime);
  registerHistory(storage, runtime);
  registerUndo(storage, runtime);
  registerWatch(storage, runtime);
}

/** How help explains ROW. */
const ROW_ARGUMENT =
  'context, location, member, member_location, parent_context, parent_location or a URL';

/** The flags of every command that writes a row. */
function addWriteFlags(command: Command): Command {
  return command
    .option('--dry-run', 'show what would be sent without sending it')
    .option('--no-history', 'do not save the previous version of the row');
}

function registerCopy(parent: Command, runtime: Runtime): void {
  const copy = parent
    .command('copy')
    .summary('copy one row to another')
    .description(
      'Replace the row TO with the row FROM, for example: storage copy parent_context context. Shows which keys would be removed and asks for confirmation.',
    )
    .argument('<from>', ROW_ARGUMENT)
    .argument('<to>', ROW_ARGUMENT);
  addWriteFlags(copy).action(
    verb(runtime, async (context, from, to) => {
      const { runCopy } = await import('../storage/copy.ts');
      await runCopy(context, from, to);
    }),
  );
}

function registerDiff(parent: Command, runtime: Runtime): void {
  parent
    .command('diff')
    .summary('compare a row with a file, another row or a previous version')
    .description(
      'Show the changes from the row to a file or another row; without either, to its newest previous version that differs.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[other]', 'a file, - for standard input, or another row')
    .option('--image <id>', 'compare with this previous version (see storage history)')
    .option('--patch', 'print a JSON Patch instead of a text diff')
    .option('--exit-code', 'exit with 1 if there are differences')
    .action(
      verb(runtime, async (context, row, other) => {
        const { runDiff } = await import('../storage/diff.ts');
        await runDiff(context, [row, other]);
      }),
    );
}

function registerEdit(parent: Command, runtime: Runtime): void {
  const edit = parent
    .command('edit')
    .summary('edit a row in your editor')
    .description(
      'Open the row in $VISUAL or $EDITOR, show the changes, ask for confirmation, and send the smallest patch. Stops if the same values were changed elsewhere meanwhile.',
    )
    .argument('[row]', ROW_ARGUMENT);
  addWriteFlags(edit).action(
    verb(runtime, async (context, row) => {
      const { runEdit } = await import('../storage/edit.ts');
      await runEdit(context, row);
    }),
  );
}

function registerGet(parent: Command, runtime: Runtime): void {
  parent
    .command('get')
    .summary('print a row')
    .description(
      'Print a row, or the value at a JSON pointer, with indentation. Numbers, escapes and names are printed as the service wrote them.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[pointer]', 'an RFC 6901 JSON pointer, such as /settings/theme')
    .option(
      '--depth <n>',
      'show deeper objects and arrays by their number of keys or items',
      wholeNumber({ from: 1, to: 100 }),
    )
    .option('--raw', 'print the raw bytes')
    .action(
      verb(runtime, async (context, row, pointer) => {
        const { runGet } = await import('../storage/get.ts');
        await runGet(context, [row, pointer]);
      }),
    );
}

function registerHistory(parent: Command, runtime: Runtime): void {
  const history = parent
    .command('history')
    .summary('list the previous versions of rows')
    .description(
      'List the previous versions of rows, as they were before each write, newest first. They are kept on this machine: the newest 100 of each row, for 90 days.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option(
      '--limit <n>',
      'list at most this many (default on a terminal: 30)',
      wholeNumber({ from: 1 }),
    )
    .option('--show <id>', 'print the raw bytes of this previous version')
    .action(
      verb(runtime, async (context, row) => {
        const { runHistory } = await import('../storage/history.ts');
        await runHistory(context, row);
      }),
    );
  history
    .command('clear')
    .description('Delete all previous versions and overwrite them on disk.')
    .action(
      verb(runtime, async (context) => {
        const { runClear } = await import('../storage/history.ts');
        await runClear(context);
      }),
    );
  history
    .command('off')
    .description('Stop keeping previous versions.')
    .action(
      verb(runtime, async (context) => {
        const { runSwitch } = await import('../storage/history.ts');
        await runSwitch(context, false);
      }),
    );
  history
    .command('on')
    .description('Resume keeping previous versions.')
    .action(
      verb(runtime, async (context) => {
        const { runSwitch } = await import('../storage/history.ts');
        await runSwitch(context, true);
      }),
    );
}

function registerPatch(parent: Command, runtime: Runtime): void {
  // The three flags fill one list, which keeps the order they were typed in.
  const typed: TypedOperation[] = [];
  const collect =
    (op: TypedOperation['op']) =>
    (text: string): void =>
      void typed.push({ op, text });
  const patch = parent
    .command('patch')
    .summary('change parts of a row')
    .description(
      'Apply a JSON Patch with the operations add, replace and remove. The patch is tested on the current row first; there is no confirmation.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'an array of operations, or { "patch": [ … ] }; - for standard input')
    .option(
      '--add <ptr=text>',
      'add or set a value; PTR:=JSON for a value that is not text',
      collect('add'),
    )
    .option('--replace <ptr=text>', 'replace an existing value', collect('replace'))
    .option('--remove <ptr>', 'remove an existing value', collect('remove'))
    .option(
      '--no-check',
      'do not read the row first; the patch is not tested and no previous version is kept',
    );
  addWriteFlags(patch).action(
    verb(runtime, async (context, row, file) => {
      const { runPatch } = await import('../storage/patch.ts');
      await runPatch(context, [row, file], typed);
    }),
  );
}

function registerPut(parent: Command, runtime: Runtime): void {
  const put = parent
    .command('put')
    .summary('replace a row')
    .description(
      'Replace the whole row with a JSON object, sent byte for byte. Shows which keys would be removed and asks for confirmation.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'the new row; omit or - for standard input');
  addWriteFlags(put).action(
    verb(runtime, async (context, row, file) => {
      const { runPut } = await import('../storage/put.ts');
      await runPut(context, [row, file]);
    }),
  );
}

function registerSize(parent: Command, runtime: Runtime): void {
  parent
    .command('size')
    .summary('show the size of a row and of its keys')
    .description(
      'Show the size of a row as compact JSON, which is what its limit applies to, and the size of each key with its value, largest first.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .action(
      verb(runtime, async (context, row) => {
        const { runSize } = await import('../storage/size.ts');
        await runSize(context, row);
      }),
    );
}

function registerUndo(parent: Command, runtime: Runtime): void {
  const undo = parent
    .command('undo')
    .summary('restore a previous version of a row')
    .description(
      'Replace the row with a previous version: the one with ID, or the newest that differs. The replaced version is saved as well, so an undo can be undone.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[id]', 'ID of a previous version (see storage history)');
  addWriteFlags(undo).action(
    verb(runtime, async (context, row, id) => {
      const { runUndo } = await import('../storage/undo.ts');
      await runUndo(context, [row, id]);
    }),
  );
}

function registerWatch(parent: Command, runtime: Runtime): void {
  parent
    .command('watch')
    .summary('print each change of a row')
    .description(
      'Poll a row until interrupted and print each change as a JSON Patch. Each call restarts the 12-hour idle time of the token.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option('--interval <seconds>', 'time between two reads', number({ from: 0.1, to: 86_400 }), 5)
    .action(
      verb(runtime, async (context, row) => {
        const { runWatch } = await import('../storage/watch.ts');
        await runWatch(context, row);
      }),
    );
}
