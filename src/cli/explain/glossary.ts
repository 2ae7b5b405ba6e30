import type { Term } from '../json-forms/others.ts';

/** The terms of docs/glossary.md, in its order. */
export const GLOSSARY: readonly Term[] = [
  {
    term: 'row',
    meaning: 'A storage row: one JSON object of the service.',
  },
  {
    term: 'record',
    meaning: 'One line of a grade file: a member, a score and optional fields.',
  },
  {
    term: 'row of a run',
    meaning: 'In JSON forms and in the ledger: a record that belongs to a run.',
  },
  {
    term: 'run',
    meaning:
      'A bulk submission of grades from one file. It is planned and saved completely before the first record is sent, so that it can be stopped and resumed.',
  },
  {
    term: 'plan',
    meaning: 'What a run would send, with a digest that identifies it.',
  },
  {
    term: 'ledger',
    meaning:
      "The database on your machine with every attempt, every run and every before-image; attempts and runs may be in a team's PostgreSQL instead.",
  },
  {
    term: 'worker',
    meaning:
      'A process that sends a run of a shared ledger, alone or with others on other machines.',
  },
  {
    term: 'intent',
    meaning:
      'The entry that the ledger keeps before a grade is posted. Without an outcome it is in doubt.',
  },
  {
    term: 'outcome',
    meaning:
      'The result of an attempt: `recorded` (with `success` or `failed`), `refused`, `in_doubt` or `not_sent`.',
  },
  {
    term: 'in doubt',
    meaning:
      'A write was sent and its response is missing or unusable, so it is unknown whether it took effect. lectern never repeats such a write unless asked to.',
  },
  {
    term: 'settle',
    meaning:
      'To determine the result of a write whose response was lost, by reading the row again.',
  },
  {
    term: 'before-image',
    meaning: 'A row as it was before a write, kept locally; `storage undo` restores it.',
  },
  {
    term: 'previous version',
    meaning: 'What messages call a before-image: a row as it was before a write.',
  },
  {
    term: 'finding',
    meaning:
      'An error or warning that the validator reports about a payload, with a code, a severity, a position and a hint.',
  },
  {
    term: 'home',
    meaning:
      'The folders with saved launches, keys, settings and the ledger (`LECTERN_HOME`, or those of the platform).',
  },
];

/** The term in whatever case, with spaces, hyphens or underscores. */
export function findTerm(words: string): Term | undefined {
  const spelt = (text: string): string => text.toLowerCase().replace(/[-_ ]+/g, ' ');
  return GLOSSARY.find(({ term }) => spelt(term) === spelt(words));
}
