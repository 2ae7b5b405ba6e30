import { InvalidArgumentError, Option, type Command, type Argument } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, refuseUnknown, verb } from './group.ts';
import { durationSeconds } from '../arguments/duration.ts';
import { wholeNumber, number } from '../arguments/numbers.ts';
import type { LmsOptions } from '../emulator/actions.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const emulator = group(program, 'emulator', summary);
  registerStart(emulator, runtime);
  registerLaunch(emulator, runtime);
  registerProvisionRequest(emulator, runtime);
  registerLocationsRequest(emulator, runtime);
  registerFixture(emulator, runtime);
  registerState(emulator, runtime);
  registerKey(emulator, runtime);
  registerLms(emulator, runtime);
  registerToken(emulator, runtime);
  registerTool(emulator, runtime);
  registerMember(emulator, runtime);
  registerClock(emulator, runtime);
  registerFault(emulator, runtime);
  registerRequests(emulator, runtime);
  registerExec(emulator, runtime);
  registerReset(emulator, runtime);
  registerExport(emulator, runtime);
  registerImport(emulator, runtime);
}

function registerClock(parent: Command, runtime: Runtime): void {
  const clock = group(parent, 'clock', "show or set the emulator's clock");
  clock
    .command('show')
    .summary('show the time of the emulator')
    .description('Show the time of the emulator.')
    .action(
      verb(runtime, async (context) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context);
      }),
    );
  clock
    .command('advance')
    .summary('advance the clock')
    .description('Advance the clock. Tokens that expire by then end.')
    .argument('<duration>', 'such as 90s, 15m, 12h, 3d or 1h30m', seconds)
    .action(
      verb(runtime, async (context, advance_seconds) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context, { advance_seconds });
      }),
    );
  clock
    .command('set')
    .summary('set the clock')
    .description('Set the clock; it runs on from there. Tokens that have ended stay ended.')
    .argument('<iso>', 'such as 2026-10-13T08:00:00Z; UTC if no time zone is given', instant)
    .action(
      verb(runtime, async (context, set) => {
        const { runClock } = await import('../emulator/actions.ts');
        await runClock(context, { set });
      }),
    );
}

