import { Option, type Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { registerClock } from './emulator-clock.ts';
import { registerConsole } from './emulator-console.ts';
import { registerFault } from './emulator-fault.ts';
import { registerLaunches } from './emulator-launches.ts';
import { registerLms } from './emulator-lms.ts';
import { chaosFlags, registerReport, reportFlags } from './emulator-report.ts';
import { registerTool } from './emulator-tool.ts';
import { registerViews } from './emulator-views.ts';
import { group, verb } from './group.ts';
import { wholeNumber } from '../arguments/numbers.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const emulator = group(program, 'emulator', summary);
  registerStart(emulator, runtime);
  registerLaunches(emulator, runtime);
  registerState(emulator, runtime);
  registerViews(emulator, runtime);
  registerKey(emulator, runtime);
  registerLms(emulator, runtime);
  registerToken(emulator, runtime);
  registerTool(emulator, runtime);
  registerMember(emulator, runtime);
  registerClock(emulator, runtime);
  registerFault(emulator, runtime);
  registerRequests(emulator, runtime);
  registerReport(emulator, runtime);
  registerConsole(emulator, runtime);
  registerExec(emulator, runtime);
  registerReset(emulator, runtime);
  registerExport(emulator, runtime);
  registerImport(emulator, runtime);
}

function registerExec(parent: Command, runtime: Runtime): void {
  const exec = parent
    .command('exec')
    .summary('run a command with a temporary emulator')
    .usage('[options] -- command [arguments]')
    .description(
      "Run a command with a new in-memory emulator that stops when the command ends. Sets LECTERN_EMULATOR, LECTERN_HOME (a temporary folder) and LECTERN_LAUNCH (a file with an instructor's launch; student.json in the same folder has a student's). Exits with the exit code of the command; with --fail-on, else with 9 where the report has such a finding.",
    )
    .option('--seed <file>', 'JSON file with the initial courses; "example" is built in')
    .option(
      '--report [file]',
      'report on the command when it ends, as emulator report does; a file gets JSON, or SARIF where its name ends in .sarif',
    )
    .argument('<command...>', 'the command, after --');
  reportFlags(chaosFlags(exec)).action(
    verb(runtime, async (context, command: [string, ...string[]]) => {
      const { runExec } = await import('../emulator/exec.ts');
      await runExec(context, command);
    }),
  );
}

function registerExport(parent: Command, runtime: Runtime): void {
  parent
    .command('export')
    .summary('export all state to a file')
    .description(
      'Write all state of the emulator, uploaded files included, to one file. A partial file is never left behind.',
    )
    .argument(
      '<file>',
      'the file to write (replaced if it exists), a pipe, or - for standard output',
    )
    .action(
      verb(runtime, async (context, file) => {
        const { runExport } = await import('../emulator/export.ts');
        await runExport(context, file);
      }),
    );
}

function registerImport(parent: Command, runtime: Runtime): void {
  parent
    .command('import')
    .summary('import state from a file')
    .description(
      'Replace all state with an exported file. A damaged file is rejected and changes nothing.',
    )
    .argument('<file>', 'a file written by export, or - for standard input')
    .action(
      verb(runtime, async (context, file) => {
        const { runImport } = await import('../emulator/import.ts');
        await runImport(context, file);
      }),
    );
}

function registerKey(parent: Command, runtime: Runtime): void {
  parent
    .command('key')
    .summary('print or save the API key of a tool')
    .description('Print the API key of a tool, or save it by name with --save, as key save does.')
    .option('--tool <id>', 'the tool ID (default: the first tool with a key)')
    .option('--save <name>', 'save the key under this name')
    .option('--force', 'replace an existing key of that name')
    .action(
      verb(runtime, async (context) => {
        const { runKey } = await import('../emulator/key.ts');
        await runKey(context);
      }),
    );
}

function registerMember(parent: Command, runtime: Runtime): void {
  group(parent, 'member', 'manage the members of courses')
    .command('remove')
    .summary('remove a member from the course')
    .description('Remove a member from the course. Their tokens end at once; their rows are kept.')
    .argument('<id>', 'the member ID, as in user.member')
    .action(
      verb(runtime, async (context, id) => {
        const { runMemberRemove } = await import('../emulator/actions.ts');
        await runMemberRemove(context, id);
      }),
    );
}

function registerRequests(parent: Command, runtime: Runtime): void {
  parent
    .command('requests')
    .summary('show recent requests')
    .description(
      'Show recent requests to the API and to the signed URLs, with secrets redacted; --json prints one object per line. Headers and bodies are kept while a console is open, and with emulator start --capture.',
    )
    .addOption(
      new Option('-f, --follow', 'keep printing new requests until interrupted').conflicts([
        'show',
        'replay',
      ]),
    )
    .addOption(
      new Option('--show <number>', 'show one request with its headers and bodies')
        .argParser(wholeNumber({ from: 1 }))
        .conflicts('replay'),
    )
    .option('--replay <number>', 'send one request again', wholeNumber({ from: 1 }))
    .option(
      '--limit <n>',
      'list only the newest N (default on a terminal: 30)',
      wholeNumber({ from: 1 }),
    )
    .action(
      verb(runtime, async (context) => {
        const { runRequests } = await import('../emulator/requests.ts');
        await runRequests(context);
      }),
    );
}

function registerReset(parent: Command, runtime: Runtime): void {
  parent
    .command('reset')
    .summary('delete all state')
    .description(
      'Delete all rows, files, attempts, tokens and changes, and apply the seed again. Saved launches end.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runReset } = await import('../emulator/actions.ts');
        await runReset(context);
      }),
    );
}

function registerStart(parent: Command, runtime: Runtime): void {
  const start = parent
    .command('start')
    .summary('run the emulator in the foreground')
    .description(
      'Run the emulator on loopback until interrupted. Acknowledged writes survive a crash.',
    )
    .option(
      '--port <number>',
      'port of the API (default: any free port)',
      wholeNumber({ from: 0, to: 65_535 }),
    )
    .option('--data <folder>', 'data folder (default: a folder in the home of lectern)')
    .option('--memory', 'keep all data in memory')
    .option('--capture', 'keep headers and bodies of requests, as an open console does')
    .option(
      '--seed <file>',
      'JSON file with the initial courses of a new emulator and of a reset; "example" is built in',
    );
  chaosFlags(start).action(
    verb(runtime, async (context) => {
      const { runStart } = await import('../emulator/start.ts');
      await runStart(context);
    }),
  );
}

function registerState(parent: Command, runtime: Runtime): void {
  parent
    .command('state')
    .summary('show all state')
    .description(
      'Show tools, courses, locations, members, rows, files, attempts and the gradebook, with their IDs.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runState } = await import('../emulator/actions.ts');
        await runState(context);
      }),
    );
}

function registerToken(parent: Command, runtime: Runtime): void {
  group(parent, 'token', 'manage the tokens of launches')
    .command('end')
    .summary('end the token of a launch')
    .description('End the token of a launch, saved or in a file, immediately and permanently.')
    .argument('[name]', 'a saved launch, or a file')
    .option('--launch-id <id>', 'the launch with this ID, as in launch_id and emulator show tokens')
    .action(
      verb(runtime, async (context, name) => {
        const { runTokenEnd } = await import('../emulator/actions.ts');
        await runTokenEnd(context, name);
      }),
    );
}
