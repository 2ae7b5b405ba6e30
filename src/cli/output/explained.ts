import type { ListColumns, ItemOf } from './columns.ts';

/** The lists that `explain` prints, by the word that asks for them. */
export const EXPLAINED_LISTS = {
  limits: {
    limit: { type: 'text' },
    value: { type: 'text', describes: 'as the contract has it' },
    'bytes?': { type: 'count', describes: 'above these a refusal is certain' },
    'safe_bytes?': { type: 'count', describes: 'safe whether KB and MB are 1000- or 1024-based' },
  },
  /** The errors of the contract's, and the exit code that follows. */
  errors: {
    area: { type: 'text' },
    status: { type: 'status' },
    cause: { type: 'text' },
    exit: { type: 'integer' },
    'reading?': { type: 'flag', describes: 'not in the contract: how lectern reads it' },
  },
  'exit-codes': { exit: { type: 'integer' }, meaning: { type: 'text' } },
  /** What the export of a gradebook calls things. */
  grades: {
    gradebook: { type: 'id' },
    identifiers: {
      type: 'words',
      describes: 'columns that identify a student, the best one first',
    },
    score: { type: 'text', describes: 'such as this column' },
    maximum: { type: 'text', describes: 'where it is' },
    no_grade: { type: 'text', describes: 'what the file has in its place' },
    command: { type: 'text', describes: 'sends a usual file' },
  },
  changes: { date: { type: 'id' }, changes: { type: 'words' } },
  /** What `--vary` chooses. */
  vary: {
    name: { type: 'id', describes: 'as --vary SEED,NAME takes it' },
    about: { type: 'text' },
    contract: { type: 'text', describes: 'the section that leaves it open, and its words' },
    reading: { type: 'text?', describes: 'the question of docs/readings.md' },
    values: { type: 'words', describes: 'the first one is in force without --vary' },
  },
  glossary: { term: { type: 'id' }, meaning: { type: 'text', describes: 'Markdown' } },
  json: {
    command: { type: 'id' },
    prints: { type: 'words', cell: (forms: readonly string[]) => forms.join('; ') },
  },
  schema: { schema: { type: 'id' }, what: { type: 'text' } },
} as const satisfies Readonly<Record<string, ListColumns>>;

type Lists = typeof EXPLAINED_LISTS;
/** An item of the list that a word of `explain` asks for. */
export type Explained<Word extends keyof Lists> = ItemOf<Lists[Word]>;
