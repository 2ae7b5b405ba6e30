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

/** `--schema KIND` prints and ends, like `--help`, whatever else is there. */
function addSchema(validate: Command, runtime: Runtime): void {
  const kinds = new Option('--schema <kind>', 'print the JSON Schema of a kind of payload');
  validate.addOption(kinds.choices(KINDS)).hook('preAction', async () => {
    const { schema } = validate.opts<{ schema?: Kind }>();
    if (schema === undefined) return;
    const { runSchema } = await import('../validate/schema.ts');
    await runSchema(runtime, schema);
    throw new CommanderError(EXIT.done, 'lectern.schema', '');
  });
}

/** `--kind ROW`: whose limits hold. */
function addKind(command: Command): Command {
  return command.option('--kind <row>', 'the row it is for, whose limits hold', (name) =>
    kindOf(rowName(name)),
  );
}

/** `--warn-at 80%`. */
function addSizeFlags(command: Command): Command {
  return command.option(
    '--warn-at <percent>',
    'the part of the size limit from which to warn (default: 80%)',
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
    .option('--strict', 'warnings count: with one, a payload is invalid')
    .addOption(
      new Option('--format <format>', 'how to print it; sarif is for code scanning').choices(
        FORMATS,
      ),
    );
}

function registerFile(parent: Command, runtime: Runtime): void {
  const file = parent
    .command('file')
    .summary('files to upload')
    .description(
      'Check files before they are uploaded: the key (the base name, or --key) and the size; with --with and --kind also the count and the total size that their row would reach. From standard input it takes the JSON body of a declaration.',
    )
    .argument('[path...]', 'files, folders with files, or - for a declaration on standard input')
    .option('--key <key>', 'the key of the file, instead of its base name')
    .option('--with <listing>', "the row's listing, of: lectern files ls ROW --json");
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
    .summary('the body of a grade submission')
    .description("Check the body of a grade submission, with the service's own messages.")
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(grade).action(
    verb(runtime, async (context, files) => {
      const { runGrade } = await import('../validate/grade.ts');
      await runGrade(context, files);
    }),
  );
}

function registerGrades(parent: Command, runtime: Runtime): void {
  const grades = parent
    .command('grades')
    .summary('a file of grades, for a bulk run')
    .description(
      'Check a file of grades as lectern grade submit --from reads it: CSV, or one JSON object a line. Every row is checked, and a member may have one only.',
    )
    .argument('[file...]', 'files, or - for standard input')
    .option('--max-score <points>', 'what points are out of, where a row does not say');
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
    .summary('the folder or zip of a hosted tool')
    .description(
      'Check a hosted tool before it is uploaded: its size zipped and whole, the reserved file at its root, and the keys for which its manifest is refused. Of a zip only the directory and the manifest are read.',
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
    .summary('the key of a file')
    .description(
      'Check file keys: their characters and their length. With a bad key comes a good one near it.',
    )
    .argument('[key...]', 'the keys; - or nothing for standard input, with a key on each line');
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
    .summary('a launch or provision request')
    .description(
      'Check a launch or provision request, in whatever form lectern launch decode takes it; with --launch and no file, a saved one. Its token is never shown.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--contract <date>', CONTRACT_HELP, contractDate);
  addReportFlags(launch).action(
    verb(runtime, async (context, files) => {
      const { runLaunch } = await import('../validate/launch.ts');
      await runLaunch(context, files);
    }),
  );
}

function registerLocations(parent: Command, runtime: Runtime): void {
  const locations = parent
    .command('locations')
    .summary("a tool's answer to a locations request")
    .description(
      "Check a tool's answer to a locations request: its structure, what would be cut from its message, and how deep its groups are nested.",
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(locations).action(
    verb(runtime, async (context, files) => {
      const { runLocations } = await import('../validate/locations.ts');
      await runLocations(context, files);
    }),
  );
}

function registerPatch(parent: Command, runtime: Runtime): void {
  const patch = parent
    .command('patch')
    .summary('the body of a PATCH')
    .description(
      'Check what a PATCH of a row would send: the { "patch": [ … ] } around it, every operation and every pointer. The service refuses an array alone, and so does this; lectern storage patch wraps it. With --against it is tried on a row by the rules of the service, and the size afterwards is told and checked.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--against <rowfile>', 'the row as it reads now; - for standard input');
  addReportFlags(addSizeFlags(addKind(patch))).action(
    verb(runtime, async (context, files) => {
      const { runPatch } = await import('../validate/patch.ts');
      await runPatch(context, files);
    }),
  );
}

function registerRow(parent: Command, runtime: Runtime): void {
  const row = parent
    .command('row')
    .summary('the JSON object of a row')
    .description(
      'Check what a PUT of a row would send: strict JSON, an object, its compact size against the limit of the row, and what is accepted but probably not meant.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(addSizeFlags(addKind(row))).action(
    verb(runtime, async (context, files) => {
      const { runRow } = await import('../validate/row.ts');
      await runRow(context, files);
    }),
  );
}
