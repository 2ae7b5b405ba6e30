import * as flags from '../emulator/flags.ts';
import type { Taken } from '../../emulator/index.ts';
import { durationSeconds, wholeNumber } from '../arguments/numbers.ts';
import { type CommandDeclaration, defineCommand, sentence } from '../declare/define.ts';
import { CONTROL_EXITS } from './exits.ts';
import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../../contract/instant.ts';

/** Reads a duration as seconds. */
function durationArgument(text: string): number {
  const value = durationSeconds(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('expected a duration such as 90s, 15m, 12h, 3d or 1h30m.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads an ISO 8601 time, in UTC unless it has a time zone. */
function instantArgument(text: string): string {
  const parts = INSTANT.exec(text);
  const zoned = parts?.[1] === undefined || parts[4] !== undefined ? text : `${text}Z`;
  const time = parts === null ? Number.NaN : parseInstant(zoned);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'expected an ISO 8601 time of a day that exists, such as 2026-10-13T08:00:00Z.',
  );
}

/** Commands that make claims: launches and requests to a tool. */
export const launches = [
  defineCommand({
    name: 'launch',
    summary: 'create a launch of the tool',
    description: 'Create a launch and print its claims; --save also saves it by name.',
    flags: flags.EMULATOR_LAUNCH_FLAGS,
    examples: ['lectern emulator launch --role student --save amina'],
    exits: CONTROL_EXITS,
    load: async () => (await import('../emulator/launch.ts')).runLaunch,
  }),
  defineCommand({
    name: 'provision-request',
    summary: 'create a provision request',
    description:
      'Create a provision request and print its claims; --save also saves it by name. Returns the same request until the level is provisioned or 3 hours have passed.',
    flags: flags.PROVISION_REQUEST_FLAGS,
    examples: ['lectern emulator provision-request --save new'],
    exits: CONTROL_EXITS,
    load: async () => (await import('../emulator/provision-request.ts')).runProvisionRequest,
  }),
  defineCommand({
    name: 'locations-request',
    summary: 'send a locations request to a tool',
    description:
      'Send a locations request to a tool with a locations_url in the seed, and print the part of its answer that the service accepts, and the findings (exit 3 if it is rejected).',
    flags: flags.LOCATIONS_REQUEST_FLAGS,
    examples: ['lectern emulator locations-request --tool polls --course biology-101'],
    exits: [...CONTROL_EXITS, 3],
    load: async () => (await import('../emulator/locations-request.ts')).runLocationsRequest,
  }),
  defineCommand({
    name: 'fixture',
    summary: 'create launches of every kind for conformance tests',
    description:
      'Create launches of every kind, each call in new courses and with new tools, and print them as one JSON object, with the HTTP requests that control the emulator.',
    examples: ['lectern emulator fixture --json'],
    exits: CONTROL_EXITS,
    load: async () => (await import('../emulator/actions.ts')).runFixture,
  }),
];

/** A command that moves the clock by its argument, or shows it. */
function clockCommand(
  name: string,
  [summary, more = '']: [summary: string, more?: string],
  example: string,
  move?: Taken['POST clock'],
): CommandDeclaration {
  return defineCommand({
    name,
    summary,
    description: `${sentence(summary)}${more}`,
    examples: [`lectern emulator clock ${example}`],
    exits: CONTROL_EXITS,
    load: async () => {
      const { runClock } = await import('../emulator/actions.ts');
      return (context) => runClock(context, move);
    },
  });
}

export const clock: CommandDeclaration = {
  name: 'clock',
  summary: "show or set the emulator's clock",
  commands: [
    clockCommand('show', ['show the time of the emulator'], 'show'),
    defineCommand({
      name: 'advance',
      summary: 'advance the clock',
      description: 'Advance the clock. Tokens that expire by then end.',
      args: [
        { name: '<duration>', help: 'such as 90s, 15m, 12h, 3d or 1h30m', parse: durationArgument },
      ],
      examples: ['lectern emulator clock advance 15m'],
      exits: CONTROL_EXITS,
      load: async () => {
        const { runClock } = await import('../emulator/actions.ts');
        return (context, advance_seconds) => runClock(context, { advance_seconds });
      },
    }),
    clockCommand(
      'reset',
      ["set the clock back to the machine's", ' Tokens that have ended stay ended.'],
      'reset',
      { machine: true },
    ),
    defineCommand({
      name: 'set',
      summary: 'set the clock',
      description: 'Set the clock; it runs on from there. Tokens that have ended stay ended.',
      args: [
        {
          name: '<iso>',
          help: 'such as 2026-10-13T08:00:00Z; UTC if no time zone is given',
          parse: instantArgument,
        },
      ],
      examples: ['lectern emulator clock set 2030-01-01T08:00:00Z'],
      exits: CONTROL_EXITS,
      load: async () => {
        const { runClock } = await import('../emulator/actions.ts');
        return (context, set) => runClock(context, { set });
      },
    }),
  ],
};

export const fault: CommandDeclaration = defineCommand({
  name: 'fault',
  summary: 'inject faults into matching responses',
  description:
    'Inject a fault into the next matching responses of the API or of the signed URLs. With --status the request has no effect; with --cut and --delay it has. Control requests are never affected.',
  flags: flags.FAULT_FLAGS,
  examples: ['lectern emulator fault --method POST --path scores --status 503'],
  exits: CONTROL_EXITS,
  load: async () => (await import('../emulator/fault.ts')).runFault,
  commands: [
    defineCommand({
      name: 'list',
      summary: 'list pending faults',
      description: 'List the faults that wait for their requests, each with its number.',
      examples: ['lectern emulator fault list'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/fault.ts')).runFaultList,
    }),
    defineCommand({
      name: 'remove',
      summary: 'remove one pending fault',
      description: 'Remove one pending fault.',
      args: [{ name: '<number>', help: 'its number, as listed', parse: wholeNumber({ from: 1 }) }],
      examples: ['lectern emulator fault remove 1'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/fault.ts')).runFaultRemove,
    }),
    defineCommand({
      name: 'clear',
      summary: 'remove all pending faults',
      description: 'Remove all pending faults.',
      examples: ['lectern emulator fault clear'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/fault.ts')).runClear,
    }),
  ],
});

export const member: CommandDeclaration = {
  name: 'member',
  summary: 'manage the members of courses',
  commands: [
    defineCommand({
      name: 'remove',
      summary: 'remove a member from the course',
      description:
        'Remove a member from the course. Their tokens end at once; their rows are kept.',
      args: [{ name: '<id>', help: 'the member ID, as in user.member' }],
      examples: ['lectern emulator member remove member-115'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/actions.ts')).runMemberRemove,
    }),
  ],
};

export const token: CommandDeclaration = {
  name: 'token',
  summary: 'manage the tokens of launches',
  commands: [
    defineCommand({
      name: 'end',
      summary: 'end the token of a launch',
      description: 'End the token of a launch, saved or in a file, immediately and permanently.',
      args: [{ name: '[name]', help: 'a saved launch, or a file' }],
      flags: flags.TOKEN_END_FLAGS,
      examples: ['lectern emulator token end spare'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/actions.ts')).runTokenEnd,
    }),
  ],
};
