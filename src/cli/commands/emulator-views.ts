import * as flags from '../emulator/flags.ts';
import { defineCommand } from '../declare/define.ts';
import { CONTROL_EXITS } from './exits.ts';

/* Parts of the emulator's state: `emulator state` prints all of them. */

const summary = defineCommand({
  name: 'summary',
  summary: 'show how much there is of everything',
  description: 'Show how many tools, courses, members, rows, files, attempts and tokens there are.',
  examples: ['lectern emulator summary'],
  exits: CONTROL_EXITS,
  load: async () => (await import('../emulator/views.ts')).runSummary,
});

const show = defineCommand({
  name: 'show',
  summary: 'show members, tokens, rows, files, attempts or grades',
  description:
    'Show a part of the state, a page at a time. Tokens are named by their launch. Attempts and tokens are shown newest first.',
  args: [
    {
      name: '<what>',
      help: 'what to show',
      choices: ['members', 'tokens', 'rows', 'files', 'attempts', 'gradebook'],
    },
  ],
  flags: flags.STATE_FLAGS,
  examples: ['lectern emulator show members --search amina'],
  exits: CONTROL_EXITS,
  load: async () => (await import('../emulator/views.ts')).runList,
});

const row = defineCommand({
  name: 'row',
  summary: 'print or write a row, or list its versions',
  description:
    'Print the bytes of a row, as named by emulator show rows. --put writes it by the rules of a PUT, without a launch. The last 20 versions since the start are kept in memory; the service keeps none.',
  args: [{ name: '<row>', help: 'such as member/essay/member-111' }],
  flags: flags.EMULATOR_ROW_FLAGS,
  examples: [
    'lectern emulator row member/essay/member-111',
    'lectern emulator row member/essay/member-111 --versions',
  ],
  exits: [...CONTROL_EXITS, 3],
  load: async () => (await import('../emulator/row.ts')).runRow,
});

const events = defineCommand({
  name: 'events',
  summary: 'follow requests and changes',
  description:
    'Print requests and changes as they happen, one JSON object per line, until interrupted. Each has a number, after which --after continues.',
  flags: flags.EVENTS_FLAGS,
  examples: ['lectern emulator events --after 120'],
  exits: [...CONTROL_EXITS, 130],
  load: async () => (await import('../emulator/views.ts')).runEvents,
});

export const views = [summary, show, row, events];
