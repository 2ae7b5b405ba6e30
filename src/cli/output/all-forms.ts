import type * as s from '../../schema/schema.ts';
import { EMULATOR_FORMS, OPERATION_FORMS } from './emulator-forms.ts';
import { FILES_FORMS } from './files-forms.ts';
import { type JsonForm, ERROR } from './forms.ts';
import { GRADE_FORMS } from './grade-forms.ts';
import { HELP_FORMS, OTHER_FORMS, VALIDATE_FORMS } from './others-forms.ts';
import { KEY_FORMS, LAUNCH_FORMS } from './launch-forms.ts';
import { LEDGER_FORMS } from './ledger-forms.ts';
import type { Result } from './result.ts';
import { STORAGE_FORMS } from './storage-forms.ts';

/** `error` is printed by all commands when they fail. */
const FORMS = {
  ...LAUNCH_FORMS,
  ...KEY_FORMS,
  ...STORAGE_FORMS,
  ...FILES_FORMS,
  ...GRADE_FORMS,
  ...LEDGER_FORMS,
  ...VALIDATE_FORMS,
  ...EMULATOR_FORMS,
  ...OTHER_FORMS,
  ...HELP_FORMS,
  error: ERROR,
};

/** The JSON output of each command. */
export const JSON_FORMS: Readonly<Record<string, readonly JsonForm[]>> = Object.fromEntries(
  Object.entries({ ...FORMS, ...OPERATION_FORMS }).map(([command, forms]) => [
    command,
    [forms].flat(),
  ]),
);

export type PrintingCommand = keyof typeof FORMS;

/** The type of a command's JSON output: a document, or a line. */
export type Printed<Command extends PrintingCommand> = s.Static<
  FormIn<(typeof FORMS)[Command]>['schema']
>;

type FormIn<Forms> = Forms extends readonly (infer Form extends JsonForm)[]
  ? Form
  : Forms & JsonForm;

/** What a verb returns whose JSON is that of a command. */
export type Prints<Command extends PrintingCommand> = Promise<Result<Printed<Command>>>;

/** Commands without JSON output of their own. */
export const WITHOUT_JSON: readonly string[] = ['demo', 'emulator exec'];

/** The JSON Schema (2020-12) of a document or line that a command prints. */
export function jsonFormSchema(command: string, forms: readonly JsonForm[]): s.JsonSchema {
  const schemas = forms.map(({ what, isLine, schema }) => ({
    title: isLine ? `a line: ${what}` : what,
    ...schema,
  }));
  return schemaFile(command, {
    title: command === 'error' ? 'lectern … --json, standard error' : `lectern ${command} --json`,
    ...(schemas.length === 1
      ? { description: schemas[0]?.title, ...forms[0]?.schema }
      : { anyOf: schemas }),
  });
}

/** A schema as a file of the package, with the `$id` by which programs find it. */
export function schemaFile(name: string, schema: s.JsonSchema): s.JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `lectern/schemas/${name.replaceAll(' ', '-')}.json`,
    ...schema,
  };
}
