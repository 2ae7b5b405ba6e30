import { InvalidError, UsageError } from '../../errors.ts';
import { checkShape } from '../../schema/check.ts';
import { PROJECT, type ProjectSettings } from '../project-settings.ts';
import type { Prints } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { canPrompt } from '../ask.ts';

const FILE = 'lectern.json';

/** The schema for editors, in projects that have lectern installed. */
const SCHEMA = './node_modules/lectern/dist/schemas/project.json';

const DEFAULTS = { seed: 'example' } as const;

/** Writes the project file: asks on a terminal, or takes the defaults with `--yes`. */
export async function runInit(context: Context<{ readonly force?: boolean }>): Prints<'init'> {
  const { options } = context;
  const disk = await context.disk();
  if (!options.yes && !canPrompt(context)) {
    throw new UsageError(
      'the questions need a terminal',
      'take the defaults with: lectern init --yes',
    );
  }
  const file = disk.absolute(FILE);
  if (!options.force && (await disk.exists(file))) {
    throw new InvalidError(`${file} exists already`, {
      code: 'project.exists',
      hint: `replace it with: lectern init ${options.yes ? '--yes ' : ''}--force`,
    });
  }
  const emulator = options.yes ? DEFAULTS : await ask(context);
  const project: ProjectSettings = {
    ...((await disk.exists(SCHEMA)) && { $schema: SCHEMA }),
    emulator,
  };
  const [fault] = checkShape(PROJECT, project);
  if (fault !== undefined) {
    throw new InvalidError(`${fault.path.slice(1).replaceAll('/', '.')} ${fault.message}`, fault);
  }
  await disk.writeFile(file, `${JSON.stringify(project, null, 2)}\n`);
  return { json: { file, project }, notes: [`wrote ${file}`, 'next: lectern emulator start'] };
}

async function ask(context: Context): Promise<NonNullable<ProjectSettings['emulator']>> {
  const prompts = await context.prompts();
  const seed = await prompts.text('Seed file, or example:', { default: DEFAULTS.seed });
  const port = await prompts.text('Port of the emulator (empty: any free port):', { default: '' });
  const emulator = { seed: seed.trim(), ...(port.trim() !== '' && { port: Number(port) }) };
  const answer = await prompts.text('Folder of your hosted tool (empty: none):', { default: '' });
  const folder = answer.trim();
  if (folder === '') return emulator;
  const tool = (await prompts.text('ID of the tool in the seed:')).trim();
  if (tool !== '') return { ...emulator, tools: { [tool]: folder } };
  throw new InvalidError(`${folder} needs the ID of a hosted tool in the seed`, {
    code: 'project.invalid',
    hint: 'nothing was written: run lectern init again',
  });
}
