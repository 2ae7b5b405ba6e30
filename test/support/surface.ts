import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parseSync } from 'oxc-parser';
import { GLOBAL_FLAGS } from '../../src/cli/arguments/global-flags.ts';
import { helpCommand } from '../../src/cli/commands/help.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { ENVIRONMENT } from '../../src/cli/help/topics.ts';
import { treeOf } from '../../src/cli/help/show-help.ts';
import type { CommandTree } from '../../src/cli/output/others-forms.ts';
import { JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { PROJECT } from '../../src/cli/project-settings.ts';
import { loadTree } from '../../src/cli/program.ts';
import { CODES } from '../../src/contract/index.ts';
import { OPERATIONS, SEED } from '../../src/emulator/index.ts';
import type { ControlOperation } from '../../src/emulator/control/operation.ts';
import type { JsonSchema } from '../../src/schema/schema.ts';

/**
 * All that a script, a program or a file of a user can name, a line each. It is what lectern
 * promises to keep. It is made of the declarations, so that what they lose is missing here.
 */
export async function surface(): Promise<string[]> {
  const nouns = [...(await loadTree()), helpCommand(new Command(), loadTree)].map(treeOf);
  const program = treeOf({ name: 'lectern', flags: GLOBAL_FLAGS });
  return [
    ...commandLines({ ...program, commands: nouns }, []),
    ...ENVIRONMENT.flatMap(({ name }) => name.split(', ')).map((name) => `environment ${name}`),
    ...EXIT_CODES.map(({ code, name }) => `exit ${code} ${name}`),
    ...Object.keys(CODES).map((code) => `finding ${code}`),
    ...publishedSchemas()
      .flatMap(namesIn)
      .map((name) => `json ${name}`),
    ...packageExports(),
    ...namedExports(),
    ...Object.keys(OPERATIONS).map((operation) => `control ${operation}`),
  ];
}

/** A command, its arguments and flags, then the commands below it. */
function commandLines(tree: CommandTree, above: readonly string[]): string[] {
  const path = above.concat(tree.name);
  const command = path.join(' ');
  const lines = [`command ${command}`];
  for (const { name } of tree.arguments) lines.push(`argument ${command} ${name}`);
  for (const { name, short, type, choices } of tree.flags) {
    const flag = `flag ${command} ${name}`;
    lines.push(`${flag} (${type})`);
    if (short !== null) lines.push(`flag ${command} ${short}`);
    for (const choice of choices ?? []) lines.push(`${flag} ${choice}`);
  }
  return lines.concat(tree.commands.flatMap((each) => commandLines(each, path)));
}

/** The schemas of all JSON that a script or a file of a user can hold names of. */
function publishedSchemas(): JsonSchema[] {
  const printed = Object.values(JSON_FORMS).flatMap((forms) => forms.map(({ schema }) => schema));
  const operations = Object.values(OPERATIONS) as Pick<ControlOperation, 'takes' | 'answers'>[];
  return [
    ...printed,
    ...operations.flatMap(({ takes, answers }) => [takes, answers]),
    SEED,
    PROJECT,
  ];
}

/** The names of members that a schema describes. Their places are in the schema itself. */
function namesIn(schema: JsonSchema): string[] {
  const {
    properties = {},
    items,
    additionalProperties,
    anyOf = [],
    allOf = [],
  }: Described = schema;
  const parts = [items, additionalProperties, ...Object.values(properties), ...anyOf, ...allOf];
  return [
    ...Object.keys(properties),
    ...parts.flatMap((part) => (typeof part === 'object' ? namesIn(part) : [])),
  ];
}

interface Described {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** What `import 'lectern/…'` and the shell find of the package. */
function packageExports(): string[] {
  const { bin, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    bin: Record<string, string>;
    exports: Record<string, unknown>;
  };
  return [
    ...Object.keys(bin).map((name) => `bin ${name}`),
    ...Object.keys(exports).map((name) => `package ${name}`),
  ];
}

/** The sources of what a program imports, by the words between `export` and the name. */
const ENTRIES: Readonly<Record<string, string>> = {
  '': 'src/index.ts',
  'lectern/playwright ': 'src/fixtures/playwright.ts',
  'lectern/vitest ': 'src/fixtures/vitest.ts',
};

/** The names that the package exports, types too. */
function namedExports(): string[] {
  return Object.entries(ENTRIES).flatMap(([entry, file]) => {
    const { module } = parseSync(file, readFileSync(file, 'utf8'));
    return module.staticExports
      .flatMap(({ entries }) => entries)
      .map(({ exportName, isType }) => `export ${entry}${isType ? 'type ' : ''}${exportName.name}`);
  });
}
