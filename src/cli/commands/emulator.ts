import { InvalidArgumentError, Option, type Command, type Argument } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, refuseUnknown, verb } from './group.ts';
import { durationSeconds } from '../arguments/duration.ts';
import { wholeNumber, number } from '../arguments/numbers.ts';
import type { LmsOptions } from '../emulator/lms.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const emulator = group(program, 'emulator', summary);
  registerStart(emulator, runtime);
  registerLaunch(emulator, runtime);
  registerProvisionRequest(emulator, runtime);
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
  const clock = group(parent, 'clock', 'the clock of the emulator');
  clock
    .command('show')
    .summary('what time it is there')
    .description('Show the time of the emulator.')
    .action(
      verb(runtime, async (context) => {
        const { runClock } = await import('../emulator/clock.ts');
        await runClock(context);
      }),
    );
  clock
    .command('advance')
    .summary('let time pass')
    .description('Move the clock on. Tokens that are over by then have ended.')
    .argument('<duration>', 'such as 90s, 15m, 12h, 3d or 1h30m', seconds)
    .action(
      verb(runtime, async (context, advance_seconds) => {
        const { runClock } = await import('../emulator/clock.ts');
        await runClock(context, { advance_seconds });
      }),
    );
  clock
    .command('set')
    .summary('make it a certain time')
    .description('Set the clock; it goes on from there. A token once ended stays ended.')
    .argument('<iso>', 'such as 2026-10-13T08:00:00Z; UTC where it names no zone', instant)
    .action(
      verb(runtime, async (context, set) => {
        const { runClock } = await import('../emulator/clock.ts');
        await runClock(context, { set });
      }),
    );
}

function seconds(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('a duration such as 90s, 15m, 12h, 3d or 1h30m is needed.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  if (parts !== null && !Number.isNaN(Date.parse(zoned))) return zoned;
  throw new InvalidArgumentError('an ISO 8601 time such as 2026-10-13T08:00:00Z is needed.');
}

function registerExec(parent: Command, runtime: Runtime): void {
  parent
    .command('exec')
    .summary('a fresh emulator beside a command')
    .usage('[options] -- command [arguments]')
    .description(
      'Run a command beside a fresh emulator that keeps nothing and ends with it. The command finds LECTERN_EMULATOR, LECTERN_HOME (a temporary one) and LECTERN_LAUNCH (a file with an instructor’s launch; student.json beside it has a student’s). The exit code is that of the command.',
    )
    .option('--seed <file>', 'its world, as JSON; "example" is one that comes with lectern')
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
    .summary('everything in one file')
    .description(
      'Write everything that the emulator keeps to one file, the bytes of the files among it. The file is whole or not there.',
    )
    .argument(
      '<file>',
      'the file to write, or - for standard output; one that is there is replaced',
    )
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
    .summary('let the next matching answers go wrong')
    .description(
      'Let the next matching answers of the API, or of the signed addresses, go wrong: --status answers in place of the service and nothing takes effect; --cut and --delay take effect. The control side is never met.',
    )
    .option('--method <method>', 'of requests with this method; else any')
    .option('--path <regex>', 'of requests whose path and query match')
    .option('--times <n>', 'so many answers; else one', wholeNumber({ from: 1 }))
    .option('--status <n>', 'answer with this status', wholeNumber({ from: 200, to: 599 }))
    .option('--header <name: value>', 'with this header (repeatable)', collect)
    .option('--body <text>', 'and this body')
    .addOption(
      new Option('--close <when>', 'close the connection without an answer').choices([
        'before',
        'after',
      ]),
    )
    .option('--cut', 'cut the answer in the middle of its body')
    .option('--delay <ms>', 'answer so much later', wholeNumber({ from: 0 }))
    .allowExcessArguments()
    .action(
      verb(runtime, async (context) => {
        if (fault.args[0] !== undefined) refuseUnknown(fault.args[0], ['clear']);
        const { runFault } = await import('../emulator/fault.ts');
        await runFault(context);
      }),
    );
  fault
    .command('clear')
    .summary('forget the faults that still wait')
    .description('Forget the faults that still wait for their requests.')
    .action(
      verb(runtime, async (context) => {
        const { runClear } = await import('../emulator/fault.ts');
        await runClear(context);
      }),
    );
}

function collect(text: string, before: readonly string[] = []): string[] {
  if (/^[^\s:]+:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('a header such as "Retry-After: 1" is needed.');
}

function registerFixture(parent: Command, runtime: Runtime): void {
  parent
    .command('fixture')
    .summary('launches of every kind for a conformance client')
    .description(
      'Mint launches of every kind in courses and tools of their own, and print them as one JSON object with the hooks that move the emulator. Each call makes new ones.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runFixture } = await import('../emulator/fixture.ts');
        await runFixture(context);
      }),
    );
}