function seconds(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('expected a duration such as 90s, 15m, 12h, 3d or 1h30m.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  if (parts !== null && !Number.isNaN(Date.parse(zoned))) return zoned;
  throw new InvalidArgumentError('expected an ISO 8601 time such as 2026-10-13T08:00:00Z.');
}

function registerExec(parent: Command, runtime: Runtime): void {
  parent
    .command('exec')
    .summary('run a command with a temporary emulator')
    .usage('[options] -- command [arguments]')
    .description(
      "Run a command with a new in-memory emulator that stops when the command ends. Sets LECTERN_EMULATOR, LECTERN_HOME (a temporary folder) and LECTERN_LAUNCH (a file with an instructor's launch; student.json in the same folder has a student's). Exits with the exit code of the command.",
    )
    .option('--seed <file>', 'JSON file with the initial courses; "example" is built in')
    .argument('<command...>', 'the command, after --')
    .action(
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
    .argument('<file>', 'the file to write (replaced if it exists), or - for standard output')
    .action(
      verb(runtime, async (context, file) => {
        const { runExport } = await import('../emulator/export.ts');
        await runExport(context, file);
      }),
    );
}

function registerFault(parent: Command, runtime: Runtime): void {
  const fault: Command = parent
    .command('fault')
    .summary('inject faults into matching responses')
    .description(
      'Inject a fault into the next matching responses of the API or of the signed URLs. With --status the request has no effect; with --cut and --delay it has. Control requests are never affected.',
    )
    .option('--method <method>', 'match requests with this method (default: any)')
    .option('--path <regex>', 'match requests by path and query')
    .option('--times <n>', 'number of responses to affect (default: 1)', wholeNumber({ from: 1 }))
    .option('--status <n>', 'respond with this status', wholeNumber({ from: 200, to: 599 }))
    .option('--header <name: value>', 'response header (repeatable)', collect)
    .option('--body <text>', 'response body')
    .addOption(
      new Option('--close <when>', 'close the connection without a response').choices([
        'before',
        'after',
      ]),
    )
    .option('--cut', 'close the connection in the middle of the response body')
    .option(
      '--delay <ms>',
      'delay the response by this many milliseconds',
      wholeNumber({ from: 0 }),
    )
    .allowExcessArguments()
    .action(
      verb(runtime, async (context) => {
        if (fault.args[0] !== undefined) refuseUnknown(fault.args[0], ['clear'], fault);
        const { runFault } = await import('../emulator/fault.ts');
        await runFault(context);
      }),
    );
  fault
    .command('clear')
    .summary('remove all pending faults')
    .description('Remove all pending faults.')
    .action(
      verb(runtime, async (context) => {
        const { runClear } = await import('../emulator/fault.ts');
        await runClear(context);
      }),
    );
}

function collect(text: string, before: readonly string[] = []): string[] {
  if (/^[^\s:]+:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('expected a header such as "Retry-After: 1".');
}

function registerFixture(parent: Command, runtime: Runtime): void {
  parent
    .command('fixture')
    .summary('create launches of every kind for conformance tests')
    .description(
      'Create launches of every kind, each call in new courses and with new tools, and print them as one JSON object, with the HTTP requests that control the emulator.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runFixture } = await import('../emulator/actions.ts');
        await runFixture(context);
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
    .argument('<file>', 'a file written by export')
    .action(
      verb(runtime, async (context, file) => {
        const { runImport } = await import('../emulator/import.ts');
        await runImport(context, file);
      }),
    );
}

function registerLaunch(parent: Command, runtime: Runtime): void {
  parent
    .command('launch')
    .summary('create a launch of the tool')
    .description('Create a launch and print its claims; --save also saves it by name.')
    .addOption(
      new Option(
        '--role <role>',
        'role of the user; a member given with --member must have it',
      ).choices(['student', 'assistant', 'instructor', 'manager']),
    )
    .option('--member <id>', 'launch as this member')
    .option('--location <id>', 'launch in this location')
    .option('--course <id>', 'launch in this course')
    .option('--save <name>', 'save the launch under this name')
    .option('--force', 'replace the launch that has the name')
    .option('--open', 'show its course page in a browser')
    .option('--print-url', 'print the address of its course page instead of the claims')
    .option('--third-party', 'show the tool there from another site, as a real LMS does')
    .addOption(
      new Option(
        '--sign <how>',
        'how the launch of an external tool is signed there, the last three wrong; else RS256',
      ).choices(SIGNATURES),
    )
    .action(
      verb(runtime, async (context) => {
        const { runLaunch } = await import('../emulator/launch.ts');
        await runLaunch(context);
      }),
    );
}

const SIGNATURES = ['RS256', 'HS256', 'plain', 'expired', 'wrong-key', 'altered'];

function registerLocationsRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('locations-request')
    .summary('send a locations request to a tool')
    .description(
      'Send a locations request to a tool with a locations_url in the seed, and print what the service takes of its answer, and what is wrong with it (exit 3 where it is rejected).',
    )
    .option('--tool <id>', 'the tool; else the first with a locations_url')
    .option('--course <id>', 'for this course; else the first in which the tool is placed')
    .action(
      verb(runtime, async (context) => {
        const { runLocationsRequest } = await import('../emulator/locations-request.ts');
        await runLocationsRequest(context);
      }),
    );
}

function registerLms(parent: Command, runtime: Runtime): void {
  const lms = group(parent, 'lms', 'set the behavior of the LMS, for all locations or one');
  const behaviour = (name: string, summary: string): Command =>
    lms
      .command(name)
      .summary(summary)
      .description(`Set the LMS so that it ${summary}. Lasts until changed, or reset with lms ok.`)
      .option('--location <id>', 'only for this location');
  const acts = (command: Command, change: (options: LmsOptions) => object): void => {
    command.action(
      verb(runtime, async (context) => {
        const { runLms } = await import('../emulator/actions.ts');
        await runLms(context, change(context.options));
      }),
    );
  };
  const sets = (field: string, command: Command): void => {
    command.action(
      verb(runtime, async (context, value: unknown) => {
        const { runLms } = await import('../emulator/actions.ts');
        await runLms(context, { [field]: value });
      }),
    );
  };
  const oneOf = (name: string, words: readonly string[]): Argument =>
    lms.createArgument(name).choices(words);

  acts(behaviour('ok', 'accepts every score (the default)'), () => ({ ok: true }));
  acts(
    behaviour('refuse', 'rejects scores: all, or those selected by options')
      .option(
        '--status <number>',
        'HTTP status of its response',
        wholeNumber({ from: 300, to: 599 }),
        422,
      )
      .option('--body <text>', 'body of its response', '')
      .option('--member <id...>', 'only scores of these members')
      .option('--percent <number>', 'only this percentage of scores', number({ from: 0, to: 100 }))
      .option('--times <number>', 'only this many scores', wholeNumber({ from: 1 })),
    ({ status, body, member: members, percent, times }) => ({
      refuse: { status, body, members, percent, times },
    }),
  );
  sets(
    'scope',
    behaviour('scope', 'grants only the score scope, or the line item scope too').addArgument(
      oneOf('<scope>', ['score', 'lineitem']),
    ),
  );
  sets(
    'column',
    behaviour('column', 'has or lacks a gradebook column').addArgument(
      oneOf('<column>', ['present', 'missing']),
    ),
  );
  sets(
    'points',
    behaviour('points', 'has this many points possible in the column').argument(
      '<points>',
      'such as 50',
      number({ above: 0 }),
    ),
  );
  sets(
    'slow_ms',
    behaviour('slow', 'responds slowly').argument(
      '<ms>',
      'milliseconds; 0 for no delay',
      number({ from: 0 }),
    ),
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

function registerProvisionRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('provision-request')
    .summary('create a provision request')
    .description(
      'Create a provision request and print its claims; --save also saves it by name. Returns the same request until the level is provisioned or 3 hours have passed.',
    )
    .option('--course <id>', 'the course (default: one that is not provisioned yet)')
    .option('--from <course>', 'a copy of this course; creates the copy if there is none')
    .option('--save <name>', 'save the request under this name')
    .option('--force', 'replace an existing launch of that name')
    .action(
      verb(runtime, async (context) => {
        const { runProvisionRequest } = await import('../emulator/provision-request.ts');
        await runProvisionRequest(context);
      }),
    );
}

function registerRequests(parent: Command, runtime: Runtime): void {
  parent
    .command('requests')
    .summary('show recent requests')
    .description(
      'Show recent requests to the API and to the signed URLs, with secrets redacted; --json prints one object per line.',
    )
    .option('-f, --follow', 'keep printing new requests until interrupted')
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
  parent
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
    .option(
      '--seed <file>',
      'JSON file with the initial courses of a new emulator and of a reset; "example" is built in',
    )
    .action(
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
    .argument('<name>', 'a saved launch, or a file')
    .action(
      verb(runtime, async (context, name) => {
        const { runTokenEnd } = await import('../emulator/actions.ts');
        await runTokenEnd(context, name);
      }),
    );
}

const ACTIONS = {
  suspend: 'suspend a tool: its tokens end and its API key is rejected',
  activate: 'activate a tool; tokens that have ended stay ended',
  archive: 'archive a tool: its tokens end and its API key is rejected',
  'replace-code': 'replace the code of a tool, which ends its tokens',
} as const;

function registerTool(parent: Command, runtime: Runtime): void {
  const tool = group(parent, 'tool', 'change the status of a tool, as the dashboard does');
  for (const [action, summary] of Object.entries(ACTIONS)) {
    tool
      .command(action)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('[id]', 'the tool ID (default: the first tool)')
      .action(
        verb(runtime, async (context, id) => {
          const { runTool } = await import('../emulator/tool.ts');
          await runTool(context, { action, tool: id });
        }),
      );
  }
  registerUpload(tool, runtime);
  registerVersions(tool, runtime);
}

const VISIBILITIES = ['private', 'unlisted', 'public'];

function registerUpload(tool: Command, runtime: Runtime): void {
  tool
    .command('upload')
    .summary('upload the code of a hosted tool')
    .description(
      'Check the code of a hosted tool by the contract and upload it as a new version. A private version is current at once, which ends the launch tokens of the courses that run it; an unlisted or public one once it is approved. Code that is refused (exit 3) changes nothing.',
    )
    .argument('<path>', 'a zip, or the folder of the tool')
    .option('--tool <id>', 'the tool; else the first hosted one')
    .addOption(
      new Option('--visibility <word>', 'of the new version; else private').choices(VISIBILITIES),
    )
    .option('--version-only', 'leave the current version as it is')
    .option('--watch', 'upload the folder again whenever a file in it changes, until Ctrl-C')
    .action(
      verb(runtime, async (context, path) => {
        const { runToolUpload } = await import('../emulator/tool-upload.ts');
        await runToolUpload(context, path);
      }),
    );
}

const VERSION_ACTIONS = {
  approve: 'approve a version that is in review, which makes it current',
  deprecate: 'deprecate a version: courses that run it are offered an upgrade',
  pilot: 'let the sharing code "pilot" name a version',
} as const;

function registerVersions(tool: Command, runtime: Runtime): void {
  tool
    .command('publish')
    .summary('publish a version: a new one without code, or one that is there')
    .description(
      'Publish a version of a tool. A private version is current at once; an unlisted or public one is sent for review, and current once it is approved.',
    )
    .argument('[id]', 'the tool; else the first')
    .addOption(
      new Option('--visibility <word>', 'who may add it').choices(VISIBILITIES).default('private'),
    )
    .option(
      '--version-number <number>',
      'a version that is there already',
      wholeNumber({ from: 1 }),
    )
    .action(
      verb(runtime, async (context, id) => {
        const { runPublish } = await import('../emulator/tool.ts');
        await runPublish(context, id);
      }),
    );
  for (const [action, summary] of Object.entries(VERSION_ACTIONS)) {
    tool
      .command(action)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('<version>', 'its number', wholeNumber({ from: 1 }))
      .argument('[id]', 'the tool; else the first')
      .action(
        verb(runtime, async (context, version, id) => {
          const { runTool } = await import('../emulator/tool.ts');
          await runTool(context, { action, tool: id, version });
        }),
      );
  }
  tool
    .command('adopt')
    .summary('let a course run the version that a sharing code names')
    .description('Let a course run the version of a tool that a sharing code names.')
    .argument('<code>', 'current, pilot, or the number of a version')
    .requiredOption('--course <id>', 'the course')
    .requiredOption('--tool <id>', 'the tool')
    .action(
      verb(runtime, async (context, code) => {
        const { runAdopt } = await import('../emulator/tool.ts');
        await runAdopt(context, code);
      }),
    );
}
