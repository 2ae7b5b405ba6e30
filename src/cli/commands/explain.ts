import type { ListColumns } from '../output/columns.ts';
import { defineCommand } from '../declare/define.ts';

export const explainNoun = defineCommand({
  description:
    'Explain an HTTP status, an exit code, a finding code, a term of the glossary, or a table: limits, errors, exit-codes or changes. Of a message of the service or of lectern, or of a text with one (- for standard input), explain what applies. With json, list the commands that print JSON, or print the JSON Schema of what one of them prints. With schema, list or print the other schemas: of the project file, of the seed of an emulator, and of the tree of commands. With openapi, print the OpenAPI document of the service or of the control API. With example grades, print a grade file for the example course. With programs, print what a script or an agent needs. With vary, list what the contract leaves open and emulator start --vary chooses. With all, print the whole reference. Without an argument, list what can be explained.',
  args: [
    {
      name: '[word]',
      help: 'an HTTP status, an exit code, a finding code, a term, a table, json, schema, openapi, programs, vary or all',
    },
    {
      name: '[command...]',
      help: 'after json: the command, such as grade submit; after schema: its name; after openapi: service or control; or the rest, such as in doubt or example grades',
    },
  ],
  examples: [
    'lectern explain limits',
    'lectern explain grade.score_range',
    "lectern explain 'location has no line item'",
    'lectern explain json grade submit',
    'lectern explain schema seed',
    'lectern explain openapi control',
    'lectern explain example grades',
  ],
  ignoresProject: true,
  list: {
    which: (_, word: string | undefined) => word ?? '',
    columns: async (word) => {
      const { EXPLAINED_LISTS } = await import('../output/explained.ts');
      const lists: Readonly<Record<string, ListColumns>> = EXPLAINED_LISTS;
      const all = Object.values(lists).flatMap((each) => Object.entries(each));
      return word === undefined ? Object.fromEntries(all) : (lists[word] ?? {});
    },
  },
  load: async () => (await import('../explain/explain.ts')).runExplain,
});
