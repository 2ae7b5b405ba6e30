import { UsageError } from '../../errors.ts';
import { nearest } from '../../validator/nearest.ts';
import type { JsonForm } from '../json-forms/form.ts';
import { JSON_FORMS, jsonFormSchema } from '../json-forms/index.ts';
import { listTable } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { printJson, printJsonText, printTable } from '../ui.ts';

/** Prints the JSON Schema of what a command prints with `--json`; without one, what each prints. */
export async function runJsonForms(context: Context, words: readonly string[]): Promise<void> {
  const command = words.join(' ');
  if (command === '') return listForms(context);
  const forms = Object.hasOwn(JSON_FORMS, command) ? JSON_FORMS[command] : undefined;
  if (forms === undefined) {
    throw new UsageError(
      `no JSON form of ${JSON.stringify(command)}`,
      `${nearest(command, Object.keys(JSON_FORMS))}; lectern explain json lists them`,
    );
  }
  await printJsonText(context, JSON.stringify(jsonFormSchema(command, forms), null, 2));
}

async function listForms(context: Context): Promise<void> {
  const listed = Object.entries(JSON_FORMS).map(([command, forms]) => ({
    command,
    prints: forms.map(formText),
  }));
  if (context.options.json) await printJson<'explain'>(context, listed);
  else {
    const table = listTable(listed, [
      { name: 'command', whole: true, cell: ({ command }) => command },
      { name: 'prints', cell: ({ prints }) => prints.join('; ') },
    ]);
    await printTable(context, table);
  }
}

function formText({ what, isLine }: JsonForm): string {
  return isLine ? `a line each: ${what}` : what;
}