function registerImport(parent: Command, runtime: Runtime): void {
  parent
    .command('import')
    .summary('everything from one file')
    .description(
      'Put what an export holds in the place of everything. A file that is damaged is refused whole.',
    )
    .argument('<file>', 'a file that export wrote')
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
    .summary('launch the tool as somebody')
    .description('Mint a launch, print its claims, and keep it by name with --save.')
    .addOption(
      new Option('--role <role>', 'as whom; a member that is named must have it').choices([
        'student',
        'assistant',
        'instructor',
        'manager',
      ]),
    )
    .option('--member <id>', 'as this member')
    .option('--location <id>', 'in this location')
    .option('--course <id>', 'in this course')
    .option('--save <name>', 'keep the launch by this name')
    .option('--force', 'replace the launch that has the name')
    .option('--open', 'show its course page in a browser')
    .option('--print-url', 'print the address of its course page instead of the claims')
    .option('--third-party', 'show the tool there from another site, as a real LMS does')
    .action(
      verb(runtime, async (context) => {
        const { runLaunch } = await import('../emulator/launch.ts');
        await runLaunch(context);
      }),
    );
}

function registerLms(parent: Command, runtime: Runtime): void {
  const lms = group(parent, 'lms', 'how the LMS behaves, everywhere or at one location');
  const behaviour = (name: string, summary: string): Command =>
    lms
      .command(name)
      .summary(summary)
      .description(`The LMS: ${summary}. It stays so until it is told otherwise, or lms ok.`)
      .option('--location <id>', 'at this location only');
  const acts = (command: Command, change: (options: LmsOptions) => object): void => {
    command.action(
      verb(runtime, async (context) => {
        const { runLms } = await import('../emulator/lms.ts');
        await runLms(context, change(context.options));
      }),
    );
  };
  const sets = (field: string, command: Command): void => {
    command.action(
      verb(runtime, async (context, value: unknown) => {
        const { runLms } = await import('../emulator/lms.ts');
        await runLms(context, { [field]: value });
      }),
    );
  };
  const oneOf = (name: string, words: readonly string[]): Argument =>
    lms.createArgument(name).choices(words);

  acts(behaviour('ok', 'takes every score again'), () => ({ ok: true }));
  acts(
    behaviour('refuse', 'refuses scores: all, or those that the options select')
      .option('--status <number>', 'its status', wholeNumber({ from: 300, to: 599 }), 422)
      .option('--body <text>', 'its response body', '')
      .option('--member <id...>', 'only of these members')
      .option('--percent <number>', 'only this share of them', number({ from: 0, to: 100 }))
      .option('--times <number>', 'only so many, then none', wholeNumber({ from: 1 })),
    ({ status, body, member: members, percent, times }) => ({
      refuse: { status, body, members, percent, times },
    }),
  );
  sets(
    'scope',
    behaviour('scope', 'grants the score scope alone, or the line item scope besides').addArgument(
      oneOf('<scope>', ['score', 'lineitem']),
    ),
  );
  sets(
    'column',
    behaviour('column', 'has a gradebook column, or lacks it').addArgument(
      oneOf('<column>', ['present', 'missing']),
    ),
  );
  sets(
    'points',
    behaviour('points', 'changes the points possible of the column').argument(
      '<points>',
      'such as 50',
      number({ above: 0 }),
    ),
  );
  sets(
    'slow_ms',
    behaviour('slow', 'takes its time').argument(
      '<ms>',
      'milliseconds; 0 is at once',
      number({ from: 0 }),
    ),
  );
}

