import { COMMANDS, type ControlCommand } from '../../control-api/commands.ts';
import { flagName, flattened } from '../../control-api/parameters.ts';
import { type ListName, RESOURCES } from '../../control-api/resources.ts';
import type { ListSpec } from '../arguments/fields.ts';
import * as flags from '../emulator/flags.ts';
import { specOf } from '../arguments/parameters.ts';
import { type CommandDeclaration, defineCommand, verbs } from '../declare/define.ts';
import { CONTROL_EXITS } from './exits.ts';

/** Declares a command that calls the emulator's control API, and ends as such calls do. */
export const controlCommand: typeof defineCommand = (spec) =>
  defineCommand({ exits: CONTROL_EXITS, ...spec });

function listOf(list: ListName): Pick<ListSpec, 'columns'> {
  if (list !== 'lms') return { columns: async () => RESOURCES[list] };
  return { columns: async () => (await import('../output/emulator.ts')).columnsOfList(list) };
}

/** The declaration of a command that is one operation. */
function declared(operation: keyof typeof COMMANDS, command: ControlCommand): CommandDeclaration {
  const { path, takes = {}, examples = [], alias, list } = command;
  const parameters = flattened(takes).map(([, each]) => each);
  const named = parameters.filter((each) => flagName(each) !== undefined);
  const args = parameters.filter((each) => flagName(each) === undefined);
  const made = controlCommand({
    summary: command.summary,
    ...(command.description !== undefined && { description: command.description }),
    args: args.map((each) => Object.assign(specOf(each), { name: each.as })),
    flags: Object.fromEntries(named.map((each) => [each.as, specOf(each)])),
    examples: examples.map((words) => `lectern emulator ${path} ${words}`.trimEnd()),
    ...(list && { list: listOf(list) }),
    ...(alias !== undefined && { extend: (added) => void added.alias(alias) }),
    load: async () => {
      const { runRequest } = await import('../emulator/request.ts');
      return (context, ...words) => runRequest(context, operation, command, words);
    },
  });
  return { ...made, name: path.split(' ').at(-1) ?? '' };
}

/** The commands below a word, such as `clock`; '' for those without one. */
function commandsBelow(group: string): CommandDeclaration[] {
  const operations = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
  return operations.flatMap((operation) =>
    COMMANDS[operation]
      .filter(({ path }) => path.split(' ').slice(0, -1).join(' ') === group)
      .map((command) => declared(operation, command)),
  );
}

export const clock = {
  summary: "show or set the emulator's clock",
  commands: commandsBelow('clock'),
};

export const lms = {
  summary: 'set the behavior of the LMS, for all locations or one',
  commands: commandsBelow('lms'),
};

export const member = {
  summary: 'manage the members of courses',
  commands: commandsBelow('member'),
};

export const [reset, fixture] = commandsBelow('') as [CommandDeclaration, CommandDeclaration];

export const fault = controlCommand({
  summary: 'inject faults into matching responses',
  description:
    'Inject a fault into the next matching responses of the API or of the signed URLs. With --status the request has no effect; with --cut and --delay it has. Control requests are never affected.',
  flags: flags.FAULT_FLAGS,
  examples: ['lectern emulator fault --method POST --path scores --status 503'],
  list: listOf('faults'),
  load: async () => (await import('../emulator/asks.ts')).runFault,
  commands: commandsBelow('fault'),
});

export const token = {
  summary: 'manage the tokens of launches',
  commands: verbs({
    end: controlCommand({
      summary: 'end the token of a launch',
      description: 'End the token of a launch, saved or in a file, immediately and permanently.',
      args: [{ name: '[name]', help: 'a saved launch, or a file' }],
      flags: flags.TOKEN_END_FLAGS,
      examples: ['lectern emulator token end spare'],
      load: async () => (await import('../emulator/asks.ts')).runTokenEnd,
    }),
  }),
};

export const tool = {
  summary: 'change the status of a tool, as the dashboard does',
  commands: verbs({
    upload: defineCommand({
      summary: 'upload the code of a hosted tool',
      description:
        'Check the code of a hosted tool by the contract and upload it as a new version. A private version is current at once, which ends the launch tokens of the courses that run it; an unlisted or public one once it is approved. Code that is refused (exit 3) changes nothing.',
      args: [{ name: '<path>', help: 'a zip, or the folder of the tool' }],
      flags: flags.TOOL_UPLOAD_FLAGS,
      examples: [
        'lectern emulator tool upload tool',
        'lectern emulator tool upload tool --tool sketch --visibility public',
      ],
      exits: [...CONTROL_EXITS, 3],
      load: async () => (await import('../emulator/tool-upload.ts')).runToolUpload,
    }),
  }).concat(commandsBelow('tool')),
};

/** The parts of the emulator's state, a page at a time; `emulator state` prints all of them. */
export const show = {
  summary: 'show members, tokens, rows, file sets, files, attempts or grades',
  commands: [
    ...commandsBelow('show'),
    ...verbs({
      row: controlCommand({
        summary: 'print or write a row, or list its versions',
        description:
          'Print the bytes of a row, as named by emulator show rows. --put writes it by the rules of a PUT, without a launch. The last 20 versions are kept, 32 MB in all; the service keeps none.',
        args: [{ name: '<row>', help: 'such as member/essay/member-111' }],
        flags: flags.ROW_FLAGS,
        examples: [
          'lectern emulator show row member/essay/member-111',
          'lectern emulator show row member/essay/member-111 --versions',
        ],
        exits: [...CONTROL_EXITS, 3],
        list: { ...listOf('versions'), only: 'versions' },
        load: async () => (await import('../emulator/asks.ts')).runRow,
      }),
    }),
  ],
};
