import { Argument, Option, type Command } from 'commander';
import { wholeNumber } from '../arguments/numbers.ts';
import type { Runtime } from '../runtime.ts';
import { verb } from './group.ts';

const LISTS = ['members', 'tokens', 'rows', 'files', 'attempts', 'gradebook'];

/** What an emulator has, a part at a time: `state` prints all of it at once. */
export function registerViews(parent: Command, runtime: Runtime): void {
  parent
    .command('summary')
    .summary('show how much there is of everything')
    .description(
      'Show how many tools, courses, members, rows, files, attempts and tokens there are.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runSummary } = await import('../emulator/views.ts');
        await runSummary(context);
      }),
    );
  parent
    .command('show')
    .summary('show members, tokens, rows, files, attempts or grades')
    .description(
      'Show a part of the state, a page at a time. Tokens are named by their launch. Attempts and tokens are shown newest first.',
    )
    .addArgument(new Argument('<what>', 'what to show').choices(LISTS))
    .option('--search <text>', 'only what has this text in its IDs, names or messages')
    .option('--course <id>', 'only members of this course')
    .option('--location <id>', 'only attempts or grades of this location')
    .option('--member <id>', 'only attempts of this member')
    .option('--row <row>', 'the files of this row')
    .option('--live', 'only tokens that are live')
    .option('--limit <n>', 'items on a page (default: 50)', wholeNumber({ from: 1, to: 500 }))
    .option('--after <page>', 'the page after, as the page before named it')
    .action(
      verb(runtime, async (context, what) => {
        const { runList } = await import('../emulator/views.ts');
        await runList(context, what);
      }),
    );
  registerRow(parent, runtime);
  parent
    .command('events')
    .summary('follow requests and changes')
    .description(
      'Print requests and changes as they happen, one JSON object per line, until interrupted. Each has a number to go on from.',
    )
    .option('--after <number>', 'begin after this event', wholeNumber({ from: 0 }))
    .action(
      verb(runtime, async (context) => {
        const { runEvents } = await import('../emulator/views.ts');
        await runEvents(context);
      }),
    );
}

function registerRow(parent: Command, runtime: Runtime): void {
  parent
    .command('row')
    .summary('print or write a row, or list its versions')
    .description(
      'Print the bytes of a row, as named by emulator show rows. --put writes it by the rules of a PUT, without a launch. The last 20 versions since the start are kept in memory; the service keeps none.',
    )
    .argument('<row>', 'such as member/essay/member-111')
    .addOption(
      new Option('--versions', 'list the last versions').conflicts(['put', 'versionNumber']),
    )
    .addOption(
      new Option('--version-number <n>', 'print this version')
        .argParser(wholeNumber({ from: 1 }))
        .conflicts('put'),
    )
    .option('--put <file>', 'write this file (- for standard input)')
    .action(
      verb(runtime, async (context, row) => {
        const { runRow } = await import('../emulator/row.ts');
        await runRow(context, row);
      }),
    );
}
