import * as flags from '../emulator/flags.ts';
import type { Taken } from '../../emulator/index.ts';
import { durationSeconds, number, wholeNumber } from '../arguments/numbers.ts';
import { type ArgumentSpec, type CommandDeclaration, defineCommand } from '../declare/define.ts';
import { controlCommand, request } from './emulator-request.ts';
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

export const clock: CommandDeclaration = {
  name: 'clock',
  summary: "show or set the emulator's clock",
  commands: [
    controlCommand({
      name: 'show',
      summary: 'show the time of the emulator',
      examples: ['lectern emulator clock show'],
      load: request('GET clock', () => ({})),
    }),
    controlCommand({
      name: 'advance',
      summary: 'advance the clock',
      description: 'Advance the clock. Tokens that expire by then end.',
      args: [
        { name: '<duration>', help: 'such as 90s, 15m, 12h, 3d or 1h30m', parse: durationArgument },
      ],
      examples: ['lectern emulator clock advance 15m'],
      load: request('POST clock', (_, advance_seconds) => ({ advance_seconds })),
    }),
    controlCommand({
      name: 'reset',
      summary: "set the clock back to the machine's",
      description: "Set the clock back to the machine's. Tokens that have ended stay ended.",
      examples: ['lectern emulator clock reset'],
      load: request('POST clock', () => ({ machine: true })),
    }),
    controlCommand({
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
      load: request('POST clock', (_, set) => ({ set })),
    }),
  ],
};

const FAULTS = { tables: async () => [(await import('../output/emulator.ts')).faultTable([])] };

export const fault: CommandDeclaration = controlCommand({
  name: 'fault',
  summary: 'inject faults into matching responses',
  description:
    'Inject a fault into the next matching responses of the API or of the signed URLs. With --status the request has no effect; with --cut and --delay it has. Control requests are never affected.',
  flags: flags.FAULT_FLAGS,
  examples: ['lectern emulator fault --method POST --path scores --status 503'],
  list: FAULTS,
  load: async () => (await import('../emulator/fault.ts')).runFault,
  commands: [
    controlCommand({
      name: 'list',
      summary: 'list pending faults',
      description: 'List the faults that wait for their requests, each with its number.',
      examples: ['lectern emulator fault list'],
      list: FAULTS,
      load: request('GET faults', () => ({})),
    }),
    controlCommand({
      name: 'remove',
      summary: 'remove one pending fault',
      args: [{ name: '<number>', help: 'its number, as listed', parse: wholeNumber({ from: 1 }) }],
      examples: ['lectern emulator fault remove 1'],
      list: FAULTS,
      load: request('POST fault/remove', (_, id) => ({ id })),
    }),
    controlCommand({
      name: 'clear',
      summary: 'remove all pending faults',
      examples: ['lectern emulator fault clear'],
      list: FAULTS,
      load: request('POST fault/clear', () => ({})),
    }),
  ],
});

export const member: CommandDeclaration = {
  name: 'member',
  summary: 'manage the members of courses',
  commands: [
    controlCommand({
      name: 'remove',
      summary: 'remove a member from the course',
      description:
        'Remove a member from the course. Their tokens end at once; their rows are kept.',
      args: [{ name: '<id>', help: 'the member ID, as in user.member' }],
      examples: ['lectern emulator member remove member-115'],
      load: request('POST member/remove', (_, id) => ({ member: id })),
    }),
  ],
};

export const token: CommandDeclaration = {
  name: 'token',
  summary: 'manage the tokens of launches',
  commands: [
    controlCommand({
      name: 'end',
      summary: 'end the token of a launch',
      description: 'End the token of a launch, saved or in a file, immediately and permanently.',
      args: [{ name: '[name]', help: 'a saved launch, or a file' }],
      flags: flags.TOKEN_END_FLAGS,
      examples: ['lectern emulator token end spare'],
      load: async () => (await import('../emulator/token-end.ts')).runTokenEnd,
    }),
  ],
};

const lmsDescription = (summary: string): string =>
  `Set the LMS so that it ${summary}. Lasts until changed, or reset with lms ok.`;

/** A command that sets one field of the LMS to its argument. */
function lmsField<Field extends keyof Taken['POST lms']>(
  field: Field,
  name: string,
  summary: string,
  argument: ArgumentSpec,
  example: string,
): CommandDeclaration {
  return controlCommand({
    name,
    summary,
    description: lmsDescription(summary),
    args: [argument],
    flags: flags.LMS_FLAGS,
    examples: [`lectern emulator lms ${example}`],
    load: request('POST lms', ({ location }, value) => ({ [field]: value, location })),
  });
}

