import type { ListName } from './resources.ts';
import { parameter, type Parameters } from './parameters.ts';
import { TAKEN } from './taken.ts';

/** A command of `lectern emulator` that is one operation of the control API. */
export interface ControlCommand {
  /** Its words after `lectern emulator`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The parameters that its arguments and flags give. */
  readonly takes?: Parameters;
  /** The parameters that it always gives. */
  readonly given?: object;
  /** What follows the path in its examples; '' for nothing. */
  readonly examples?: readonly string[];
  /** Another name. */
  readonly alias?: string;
  /** The list that it prints. */
  readonly list?: ListName;
  /** What else it prints of the answer; by default all of it, as JSON. */
  readonly text?: (answer: never) => string;
  /** What it reports when it is done. */
  readonly note?: (answer: never, taken: never) => string;
}

interface Ended {
  readonly ended: number;
}

const iso = (clock: { readonly iso: string }): string => clock.iso;

const changed = (done: Ended & { readonly tool: { id: string; status: string } }): string =>
  `tool ${done.tool.id} is ${done.tool.status}; tokens ended: ${done.ended}`;

/** A command that changes the LMS until it is changed again. */
function lms(verb: string, summary: string, takes: Parameters, example: string, given?: object) {
  return {
    path: `lms ${verb}`,
    summary,
    description: `Set the LMS so that it ${summary}. Lasts until changed, or reset with lms ok.`,
    takes: { location: TAKEN.lms.location, ...takes },
    ...(given && { given }),
    examples: [example],
    list: 'lms',
  } as const;
}

const TOOL_ID = parameter.text('[id]', 'the tool ID (default: the first tool)');

/** A command that changes a tool; with `takes`, a version of it. */
function tool<const Action extends string>(
  action: Action,
  summary: string,
  example: string,
  takes: Parameters = {},
) {
  return {
    path: `tool ${action}`,
    summary,
    takes: { ...takes, tool: TOOL_ID },
    given: { action },
    examples: [example],
    note: changed,
  } as const;
}

const VERSION = { version: parameter.integer('<version>', 'its number', { from: 1 }) } as const;

/** A command that prints a page of a list. */
function show(list: ListName, what: string, takes: Parameters, example = '') {
  return {
    path: `show ${list}`,
    summary: `show ${what}`,
    takes,
    examples: [example],
    list,
  } as const;
}

/**
 * The commands by their operations: help, flags, the call and what is printed are made of them, and
 * so are the command lines that the console shows. A command that makes several calls, or reads or
 * writes files, is a verb in `src/cli/emulator`.
 */
