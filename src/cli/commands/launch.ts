import * as flags from '../launch/flags.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';
import { CALL_EXITS, OFFLINE_EXITS } from './exits.ts';
import { withTexts, savedCommands, type Texts } from './saved.ts';

const NAME = {
  name: '[name]',
  help: 'a saved launch or a file; defaults to the launch in use',
} as const;
const FILE = { name: '[file]', help: 'the launch; omit or - for standard input' } as const;

const SHOW: Texts = [
  'show a launch',
  'Show a saved launch, or one in a file; defaults to the launch in use. Its token, and possible secrets in its URLs, are hidden unless --reveal is given.',
  'lectern launch show',
  'lectern launch show teacher --reveal api.token',
];

export const launchNoun: Noun = {
  commands: verbs({
    decode: defineCommand({
      summary: 'decode and explain a launch',
      description:
        'Explain a launch: its claims, findings, and the commands it permits. Accepts claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that contains one, or base64; with --launch, a saved launch.',
      args: [FILE],
      flags: flags.DECODE_FLAGS,
      examples: [
        'lectern launch decode claims.json',
        'lectern launch decode --exit-code -l teacher',
      ],
      exits: OFFLINE_EXITS,
      load: async () => (await import('../launch/decode.ts')).runDecode,
    }),
    check: defineCommand({
      summary: 'check which URLs of a launch respond',
      description:
        'Read every row and file set of a launch in parallel and report which URLs respond. Writes nothing: the grade and provision URLs are not called. Exits with the code of the worst result, in the order 4, 8, 3, 7, 5, 6. A successful call restarts the idle time of the token.',
      args: [NAME],
      flags: flags.CHECK_FLAGS,
      examples: ['lectern launch check teacher'],
      exits: [4, 8, 3, 7, 5, 6],
      list: { columns: async () => (await import('../output/checks.ts')).CHECKS },
      load: async () => (await import('../launch/check.ts')).runCheck,
    }),
    capture: defineCommand({
      summary: 'write the course of a launch as a seed',
      description:
        'Read every row and file set that the token may read, and write a seed with which emulator start answers as the course did: the same names, sizes and quotas. Texts and numbers in rows, names and IDs are replaced; --with-content keeps them, and downloads the files into a folder beside the seed. See lectern explain capture.',
      args: [NAME],
      flags: flags.CAPTURE_FLAGS,
      examples: ['lectern launch capture teacher --to course.json'],
      exits: [3, ...CALL_EXITS, 9],
      list: { columns: async () => (await import('../output/checks.ts')).CAPTURED_ROWS },
      load: async () => (await import('../launch/capture.ts')).runCapture,
    }),
    save: defineCommand({
      summary: 'save a launch by name',
      description:
        'Save a launch or provision request by name, in a file that only you can read. Accepts the same input as decode. On a terminal it prompts for missing values.',
      args: [{ name: '[name]', help: 'the name to save it under' }, FILE],
      flags: flags.SAVE_LAUNCH_FLAGS,
      examples: ['lectern launch save monday claims.json'],
      exits: OFFLINE_EXITS,
      load: async () => (await import('../launch/save.ts')).runSave,
    }),
    ...savedCommands('launch', {
      list: [
        'list saved launches',
        'List the saved launches, with their users and courses and the last known state of their tokens. A * marks the launch in use.',
        'lectern launch list',
      ],
      use: [
        'set the default launch',
        'Set the launch that commands use by default. Without a name, prompts on a terminal.',
        'lectern launch use teacher',
      ],
      show: SHOW,
      rm: [
        'delete a saved launch',
        'Delete a saved launch and its token. The token itself stays valid until it ends.',
        'lectern launch rm spare',
      ],
    }),
    show: defineCommand({
      ...withTexts(SHOW),
      args: [NAME],
      flags: flags.SHOW_FLAGS,
      exits: [3, 6],
      load: async () => (await import('../launch/show.ts')).runShow,
    }),
  }),
};
