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
    .option('--dry-run', 'show what would be sent, and write nothing')
    .option('--no-history', 'do not keep the row as it is now');
}

function registerCopy(parent: Command, runtime: Runtime): void {
  const copy = parent
    .command('copy')
    .summary('replace a row with another one')
    .description(
      'Replace the whole row TO with the bytes of FROM, for example parent_context with context. Shows which keys would go, and asks.',
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
    .summary('show what differs between a row and something else')
    .description(
      'Show what would make the row like a file, another row, or without either like its newest before-image that differs.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[other]', 'a file, - for standard input, or another row')
    .option('--image <id>', 'compare with this before-image, as storage history lists it')
    .option('--patch', 'print the JSON Patch instead of the lines')
    .option('--exit-code', 'end with 1 when there is a difference')
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
      'Open the row in $VISUAL or $EDITOR, show what changed, ask, and send the smallest patch. Stops where somebody else has changed the same.',
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
      'Print a row, or the value at a JSON pointer in it, laid out. Numbers, escapes and names stay as the service wrote them.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[pointer]', 'an RFC 6901 pointer, such as /settings/theme')
    .option('--raw', 'the very bytes, nothing added and nothing laid out')
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
    .summary('list the before-images kept on this machine')
    .description(
      'List the rows as they were before each write, kept on this machine: the newest 100 of a row, for 90 days.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option('--limit <n>', 'so many, the newest first', wholeNumber({ from: 1 }), 50)
    .option('--show <id>', 'the very bytes of one of them, be they JSON or not')
    .action(
      verb(runtime, async (context, row) => {
        const { runHistory } = await import('../storage/history.ts');
        await runHistory(context, row);
      }),
    );
  history
    .command('clear')
    .description('Let go of every before-image, and overwrite its bytes.')
    .action(
      verb(runtime, async (context) => {
        const { runClear } = await import('../storage/history.ts');
        await runClear(context);
      }),
    );
  history
    .command('off')
    .description('Keep no before-images from now on.')
    .action(
      verb(runtime, async (context) => {
        const { runSwitch } = await import('../storage/history.ts');
        await runSwitch(context, false);
      }),
    );
  history
    .command('on')
    .description('Keep before-images again.')
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
      'Apply a JSON Patch of add, replace and remove. It is tried on the row first; nothing is asked.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'an array of operations, or { "patch": [ … ] }; - for standard input')
    .option('--add <ptr=text>', 'add or set a value; PTR:=JSON for what is no text', collect('add'))
    .option('--replace <ptr=text>', 'replace a value that is there', collect('replace'))
    .option('--remove <ptr>', 'remove a value that is there', collect('remove'))
    .option('--no-check', 'do not read the row first: no trial, nothing kept of it');
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
      'Replace the whole row with a JSON object, sent byte for byte. Shows which keys would go, and asks.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'the new row; - or nothing for standard input');
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
    .summary('show what takes the space of a row')
    .description(
      'Show the size of a row as compact JSON, in which its limit is measured, and of each key with its value, the largest first.',
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
    .summary('bring a before-image back')
    .description(
      'Replace the row with a before-image: the newest that differs from it, or the one with ID. What is replaced is kept too, so that this can be undone.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[id]', 'of a before-image, as storage history lists it');
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
      'Read a row again and again until interrupted, and print each change as a JSON Patch. Each call keeps the token alive: it restarts its 12 hours.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .option(
      '--interval <seconds>',
      'from one reading to the next',
      number({ from: 0.1, to: 86_400 }),
      5,
    )
    .action(
      verb(runtime, async (context, row) => {
        const { runWatch } = await import('../storage/watch.ts');
        await runWatch(context, row);
      }),
    );
}
