import { CommanderError, type Command } from 'commander';
import type { Kind } from '../../validator/schema.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runtime } from '../runtime.ts';
import * as flags from '../validate/flags.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';
import { OFFLINE_EXITS } from './exits.ts';

const PAYLOADS = {
  name: '[file...]',
  help: 'files, folders of .json files, or - for standard input',
} as const;

const FINDINGS = {
  columns: async () => (await import('../output/validate.ts')).FINDINGS,
  not: ['format'],
};

/** Declares a check, which calls nothing. */
const check: typeof defineCommand = (spec) =>
  defineCommand({ exits: OFFLINE_EXITS, list: FINDINGS, ...spec });

/** `--schema KIND` prints the schema and exits, like `--help`, whatever else is given. */
function printSchemaFirst(validate: Command, runtime: Runtime): void {
  validate.hook('preAction', async () => {
    const { schema } = validate.opts<{ schema?: Kind }>();
    if (schema === undefined) return;
    const { runSchema } = await import('../validate/documents.ts');
    await runSchema(runtime, schema);
    throw new CommanderError(EXIT.done, 'lectern.schema', '');
  });
}

export const validateNoun: Noun = {
  ignoresProject: true,
  flags: flags.SCHEMA_FLAG,
  commands: verbs({
    row: check({
      summary: 'validate the JSON object of a row',
      description:
        'Check the body of a PUT of a row: valid JSON, an object, its compact size against the limit of the row, and values that are accepted but probably a mistake.',
      args: [PAYLOADS],
      flags: flags.VALIDATE_ROW_FLAGS,
      examples: ['lectern validate row row.json --kind member'],
      load: async () => (await import('../validate/documents.ts')).runRow,
    }),
    patch: check({
      summary: 'validate the body of a PATCH',
      description:
        'Check the body of a PATCH: the { "patch": [ … ] } wrapper, every operation and every pointer. As on the service, a bare array is an error (lectern storage patch adds the wrapper). With --against, the patch is tested on a row and the resulting size is checked.',
      args: [PAYLOADS],
      flags: flags.VALIDATE_PATCH_FLAGS,
      examples: ['lectern validate patch patch.json --against row.json'],
      load: async () => (await import('../validate/documents.ts')).runPatch,
    }),
    file: check({
      summary: 'validate files before an upload',
      description:
        'Check files before an upload: the key (the base name, or --key) and the size; with --with and --kind also the number of files and the total size of the row. Standard input is read as the JSON body of a declaration.',
      args: [
        {
          name: '[path...]',
          help: 'files, folders with files, or - for a declaration on standard input',
        },
      ],
      flags: flags.VALIDATE_FILE_FLAGS,
      examples: ['lectern validate file rubric.txt --kind location'],
      load: async () => (await import('../validate/file.ts')).runFile,
    }),
    key: check({
      summary: 'validate file keys',
      description:
        'Check the characters and the length of file keys. For an invalid key, a valid one is suggested.',
      args: [
        {
          name: '[key...]',
          help: 'file keys; omit or - to read one key per line from standard input',
        },
      ],
      flags: flags.VALIDATE_REPORT_FLAGS,
      examples: ['lectern validate key rubric.txt'],
      load: async () => (await import('../validate/documents.ts')).runKey,
    }),
    grade: check({
      summary: 'validate the body of a grade submission',
      description:
        'Check the body of a grade submission and report the messages that the service would give.',
      args: [PAYLOADS],
      flags: flags.VALIDATE_REPORT_FLAGS,
      examples: ['lectern validate grade grade.json'],
      load: async () => (await import('../validate/documents.ts')).runGrade,
    }),
    grades: check({
      summary: 'validate a grade file',
      description:
        'Check a grade file (CSV or NDJSON) as lectern grade submit --from does. Every record is checked; a member may occur only once.',
      args: [{ name: '[file...]', help: 'files, or - for standard input' }],
      flags: flags.VALIDATE_GRADES_FLAGS,
      examples: ['lectern validate grades grades.csv'],
      load: async () => (await import('../validate/grades.ts')).runGrades,
    }),
    launch: check({
      summary: 'validate a launch or provision request',
      description:
        'Check a launch or provision request, in any form that lectern launch decode accepts; with --launch and no file, a saved launch. The token is never shown.',
      args: [PAYLOADS],
      flags: flags.VALIDATE_LAUNCH_FLAGS,
      examples: ['lectern validate launch claims.json --strict'],
      load: async () => (await import('../validate/documents.ts')).runLaunch,
    }),
    locations: check({
      summary: "validate a tool's answer to a locations request",
      description:
        "Check a tool's answer to a locations request: its structure, the length of its message, and the nesting of its groups.",
      args: [PAYLOADS],
      flags: flags.VALIDATE_REPORT_FLAGS,
      examples: ['lectern validate locations locations.json'],
      load: async () => (await import('../validate/documents.ts')).runLocations,
    }),
    'hosted-tool': check({
      summary: 'validate the folder or zip of a hosted tool',
      description:
        'Check a hosted tool before an upload: its zipped and total size, the reserved file at its root, and the manifest keys that are refused. A zip is unpacked, up to the limit of the whole tool.',
      args: [{ name: '[path...]', help: 'folders and zips, or - for a zip on standard input' }],
      flags: flags.VALIDATE_REPORT_FLAGS,
      examples: ['lectern validate hosted-tool tool'],
      load: async () => (await import('../validate/hosted-tool.ts')).runHostedTool,
    }),
    seed: check({
      summary: 'validate the seed of an emulator',
      description:
        'Check a seed as emulator start --seed does: its structure, and that its names are unique and known.',
      args: [PAYLOADS],
      flags: flags.VALIDATE_REPORT_FLAGS,
      examples: ['lectern validate seed seed.json'],
      load: async () => (await import('../validate/documents.ts')).runSeed,
    }),
  }),
  extend: printSchemaFirst,
};
