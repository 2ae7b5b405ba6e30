import { LIMIT_FLAG } from '../arguments/numbers.ts';
import * as flags from '../launch/flags.ts';
import { defineCommand, type Noun } from '../declare/define.ts';
import { CALL_EXITS, OFFLINE_EXITS } from './exits.ts';
import { SAVED } from './saved.ts';

const NAME = { name: '[name]', help: 'a saved launch' } as const;
const FILE = { name: '[file]', help: 'the launch; omit or - for standard input' } as const;

const capture = defineCommand({
  name: 'capture',
  summary: 'write the course of a launch as a seed',
  description:
    'Read every row and file set that the token may read, and write a seed with which emulator start answers as the course did: the same names, sizes and quotas. Texts and numbers in rows, names and IDs are replaced; --with-content keeps them, and downloads the files into a folder beside the seed. See lectern explain capture.',
  args: [{ ...NAME, help: 'a saved launch or a file; defaults to the launch in use' }],
  flags: flags.CAPTURE_FLAGS,
  examples: ['lectern launch capture teacher --to course.json'],
  exits: [3, ...CALL_EXITS, 9],
  list: { columns: async () => (await import('../output/checks.ts')).CAPTURED_ROWS },
  load: async () => (await import('../launch/capture.ts')).runCapture,
});

const check = defineCommand({
  name: 'check',
  summary: 'check which URLs of a launch respond',
  description:
    'Read every row and file set of a launch in parallel and report which URLs respond. Writes nothing: the grade and provision URLs are not called. Exits with the code of the worst result, in the order 4, 8, 3, 7, 5, 6. A successful call restarts the idle time of the token.',
  args: [{ ...NAME, help: 'a saved launch or a file; defaults to the launch in use' }],
  flags: flags.CHECK_FLAGS,
  examples: ['lectern launch check teacher'],
  exits: [4, 8, 3, 7, 5, 6],
  list: { columns: async () => (await import('../output/checks.ts')).CHECKS },
  load: async () => (await import('../launch/check.ts')).runCheck,
});

const decode = defineCommand({
  name: 'decode',
  summary: 'decode and explain a launch',
  description:
    'Explain a launch: its claims, findings, and the commands it permits. Accepts claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that contains one, or base64; with --launch, a saved launch.',
  args: [FILE],
  flags: flags.DECODE_FLAGS,
  examples: ['lectern launch decode claims.json', 'lectern launch decode --exit-code -l teacher'],
  exits: OFFLINE_EXITS,
  load: async () => (await import('../launch/decode.ts')).runDecode,
});

const list = defineCommand({
  name: 'list',
  summary: 'list saved launches',
  description:
    'List the saved launches, with their users and courses and the last known state of their tokens. A * marks the launch in use.',
  flags: LIMIT_FLAG,
  examples: ['lectern launch list'],
  list: { columns: async () => (await import('../output/launch.ts')).SAVED_LAUNCHES },
  load: SAVED.list('launch'),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'delete a saved launch',
  description: 'Delete a saved launch and its token. The token itself stays valid until it ends.',
  args: [{ ...NAME, name: '<name>' }],
  examples: ['lectern launch rm spare'],
  load: SAVED.remove('launch'),
});

const save = defineCommand({
  name: 'save',
  summary: 'save a launch by name',
  description:
    'Save a launch or provision request by name, in a file that only you can read. Accepts the same input as decode. On a terminal it prompts for missing values.',
  args: [{ name: '[name]', help: 'the name to save it under' }, FILE],
  flags: flags.SAVE_LAUNCH_FLAGS,
  examples: ['lectern launch save monday claims.json'],
  exits: OFFLINE_EXITS,
  load: async () => (await import('../launch/save.ts')).runSave,
});

const show = defineCommand({
  name: 'show',
  summary: 'show a saved launch',
  description:
    'Show a saved launch; defaults to the launch in use. Its token, and possible secrets in its URLs, are hidden unless --reveal is given.',
  args: [NAME],
  flags: flags.SHOW_FLAGS,
  examples: ['lectern launch show', 'lectern launch show teacher --reveal api.token'],
  exits: [6],
  load: async () => (await import('../launch/show.ts')).runShow,
});

const use = defineCommand({
  name: 'use',
  summary: 'set the default launch',
  description:
    'Set the launch that commands use by default. Without a name, prompts on a terminal.',
  args: [NAME],
  examples: ['lectern launch use teacher'],
  load: SAVED.use('launch'),
});

export const launchNoun: Noun = { commands: [decode, check, capture, save, list, use, show, rm] };
