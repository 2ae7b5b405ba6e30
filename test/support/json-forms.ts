/**
 * Holds what a command line prints with `--json` against the schemas that `lectern explain json`
 * gives. `lectern` and `binary` call it with each result, so that no form escapes.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { jsonFormSchema, JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { closed } from './closed.ts';
import type { RunResult } from './lectern.ts';

const WITH_VALUE = [
  '-l',
  '--launch',
  '-k',
  '--api-key',
  '--url',
  '--timeout',
  '--emulator',
  '--ledger',
  '--fields',
];

const NO_DOCUMENT = ['help', '-h', '--help', '-V', '--version'];

/** Throws where standard output or the error is not as the schema of the command says. */
export function checkJsonForms(
  args: readonly string[],
  { exit, stdout, stderr }: Pick<RunResult, 'exit' | 'stdout' | 'stderr'>,
): void {
  const end = args.findIndex(
    (word, at) => word === '--' && !WITH_VALUE.includes(args[at - 1] ?? ''),
  );
  const own = withoutValues(end < 0 ? args : args.slice(0, end));
  // What a signal cut off need not be whole.
  if (!own.includes('--json') || exit < 0) return;
  // It may be the value of the flag before it.
  const isValue = own[own.indexOf('--json') - 1]?.startsWith('-') ?? false;
  for (const line of stderr.split('\n')) {
    if (line.startsWith('{"error":')) check('error', 'document', line);
  }
  const command = commandOf(own);
  // test/cli/explain/json-forms.test.ts looks for commands without a form.
  if (command === undefined || stdout === '' || own.some((word) => NO_DOCUMENT.includes(word)))
    return;
  if (exit === EXIT.interrupted || (isValue && !/^[[{"\d]/.test(stdout))) return;
  const isPart = own.some((word) => word.startsWith('--fields'));
  for (const [kind, text] of documentsOf(command, stdout)) check(command, kind, text, isPart);
}

/** Without the values of flags that every command takes: of `-k --json` the second is a name. */
function withoutValues(args: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    words.push(word);
    if (WITH_VALUE.includes(word)) at += 1;
  }
  return words;
}

/** The longest words of a command line that name a command with a form. */
function commandOf(args: readonly string[]): string | undefined {
  const words = args.filter((word) => !word.startsWith('-'));
  return [3, 2, 1]
    .map((length) => words.slice(0, length).join(' '))
    .find((each) => Object.hasOwn(JSON_FORMS, each));
}

type Printed = 'document' | 'line';

function documentsOf(command: string, stdout: string): [Printed, string][] {
  const hasLines = JSON_FORMS[command]?.some(({ isLine }) => isLine) ?? false;
  const lines = stdout.trimEnd().split('\n');
  if (hasLines && lines.every(isJson)) {
    // One line may be a document as well.
    return lines.length === 1 ? [['document', stdout]] : lines.map((line) => ['line', line]);
  }
  return [['document', stdout]];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** That each schema is one, a test of `explain json` checks. */
const ajv = new Ajv2020({
  allErrors: true,
  validateSchema: false,
  validateFormats: false,
  allowUnionTypes: true,
  addUsedSchema: false,
  code: { optimize: false },
});
const compiled = new Map<string, ValidateFunction>();

/** `isPart`: `--fields` may leave out what the schema requires. */
function check(command: string, kind: Printed, text: string, isPart = false): void {
  const validate = validatorOf(command, kind, isPart);
  const value: unknown = JSON.parse(text);
  if (validate(value)) return;
  const faults = validate.errors?.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
  throw new Error(
    `lectern ${command} --json printed what its schema (src/cli/output) does not allow:\n${faults?.join('\n')}\n${text.slice(0, 2000)}`,
  );
}

function validatorOf(command: string, kind: Printed, isPart: boolean): ValidateFunction {
  const key = `${command} ${kind} ${isPart}`;
  const known = compiled.get(key);
  if (known) return known;
  const forms = JSON_FORMS[command] ?? [];
  const meant = kind === 'line' ? forms.filter(({ isLine }) => isLine) : forms;
  const whole = closed(jsonFormSchema(command, meant));
  const schema = isPart ? JSON.parse(JSON.stringify(whole, withoutRequired)) : whole;
  const validate = ajv.compile(schema as object);
  compiled.set(key, validate);
  return validate;
}

const withoutRequired = (name: string, value: unknown): unknown =>
  name === 'required' && Array.isArray(value) ? undefined : value;
