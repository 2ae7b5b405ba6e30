import { CommanderError, Option, type Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { KINDS, type Kind } from '../../validator/schema.ts';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';
import { kindOf } from '../../contract/index.ts';
import { number } from '../arguments/numbers.ts';
import { rowName } from '../arguments/rows.ts';
import type { Format } from '../validate/report.ts';
import { addReadingFlags } from './flags.ts';
import { CONTRACT_HELP, contractDate } from '../arguments/contract-date.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const validate = group(program, 'validate', summary);
  addSchema(validate, runtime);
  registerRow(validate, runtime);
  registerPatch(validate, runtime);
  registerFile(validate, runtime);
  registerKey(validate, runtime);
  registerGrade(validate, runtime);
  registerGrades(validate, runtime);
  registerLaunch(validate, runtime);
  registerLocations(validate, runtime);
  registerHostedTool(validate, runtime);
}

/** `--schema KIND` prints the schema and exits, like `--help`, whatever else is given. */
function addSchema(validate: Command, runtime: Runtime): void {
  const kinds = new Option('--schema <kind>', 'print the JSON Schema of a payload kind');
  validate.addOption(kinds.choices(KINDS)).hook('preAction', async () => {
    const { schema } = validate.opts<{ schema?: Kind }>();
    if (schema === undefined) return;
    const { runSchema } = await import('../validate/documents.ts');
    await runSchema(runtime, schema);
    throw new CommanderError(EXIT.done, 'lectern.schema', '');
  });
}

/** `--kind ROW`: the row whose limits apply. */
function addKind(command: Command): Command {
  return command.option('--kind <row>', 'the row it is for, whose limits apply', (name) =>
    kindOf(rowName(name)),
  );
}

/** `--warn-at 80%`. */
function addSizeFlags(command: Command): Command {
  return command.option(
    '--warn-at <percent>',
    'warn at this percentage of the size limit (default: 80%)',
    partOf,
  );
}

const percent = number({ from: 1, to: 100 });

function partOf(text: string): number {
  return percent(text.replace(/%$/, '')) / 100;
}

/** How help explains what a payload is read from. */
const PAYLOADS_ARGUMENT = 'files, folders of .json files, or - for standard input';

const FORMATS: readonly Format[] = ['table', 'json', 'sarif'];

/** Adds the flags of the report. */
function addReportFlags(command: Command): Command {
  return command
    .option('--strict', 'treat warnings as errors')
    .addOption(
      new Option('--format <format>', 'output format; sarif is for code scanning').choices(FORMATS),
    );
}

function registerFile(parent: Command, runtime: Runtime): void {
  const file = parent
    .command('file')
    .summary('validate files before an upload')
    .description(
      'Check files before an upload: the key (the base name, or --key) and the size; with --with and --kind also the number of files and the total size of the row. Standard input is read as the JSON body of a declaration.',
    )
    .argument('[path...]', 'files, folders with files, or - for a declaration on standard input')
    .option('--key <key>', 'file key (default: the base name)')
    .option('--with <listing>', 'file listing of the row, from: lectern files ls ROW --json');
  addReportFlags(addKind(file)).action(
    verb(runtime, async (context, paths) => {
      const { runFile } = await import('../validate/file.ts');
      await runFile(context, paths);
    }),
  );
}

function registerGrade(parent: Command, runtime: Runtime): void {
  const grade = parent
    .command('grade')
    .summary('validate the body of a grade submission')
    .description(
      'Check the body of a grade submission and report the messages that the service would give.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(grade).action(
    verb(runtime, async (context, files) => {
      const { runGrade } = await import('../validate/documents.ts');
      await runGrade(context, files);
    }),
  );
}

function registerGrades(parent: Command, runtime: Runtime): void {
  const grades = parent
    .command('grades')
    .summary('validate a grade file')
    .description(
      'Check a grade file (CSV or NDJSON) as lectern grade submit --from does. Every record is checked; a member may occur only once.',
    )
    .argument('[file...]', 'files, or - for standard input')
    .option('--max-score <points>', 'maximum of points for records without max_score');
  addReportFlags(addReadingFlags(grades)).action(
    verb(runtime, async (context, files) => {
      const { runGrades } = await import('../validate/grades.ts');
      await runGrades(context, files);
    }),
  );
}

function registerHostedTool(parent: Command, runtime: Runtime): void {
  const tool = parent
    .command('hosted-tool')
    .summary('validate the folder or zip of a hosted tool')
    .description(
      'Check a hosted tool before an upload: its zipped and total size, the reserved file at its root, and the manifest keys that are refused. Of a zip, only the directory and the manifest are read.',
    )
    .argument('[path...]', 'folders and zips, or - for a zip on standard input');
  addReportFlags(tool).action(
    verb(runtime, async (context, paths) => {
      const { runHostedTool } = await import('../validate/hosted-tool.ts');
      await runHostedTool(context, paths);
    }),
  );
}

function registerKey(parent: Command, runtime: Runtime): void {
  const key = parent
    .command('key')
    .summary('validate file keys')
    .description(
      'Check the characters and the length of file keys. For an invalid key, a valid one is suggested.',
    )
    .argument('[key...]', 'file keys; omit or - to read one key per line from standard input');
  addReportFlags(key).action(
    verb(runtime, async (context, keys) => {
      const { runKey } = await import('../validate/key.ts');
      await runKey(context, keys);
    }),
  );
}

function registerLaunch(parent: Command, runtime: Runtime): void {
  const launch = parent
    .command('launch')
    .summary('validate a launch or provision request')
    .description(
      'Check a launch or provision request, in any form that lectern launch decode accepts; with --launch and no file, a saved launch. The token is never shown.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--contract <date>', CONTRACT_HELP, contractDate);
  addReportFlags(launch).action(
    verb(runtime, async (context, files) => {
      const { runLaunch } = await import('../validate/documents.ts');
      await runLaunch(context, files);
    }),
  );
}

function registerLocations(parent: Command, runtime: Runtime): void {
  const locations = parent
    .command('locations')
    .summary("validate a tool's answer to a locations request")
    .description(
      "Check a tool's answer to a locations request: its structure, the length of its message, and the nesting of its groups.",
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(locations).action(
    verb(runtime, async (context, files) => {
      const { runLocations } = await import('../validate/documents.ts');
      await runLocations(context, files);
    }),
  );
}

function registerPatch(parent: Command, runtime: Runtime): void {
  const patch = parent
    .command('patch')
    .summary('validate the body of a PATCH')
    .description(
      'Check the body of a PATCH: the { "patch": [ … ] } wrapper, every operation and every pointer. As on the service, a bare array is an error (lectern storage patch adds the wrapper). With --against, the patch is tested on a row and the resulting size is checked.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--against <rowfile>', 'the current row; - for standard input');
  addReportFlags(addSizeFlags(addKind(patch))).action(
    verb(runtime, async (context, files) => {
      const { runPatch } = await import('../validate/documents.ts');
      await runPatch(context, files);
    }),
  );
}

function registerRow(parent: Command, runtime: Runtime): void {
  const row = parent
    .command('row')
    .summary('validate the JSON object of a row')
    .description(
      'Check the body of a PUT of a row: valid JSON, an object, its compact size against the limit of the row, and values that are accepted but probably a mistake.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(addSizeFlags(addKind(row))).action(
    verb(runtime, async (context, files) => {
      const { runRow } = await import('../validate/documents.ts');
      await runRow(context, files);
    }),
  );
}
