import { column, type ItemOf } from './resource.ts';

/** The lists that `explain` prints, by the word that asks for them. */
export const EXPLAINED_LISTS = {
  limits: {
    limit: column((s) => s.text),
    value: column((s) => s.described(s.text, 'as the contract has it')),
    'bytes?': column((s) => s.described(s.count, 'above these a refusal is certain'), {
      numeric: true,
    }),
    'safe_bytes?': column(
      (s) => s.described(s.count, 'safe whether KB and MB are 1000- or 1024-based'),
      { numeric: true },
    ),
  },
  /** The errors of the contract's, and the exit code that follows. */
  errors: {
    area: column((s) => s.text),
    status: column((s) => s.httpStatus, { numeric: true }),
    cause: column((s) => s.text),
    exit: column((s) => s.integer, { numeric: true }),
    'reading?': column((s) => s.described(s.bool, 'not in the contract: how lectern reads it')),
  },
  'exit-codes': {
    exit: column((s) => s.integer, { numeric: true }),
    meaning: column((s) => s.text),
  },
  /** What the export of a gradebook calls things. */
  grades: {
    gradebook: column((s) => s.text, { whole: true }),
    identifiers: column((s) =>
      s.described(s.list(s.text), 'columns that identify a student, the best one first'),
    ),
    score: column((s) => s.described(s.text, 'such as this column')),
    maximum: column((s) => s.described(s.text, 'where it is')),
    no_grade: column((s) => s.described(s.text, 'what the file has in its place')),
    command: column((s) => s.described(s.text, 'sends a usual file')),
  },
  changes: {
    date: column((s) => s.text, { whole: true }),
    changes: column((s) => s.list(s.text)),
  },
  /** What `--vary` chooses. */
  vary: {
    name: column((s) => s.described(s.text, 'as --vary SEED,NAME takes it'), { whole: true }),
    about: column((s) => s.text),
    contract: column((s) => s.described(s.text, 'the section that leaves it open, and its words')),
    reading: column((s) => s.described(s.nullable(s.text), 'the question of docs/readings.md')),
    values: column((s) => s.described(s.list(s.text), 'the first one is in force without --vary')),
  },
  json: {
    command: column((s) => s.text, { whole: true }),
    prints: column((s) => s.list(s.text), { cell: (forms) => forms.join('; ') }),
  },
  schema: {
    schema: column((s) => s.text, { whole: true }),
    what: column((s) => s.text),
  },
};

type Lists = typeof EXPLAINED_LISTS;
/** An item of the list that a word of `explain` asks for. */
export type Explained<Word extends keyof Lists> = ItemOf<Lists[Word]>;
