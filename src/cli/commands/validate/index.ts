import { type Command, CommanderError, Option } from 'commander';
import { EXIT } from '../../exit-codes.ts';
import { type Kind, KINDS } from '../../../validator/schema.ts';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerFile } from './file.ts';
import { registerGrade } from './grade.ts';
import { registerGrades } from './grades.ts';
import { registerHostedTool } from './hosted-tool.ts';
import { registerKey } from './key.ts';
import { registerLaunch } from './launch.ts';
import { registerLocations } from './locations.ts';
import { registerPatch } from './patch.ts';
import { registerRow } from './row.ts';

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
    const { runSchema } = await import('../../validate/schema.ts');
    await runSchema(runtime, schema);
    throw new CommanderError(EXIT.done, 'lectern.schema', '');
  });
}
