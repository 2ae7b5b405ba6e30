import { CODES, ERRORS } from '../../contract/index.ts';
import type { Term } from '../output/others-forms.ts';

/** The terms of docs/glossary.md, in its order. */
const MEANINGS: Readonly<Record<string, string>> = {
  row: 'A storage row: one JSON object of the service.',
  record: 'One line of a grade file: a member, a score and optional fields.',
  'row of a run': 'In JSON forms and in the ledger: a record that belongs to a run.',
  run: 'A bulk submission of grades from one file. It is planned and saved completely before the first record is sent, so that it can be stopped and resumed.',
  plan: 'What a run would send, with a digest that identifies it.',
  ledger:
    "The database on your machine with every attempt, every run and every before-image; attempts and runs may be in a team's PostgreSQL instead.",
  worker: 'A process that sends a run of a shared ledger, alone or with others on other machines.',
  intent:
    'The entry that the ledger keeps before a grade is posted. Without an outcome it is in doubt.',
  outcome:
    'The result of an attempt: `recorded` (with `success` or `failed`), `refused`, `in_doubt` or `not_sent`.',
  'in doubt':
    'A write was sent and its response is missing or unusable, so it is unknown whether it took effect. lectern never repeats such a write unless asked to.',
  settle:
    'To determine the result of a write whose response was lost, of a row by reading it again, of a grade by an export of the gradebook (grade settle).',
  'before-image': 'A row as it was before a write, kept locally; `storage undo` restores it.',
  'previous version': 'What messages call a before-image: a row as it was before a write.',
  finding:
    'An error or warning that the validator reports about a payload, with a code, a severity, a position and a hint.',
  home: 'The folders with saved launches, keys, settings and the ledger (`LECTERN_HOME`, or those of the platform).',
};

export const GLOSSARY: readonly Term[] = Object.entries(MEANINGS).map(([term, meaning]) => ({
  term,
  meaning,
}));

/** The term in whatever case, with spaces, hyphens or underscores. */
export function findTerm(words: string): Term | undefined {
  const spelt = (text: string): string => text.toLowerCase().replace(/[-_ ]+/g, ' ');
  return GLOSSARY.find(({ term }) => spelt(term) === spelt(words));
}

/** Reasons of failed attempts, which are answered with 200 and have no code. */
const REASONS: readonly Term[] = [
  {
    term: 'location has no line item',
    meaning:
      'A failed attempt: the location has no gradebook column in this course, since it was never deep-linked there. The attempt is recorded, and nothing is published. An instructor adds the placement to the course by deep linking; then send the grade again.',
  },
  {
    term: 'line item scope',
    meaning:
      "A failed attempt: max_score needs the line item scope, which the school's LMS developer key does not grant. Send the grade without max_score, or have the scope granted.",
  },
];

/** The reason of a failed attempt that a text contains. */
export function reasonIn(text: string): Term | undefined {
  return REASONS.find(({ term }) => text.toLowerCase().includes(term));
}

export const TABLE_NAMES = ['limits', 'errors', 'exit-codes', 'changes', 'grades', 'vary'] as const;

const statuses = ERRORS.map(({ status }) => String(status));

/** The words that lead to an explanation, apart from statuses that the contract does not list. */
export const EXPLAINED_WORDS: readonly string[] = [
  ...TABLE_NAMES,
  'programs',
  'capture',
  'all',
  'json',
  'schema',
  'openapi',
  'example-grades',
  ...new Set(statuses),
  ...Object.keys(CODES),
  // As one argument: in a shell, a term of several words has hyphens.
  ...GLOSSARY.map(({ term }) => term.replaceAll(' ', '-')),
];