export const COMMANDS = {
  'GET clock': [
    {
      path: 'clock show',
      summary: 'show the time of the emulator',
      examples: [''],
      text: iso,
    },
  ],
  'POST clock': [
    {
      path: 'clock advance',
      summary: 'advance the clock',
      description: 'Advance the clock. Tokens that expire by then end.',
      takes: {
        advance_seconds: parameter.duration('<duration>', 'such as 90s, 15m, 12h, 3d or 1h30m'),
      },
      examples: ['15m'],
      text: iso,
    },
    {
      path: 'clock reset',
      summary: "set the clock back to the machine's",
      description: "Set the clock back to the machine's. Tokens that have ended stay ended.",
      given: { machine: true },
      examples: [''],
      text: iso,
    },
    {
      path: 'clock set',
      summary: 'set the clock',
      description: 'Set the clock; it runs on from there. Tokens that have ended stay ended.',
      takes: {
        set: parameter.instant(
          '<iso>',
          'such as 2026-10-13T08:00:00Z; UTC if no time zone is given',
        ),
      },
      examples: ['2030-01-01T08:00:00Z'],
      text: iso,
    },
  ],
  'GET faults': [
    {
      path: 'fault list',
      summary: 'list pending faults',
      description: 'List the faults that wait for their requests, each with its number.',
      examples: [''],
      list: 'faults',
    },
  ],
  'POST fault/remove': [
    {
      path: 'fault remove',
      summary: 'remove one pending fault',
      takes: { id: parameter.integer('<number>', 'its number, as listed', { from: 1 }) },
      examples: ['1'],
      list: 'faults',
    },
  ],
  'POST fault/clear': [
    { path: 'fault clear', summary: 'remove all pending faults', examples: [''], list: 'faults' },
  ],
  'POST lms': [
    lms('ok', 'accepts every score (the default)', {}, '', { ok: true }),
    lms(
      'refuse',
      'rejects scores: all, or those selected by options',
      { refuse: TAKEN.refuse },
      '--status 422 --body "closed"',
    ),
    lms(
      'scope',
      'grants only the score scope, or the line item scope too',
      { scope: TAKEN.lms.scope },
      'lineitem',
    ),
    lms('column', 'has or lacks a gradebook column', { column: TAKEN.lms.column }, 'present'),
    lms(
      'points',
      'has this many points possible in the column',
      { points: TAKEN.lms.points },
      '50',
    ),
    lms('slow', 'responds slowly', { slow_ms: TAKEN.lms.slow_ms }, '0'),
  ],
  'POST member/remove': [
    {
      path: 'member remove',
      summary: 'remove a member from the course',
      description:
        'Remove a member from the course. Their tokens end at once; their rows are kept.',
      takes: { member: parameter.text('<id>', 'the member ID, as in user.member') },
      examples: ['member-115'],
      note: ({ ended }: Ended, { member }: { readonly member: string }) =>
        `removed ${member}; tokens ended: ${ended}`,
    },
  ],
  'POST tool': [
    tool('suspend', 'suspend a tool: its tokens end and its API key is rejected', 'polls'),
    tool('activate', 'activate a tool; tokens that have ended stay ended', 'polls'),
    tool('archive', 'archive a tool: its tokens end and its API key is rejected', 'polls'),
    tool('replace-code', 'replace the code of a tool, which ends its tokens', 'sketch'),
    tool('rotate-key', 'give a tool a new API key; the one before is rejected', 'essay'),
    {
      ...tool(
        'publish',
        'publish a version: a new one without code, or an existing one',
        'polls --visibility public',
        TAKEN.publish,
      ),
      description:
        'Publish a version of a tool. A private version is current at once; an unlisted or public one is sent for review, and current once it is approved.',
    },
    tool('approve', 'approve a version that is in review, making it current', '2 polls', VERSION),
    tool(
      'deprecate',
      'deprecate a version: courses that run it are offered an upgrade',
      '1 polls',
      VERSION,
    ),
    tool('pilot', 'let the sharing code "pilot" name a version', '2 polls', VERSION),
  ],
  'POST adopt': [
    {
      path: 'tool adopt',
      summary: 'let a course run the version that a sharing code names',
      description: 'Let a course run the version of a tool that a sharing code names.',
      takes: TAKEN.adopt,
      examples: ['pilot --course biology-101 --tool polls'],
      note: (
        { version, ended }: Ended & { readonly version: number },
        adopted: { readonly course: string; readonly tool: string },
      ) => `${adopted.course} runs version ${version} of ${adopted.tool}; tokens ended: ${ended}`,
    },
  ],
  'POST reset': [
    {
      path: 'reset',
      summary: 'delete all state',
      description:
        'Delete all rows, files, attempts, tokens and changes, and apply the seed again. Saved launches end.',
      examples: [''],
      note: () => 'the emulator was reset; saved launches have ended',
    },
  ],
  'POST fixture': [
    {
      path: 'fixture',
      summary: 'create launches of every kind for conformance tests',
      description:
        'Create launches of every kind, each call in new courses and with new tools, and print them as one JSON object, with the HTTP requests that control the emulator.',
      examples: ['--json'],
    },
  ],
  'GET members': [show('members', 'the members of all courses', TAKEN.members, '--search amina')],
  'GET tokens': [
    show('tokens', 'the tokens by their launch, newest first', TAKEN.tokens, '--live'),
  ],
  'GET rows': [show('rows', 'the written rows, and all shared ones', TAKEN.page)],
  'GET file-sets': [show('file-sets', 'the rows with files, and all shared ones', TAKEN.page)],
  'GET files': [show('files', 'the files of a row', TAKEN.files, 'member/essay/member-111')],
  'GET attempts': [show('attempts', 'the attempts, newest first', TAKEN.attempts)],
  'GET gradebook': [
    { ...show('gradebook', 'the scores that the LMS has', TAKEN.grades), alias: 'grades' },
  ],
} as const satisfies Readonly<Record<string, readonly ControlCommand[]>>;
