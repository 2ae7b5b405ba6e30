import type { JsonSchema } from '../../schema/schema.ts';
import { EMULATOR_FORMS } from './emulator.ts';
import { FILES_FORMS } from './files.ts';
import type { JsonForm, JsonForms } from './form.ts';
import { GRADE_FORMS } from './grade.ts';
import { KEY_FORMS, LAUNCH_FORMS } from './launch.ts';
import { LEDGER_FORMS } from './ledger.ts';
import { OTHER_FORMS, VALIDATE_FORMS } from './others.ts';
import { ERROR } from './shared.ts';
import { STORAGE_FORMS } from './storage.ts';

/** What each command prints with `--json`; `error` is what all print when they fail. */
export const JSON_FORMS: JsonForms = {
  ...LAUNCH_FORMS,
  ...KEY_FORMS,
  ...STORAGE_FORMS,
  ...FILES_FORMS,
  ...GRADE_FORMS,
  ...LEDGER_FORMS,
  ...VALIDATE_FORMS,
  ...EMULATOR_FORMS,
  ...OTHER_FORMS,
  error: [ERROR],
};

/** Commands that print no JSON of their own. */
export const WITHOUT_JSON: readonly string[] = ['demo', 'help', 'emulator exec'];

/** The JSON Schema (2020-12) of a document or line that a command prints. */
export function jsonFormSchema(command: string, forms: readonly JsonForm[]): JsonSchema {
  const schemas = forms.map(({ what, isLine, schema }) => ({
    title: isLine ? `a line: ${what}` : what,
    ...schema,
  }));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: command === 'error' ? 'lectern … --json, standard error' : `lectern ${command} --json`,
    ...(schemas.length === 1
      ? { description: schemas[0]?.title, ...forms[0]?.schema }
      : { anyOf: schemas }),
  };
}
