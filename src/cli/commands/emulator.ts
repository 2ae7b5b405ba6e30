import { LIMIT_FLAG } from '../arguments/numbers.ts';
import * as flags from '../emulator/flags.ts';
import { CONSOLE_PAGES } from '../../console-pages.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';
import {
  clock,
  controlCommand,
  fault,
  fixture,
  lms,
  member,
  reset,
  show,
  token,
  tool,
} from './emulator-control.ts';
import { CONTROL_EXITS } from './exits.ts';

/** The commands by their headings in the help. */
const GROUPS: Readonly<Record<string, Parameters<typeof verbs>[0]>> = {
  Run: {
    start: defineCommand({
      summary: 'run the emulator, in the foreground or with --detach',
      description:
        'Run the emulator until interrupted, on loopback unless --host is given. Acknowledged writes survive a crash. On another address than loopback the control API and the console take only the token in LECTERN_EMULATOR_TOKEN; if there is none, one is made and printed.',
      flags: flags.START_FLAGS,
      examples: [
        'lectern emulator start --port 8080 --data course',
        'lectern emulator start --detach --memory',
        'lectern emulator start --host 0.0.0.0 --public-url http://emulator:8080',
        'lectern emulator start --session report.db --at 17',
      ],
      exits: [1, 3, 8, 130],
      load: async () => (await import('../emulator/start.ts')).runStart,
    }),
    wait: defineCommand({
      summary: 'wait until an emulator is ready',
      description:
        'Wait until an emulator is ready, for at most 30 seconds or --timeout. LECTERN_EMULATOR or --emulator may name one that is not up yet; else any of this home counts. Needs no token.',
      examples: ['lectern emulator wait --timeout 60'],
      exits: [8, 130],
      load: async () => (await import('../emulator/wait-stop.ts')).runWait,
    }),
    stop: defineCommand({
      summary: 'stop the emulator',
      description:
        'Stop the emulator, started in the background or not, and wait until it has ended. Acknowledged writes are kept. No error if none is running.',
      examples: ['lectern emulator stop'],
      exits: [1, 4, 8, 130],
      load: async () => (await import('../emulator/wait-stop.ts')).runStop,
    }),
    env: controlCommand({
      summary: 'print the environment variables that lead to the emulator',
      description:
        'Print LECTERN_EMULATOR and, with --launch ROLE, LECTERN_LAUNCH with the file of a new launch, for eval in a shell or for a file of variables.',
      flags: flags.ENV_FLAGS,
      examples: ['lectern emulator env --launch student', 'lectern emulator env --format json'],
      load: async () => (await import('../emulator/env.ts')).runEnv,
    }),
    exec: defineCommand({
      summary: 'run a command with a temporary emulator',
      usage: '[options] -- command [arguments]',
      description:
        "Run a command with a new in-memory emulator that stops when the command ends. Sets LECTERN_EMULATOR, LECTERN_HOME (a temporary folder) and LECTERN_LAUNCH (a file with an instructor's launch; student.json in the same folder has a student's). Exits with the exit code of the command; with --fail-on, else with 9 where the report has such a finding.",
      args: [{ name: '<command...>', help: 'the command, after --' }],
      flags: flags.EXEC_FLAGS,
      examples: [
        'lectern emulator exec -- npm test',
        'lectern emulator exec --report report.json --fail-on error -- npm test',
        'lectern emulator exec --chaos 42 --report -- npm test',
      ],
      exits: [3, 9],
      load: async () => (await import('../emulator/exec.ts')).runExec,
    }),
  },
  Launch: {
    launch: controlCommand({
      summary: 'create a launch of the tool',
      description: 'Create a launch and print its claims; --save also saves it by name.',
      flags: flags.EMULATOR_LAUNCH_FLAGS,
      examples: [
        'lectern emulator launch --role student --save amina',
        'lectern emulator launch --token --sign expired',
      ],
      load: async () => (await import('../emulator/launch.ts')).runLaunch,
    }),
    'provision-request': controlCommand({
      summary: 'create a provision request',
      description:
        'Create a provision request and print its claims; --save also saves it by name. Returns the same request until the level is provisioned or 3 hours have passed.',
      flags: flags.PROVISION_REQUEST_FLAGS,
      examples: ['lectern emulator provision-request --save new'],
      load: async () => (await import('../emulator/launch.ts')).runProvisionRequest,
    }),
    'locations-request': defineCommand({
      summary: 'send a locations request to a tool',
      description:
        'Send a locations request to a tool with a locations_url in the seed, and print the part of its answer that the service accepts, and the findings (exit 3 if it is rejected).',
      flags: flags.LOCATIONS_REQUEST_FLAGS,
      examples: ['lectern emulator locations-request --tool polls --course biology-101'],
      exits: [...CONTROL_EXITS, 3],
      load: async () => (await import('../emulator/asks.ts')).runLocationsRequest,
    }),
    fixture,
    key: controlCommand({
      summary: 'print or save the API key of a tool',
      description: 'Print the API key of a tool, or save it by name with --save, as key save does.',
      flags: flags.EMULATOR_KEY_FLAGS,
      examples: ['lectern emulator key', 'lectern emulator key --tool polls --save polls'],
      load: async () => (await import('../emulator/asks.ts')).runKey,
    }),
    token,
    tool,
    member,
  },
  Data: {
    state: controlCommand({
      summary: 'show all state',
      description:
        'Show how much there is of everything, and then tools, courses, locations, members, rows, files, attempts and the gradebook, with their IDs.',
      flags: LIMIT_FLAG,
      examples: ['lectern emulator state'],
      list: {
        columns: async () => (await import('../output/emulator.ts')).stateColumns(),
        areMany: true,
      },
      load: async () => (await import('../emulator/asks.ts')).runState,
    }),
    show,
  },
  'LMS and faults': {
    lms,
    fault,
    clock,
  },
  Look: {
    open: controlCommand({
      summary: 'open the console in a browser',
      description:
        'Open the console of a running emulator in a browser: its rows, files, gradebook, traffic, clock, faults, tokens, tools and report. The address lets one page in, once and within 60 seconds.',
      args: [
        {
          name: '[page]',
          help: CONSOLE_PAGES.map(({ id }) => id).join(', '),
        },
      ],
      flags: flags.OPEN_FLAGS,
      examples: ['lectern emulator open traffic --print'],
      load: async () => (await import('../emulator/open.ts')).runOpen,
    }),
    requests: defineCommand({
      summary: 'show recent requests',
      description:
        'Show the latest requests to the API and to the signed URLs, up to 10,000 or --limit, with secrets redacted; --json prints one object per line. A million are kept; the latest 10,000 have their headers, and bodies: 64 KB of each and 16 MB in all.',
      flags: flags.REQUESTS_FLAGS,
      examples: [
        'lectern emulator requests',
        'lectern emulator requests --tool',
        "lectern emulator requests --filter 'person:chidi status:4xx'",
      ],
      exits: [3, ...CONTROL_EXITS, 130],
      list: {
        columns: async () => (await import('../output/emulator.ts')).TRAFFIC,
        not: ['show', 'replay', 'har'],
      },
      load: async () => (await import('../emulator/requests.ts')).runRequests,
    }),
    report: defineCommand({
      summary: 'report the mistakes of a tool, and the situations that it has not met',
      description:
        'Check the requests of a tool since the emulator started or was reset: the findings, each with the requests that show it, then the responses and states that the tool has not met, each with a command that causes it.',
      flags: flags.TOOL_REPORT_FLAGS,
      list: {
        columns: async () => (await import('../output/tool-report.ts')).REPORT_LINES,
        not: ['format'],
      },
      examples: ['lectern emulator report', 'lectern emulator report --json'],
      exits: [...CONTROL_EXITS, 9],
      load: async () => (await import('../emulator/report.ts')).runReport,
    }),
  },
  Move: {
    export: controlCommand({
      summary: 'export all state and the traffic to a file',
      description:
        'Write all state of the emulator, uploaded files and traffic included, to one file: a session, which emulator start --session opens to look at it. With --redact it can be given to others: nothing in it gives access, people have other names, and files have no bytes; texts that a tool stored in rows and comments stay. A partial file is never left behind.',
      args: [
        {
          name: '<file>',
          help: 'the file to write, a pipe, or - for standard output',
        },
      ],
      flags: flags.EXPORT_FLAGS,
      exits: [3, ...CONTROL_EXITS],
      examples: ['lectern emulator export course.db', 'lectern emulator export --redact report.db'],
      load: async () => (await import('../emulator/session-file.ts')).runExport,
    }),
    import: defineCommand({
      summary: 'import state and traffic from a file',
      description:
        'Replace all state and the traffic with those of an exported file. A damaged file is rejected and changes nothing.',
      args: [{ name: '<file>', help: 'a file written by export, or - for standard input' }],
      examples: ['lectern emulator import course.db'],
      exits: [...CONTROL_EXITS, 3],
      load: async () => (await import('../emulator/session-file.ts')).runImport,
    }),
    reset,
  },
};

export const emulatorNoun: Noun = {
  commands: Object.entries(GROUPS).flatMap(([group, commands]) =>
    verbs(commands).map((each) => Object.assign(each, { group })),
  ),
};
