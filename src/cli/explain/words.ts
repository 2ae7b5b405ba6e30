import { CODES, ERRORS } from '../../contract/index.ts';
import type { Term } from '../output/others-forms.ts';
import { IN_DOUBT, OWN_CODES } from './own-errors.ts';

/** The terms of docs/glossary.md, in its order. */
const MEANINGS: Readonly<Record<string, string>> = {
  row: 'A storage row: one JSON object of the service.',
  record: 'One line of a grade file: a member, a score and optional fields.',
  'row of a run': 'In JSON forms and in the ledger: a record that belongs to a run.',
  run: 'A bulk submission of grades from one file. It is planned and saved completely before the first record is sent, so that it can be stopped and resumed.',
  plan: 'What a run would send, with a digest that identifies it.',
  ledger:
    "The database on your machine with every attempt, every run and every previous version; attempts and runs may be in a team's PostgreSQL instead.",
  pass: 'The sending of a run from its start to its end or stop. `grade resume RUN --retry-failed` opens another pass.',
  superseded:
    'A grade is superseded if its member has a newer one in another run. A resume holds it back; `--include-superseded` sends it.',
  worker: 'A process that sends a run of a shared ledger, alone or with others on other machines.',
  intent:
    'The entry that the ledger keeps before a grade is posted. Without an outcome it is in doubt.',
  outcome:
    'The result of an attempt: `recorded` (with `success` or `failed`), `refused`, `in_doubt` or `not_sent`.',
  'in doubt': IN_DOUBT,
  settle:
    'To find out the result of a write whose response was lost. A row is read again; a grade is looked up in an export of the gradebook (`grade settle`).',
  'before-image': 'The word of the library for a previous version.',
  'previous version':
    'A row as it was before a write, kept on this machine; `storage undo` restores it.',
  'course level': 'A course or one of its locations, which are provisioned separately.',
  location: 'A place of a tool in a course; also called placement.',
  'hosted tool':
    'A tool whose code is uploaded to the service, and runs in a frame of the course page.',
  'external tool': 'A tool on a server of its own, which gets its launches at a callback.',
  policy: '`read` refuses every change at a service; `write` is the default.',
  session:
    'Of the emulator: its state and traffic in one file. Of the console or a tool: the time from one login to its end.',
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

export const TABLE_NAMES = [
  'limits',
  'errors',
  'exit-codes',
  'changes',
  'grades',
  'vary',
  'glossary',
] as const;

const statuses = ERRORS.map(({ status }) => String(status));

/** The words that lead to an explanation, apart from statuses that the contract does not list. */
export const EXPLAINED_WORDS: readonly string[] = [
  ...new Set([
    ...TABLE_NAMES,
    'programs',
    'capture',
    'all',
    'json',
    'schema',
    'openapi',
    'example-grades',
    ...statuses,
    ...Object.keys(CODES),
    ...OWN_CODES,
    // As one argument: in a shell, a term of several words has hyphens.
    ...GLOSSARY.map(({ term }) => term.replaceAll(' ', '-')),
  ]),
];