function registerKey(parent: Command, runtime: Runtime): void {
  parent
    .command('key')
    .summary("print a tool's API key, or save it")
    .description("Print a tool's API key, or save it by name, as key save does, with --save.")
    .option('--tool <id>', 'of this tool; defaults to the first that has a key')
    .option('--save <name>', 'save the key by this name')
    .option('--force', 'replace a saved key that has the name')
    .action(
      verb(runtime, async (context) => {
        const { runKey } = await import('../emulator/key.ts');
        await runKey(context);
      }),
    );
}

function registerMember(parent: Command, runtime: Runtime): void {
  group(parent, 'member', 'the members of courses')
    .command('remove')
    .summary('let somebody leave the course')
    .description('Let a member leave the course: the tokens end at once, the rows stay.')
    .argument('<id>', 'the member, as in user.member')
    .action(
      verb(runtime, async (context, id) => {
        const { runRemove } = await import('../emulator/member.ts');
        await runRemove(context, id);
      }),
    );
}

function registerProvisionRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('provision-request')
    .summary('ask the tool to make a course ready')
    .description(
      'Mint a provision request, print its claims, and keep it by name with --save. Until its finish call, or 3 hours later, it is the same one.',
    )
    .option('--course <id>', 'for this course; else for one that waits to be made ready')
    .option('--from <course>', 'as a copy of this course; copied now where there is no copy yet')
    .option('--save <name>', 'keep the request by this name')
    .option('--force', 'replace the launch that has the name')
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
    .summary('the traffic')
    .description(
      'Show the latest requests to the API and to the signed addresses, secrets taken out; with --json a line each.',
    )
    .option('-f, --follow', 'go on with each new one until Ctrl-C')
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
    .summary('forget everything')
    .description(
      'Forget all rows, files, attempts, tokens and changes, and plant the seed anew. Saved launches end.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runReset } = await import('../emulator/reset.ts');
        await runReset(context);
      }),
    );
}

function registerStart(parent: Command, runtime: Runtime): void {
  parent
    .command('start')
    .summary('start an emulator and stay with it')
    .description(
      'Serve the whole service on loopback until Ctrl-C. What it acknowledges survives a kill.',
    )
    .option(
      '--port <number>',
      'the port of the API; else any that is free',
      wholeNumber({ from: 0, to: 65_535 }),
    )
    .option('--data <folder>', 'where it keeps its data; else a folder under the home of lectern')
    .option('--memory', 'keep nothing')
    .option(
      '--seed <file>',
      'the world of a new emulator and of a reset, as JSON; "example" is one that comes with lectern',
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
    .summary('everything that is kept')
    .description(
      'Show tools, courses, locations, members, rows, files, attempts and the gradebook, with their IDs.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runState } = await import('../emulator/state.ts');
        await runState(context);
      }),
    );
}

function registerToken(parent: Command, runtime: Runtime): void {
  group(parent, 'token', 'the tokens of launches')
    .command('end')
    .summary('end the token of a launch')
    .description('End the token of a saved launch, or of one in a file, at once and for good.')
    .argument('<name>', 'a saved launch, or a file')
    .action(
      verb(runtime, async (context, name) => {
        const { runEnd } = await import('../emulator/token.ts');
        await runEnd(context, name);
      }),
    );
}

const ACTIONS = {
  suspend: 'suspend it: its tokens end, its API key is refused',
  activate: 'make it active again; tokens that ended stay ended',
  archive: 'archive it, which ends its tokens as suspending does',
  'replace-code': 'replace its code under the courses, which ends its tokens',
} as const;

function registerTool(parent: Command, runtime: Runtime): void {
  const tool = group(parent, 'tool', 'what the dashboard does to a tool');
  for (const [action, summary] of Object.entries(ACTIONS)) {
    tool
      .command(action)
      .summary(summary)
      .description(`A tool of the emulator: ${summary}.`)
      .argument('[id]', 'the tool; else the first, which launches are of unless told otherwise')
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
      .description(`A tool of the emulator: ${summary}.`)
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