const ACCEPTS = 'accepts every score (the default)';
const REJECTS = 'rejects scores: all, or those selected by options';

export const lms: CommandDeclaration = {
  name: 'lms',
  summary: 'set the behavior of the LMS, for all locations or one',
  commands: [
    controlCommand({
      name: 'ok',
      summary: ACCEPTS,
      description: lmsDescription(ACCEPTS),
      flags: flags.LMS_FLAGS,
      examples: ['lectern emulator lms ok'],
      load: request('POST lms', ({ location }) => ({ ok: true, location })),
    }),
    controlCommand({
      name: 'refuse',
      summary: REJECTS,
      description: lmsDescription(REJECTS),
      flags: flags.REFUSE_FLAGS,
      examples: ['lectern emulator lms refuse --status 422 --body "closed"'],
      load: request('POST lms', ({ location, status, body, member: members, percent, times }) => ({
        refuse: { status, body, members, percent, times },
        location,
      })),
    }),
    lmsField(
      'scope',
      'scope',
      'grants only the score scope, or the line item scope too',
      { name: '<scope>', choices: ['score', 'lineitem'] },
      'scope lineitem',
    ),
    lmsField(
      'column',
      'column',
      'has or lacks a gradebook column',
      { name: '<column>', choices: ['present', 'missing'] },
      'column present',
    ),
    lmsField(
      'points',
      'points',
      'has this many points possible in the column',
      { name: '<points>', help: 'such as 50', parse: number({ above: 0 }) },
      'points 50',
    ),
    lmsField(
      'slow_ms',
      'slow',
      'responds slowly',
      { name: '<ms>', help: 'milliseconds; 0 for no delay', parse: number({ from: 0 }) },
      'slow 0',
    ),
  ],
};

const ID = { name: '[id]', help: 'the tool; else the first' } as const;

type ToolAction = Extract<Taken['POST tool'], { action: unknown }>['action'];

function toolStatus(action: ToolAction, summary: string, id: string): CommandDeclaration {
  return controlCommand({
    name: action,
    summary,
    args: [{ name: '[id]', help: 'the tool ID (default: the first tool)' }],
    examples: [`lectern emulator tool ${action} ${id}`],
    load: request('POST tool', (_, tool) => ({ action, tool })),
  });
}

function toolVersion(action: ToolAction, summary: string, example: number): CommandDeclaration {
  return controlCommand({
    name: action,
    summary,
    args: [{ name: '<version>', help: 'its number', parse: wholeNumber({ from: 1 }) }, ID],
    examples: [`lectern emulator tool ${action} ${example} polls`],
    load: request('POST tool', (_, version, tool) => ({ action, tool, version })),
  });
}

export const tool: CommandDeclaration = {
  name: 'tool',
  summary: 'change the status of a tool, as the dashboard does',
  commands: [
    toolStatus('suspend', 'suspend a tool: its tokens end and its API key is rejected', 'polls'),
    toolStatus('activate', 'activate a tool; tokens that have ended stay ended', 'polls'),
    toolStatus('archive', 'archive a tool: its tokens end and its API key is rejected', 'polls'),
    toolStatus('replace-code', 'replace the code of a tool, which ends its tokens', 'sketch'),
    defineCommand({
      name: 'upload',
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
    controlCommand({
      name: 'publish',
      summary: 'publish a version: a new one without code, or an existing one',
      description:
        'Publish a version of a tool. A private version is current at once; an unlisted or public one is sent for review, and current once it is approved.',
      args: [ID],
      flags: flags.PUBLISH_FLAGS,
      examples: [
        'lectern emulator tool publish polls --visibility public',
        'lectern emulator tool publish polls --version-number 1',
      ],
      load: request('POST tool', ({ visibility, versionNumber: version }, id) => ({
        action: 'publish',
        tool: id,
        visibility,
        version,
      })),
    }),
    toolVersion('approve', 'approve a version that is in review, which makes it current', 2),
    toolVersion('deprecate', 'deprecate a version: courses that run it are offered an upgrade', 1),
    toolVersion('pilot', 'let the sharing code "pilot" name a version', 2),
    controlCommand({
      name: 'adopt',
      summary: 'let a course run the version that a sharing code names',
      description: 'Let a course run the version of a tool that a sharing code names.',
      args: [{ name: '<code>', help: 'current, pilot, or the number of a version' }],
      flags: flags.ADOPT_FLAGS,
      examples: ['lectern emulator tool adopt pilot --course biology-101 --tool polls'],
      load: request('POST adopt', ({ course, tool: id }, code) => ({ course, tool: id, code })),
    }),
  ],
};
