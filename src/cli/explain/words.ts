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
    "The database on your machine with every attempt, every run and every previous version; attempts and runs may be in a team's PostgreSQL instead.",
  pass: 'The sending of a run from its start to its end or stop. `grade resume RUN --retry-failed` opens another pass.',
  superseded:
    'A grade is superseded if its member has a newer one in another run. A resume holds it back; `--include-superseded` sends it.',
  worker: 'A process that sends a run of a shared ledger, alone or with others on other machines.',
  intent:
    'The entry that the ledger keeps before a grade is posted. Without an outcome it is in doubt.',
  outcome:
    'The result of an attempt: `recorded` (with `success` or `failed`), `refused`, `in_doubt` or `not_sent`.',
  'in doubt':
    'A write was sent and its response is missing or unusable, so it is unknown whether it took effect. lectern never repeats such a write unless asked to.',
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

/** A term, and what messages that mean it have in them. */
interface Said extends Term {
  readonly said: RegExp;
}

/** Reasons of failed attempts, which are answered with 200 and have no code. */
const REASONS: readonly Said[] = [
  {
    term: 'location has no line item',
    said: /location has no line item/i,
    meaning:
      'A failed attempt: the location has no gradebook column in this course, since it was never deep-linked there. The attempt is recorded, and nothing is published. An instructor adds the placement to the course by deep linking; then send the grade again.',
  },
  {
    term: 'line item scope',
    said: /line item scope/i,
    meaning:
      "A failed attempt: max_score needs the line item scope, which the school's LMS developer key does not grant. Send the grade without max_score, or have the scope granted.",
  },
];

/** Errors of lectern that are about no payload, by their codes in `--json`. */
const OWN_ERRORS: readonly Said[] = [
  {
    term: 'grade.failed',
    said: /attempt was recorded as failed/,
    meaning:
      'The service took the grade and answered 200, and the LMS refused it: nothing was published. A status in the message is that of the LMS. The attempt is in `grade log`; send the grade again when the reason is removed.',
  },
  {
    term: 'run.twice',
    said: /run \d+ has .{0,500} and (?:is|was) /,
    meaning:
      'A run that is not finished has the same records, and would send them as well. Continue it with `grade resume`, join it with `grade work` if its ledger is shared, or pass `--again`.',
  },
  {
    term: 'run.claimed',
    said: /run \d+ is being sent by/,
    meaning:
      'Another process sends the run. Wait until it ends, or stop it; `grade runs` shows who sends it.',
  },
  {
    term: 'run.moved',
    said: /run \d+ was moved to/,
    meaning:
      'The run was written to a file with `ledger export`, and is continued where that file was imported: sent from both places, its grades would be sent twice. If it was imported nowhere, pass `--again`.',
  },
  {
    term: 'run.in_doubt',
    said: /grades? (?:is |are )?(?:still )?in doubt/,
    meaning:
      'The responses of some grades of the run are missing, so that it is unknown whether they were recorded. They are not sent again by themselves: settle them by an export of the gradebook (`grade settle RUN EXPORT`), or send them again with `grade resume RUN --retry-in-doubt`.',
  },
  {
    term: 'run.stopped',
    said: /stopped with grade stop/,
    meaning: 'The run was stopped before its last record. `grade resume RUN` sends the rest.',
  },
  {
    term: 'plan.changed',
    said: /the plan has a different digest/,
    meaning:
      'What would be sent is not what was reviewed: the file, the flags or the grades known before have changed. Review it with `--dry-run`, and pass its digest to `--expect-digest`.',
  },
  {
    term: 'policy.read',
    said: /refuses every change at/,
    meaning:
      '`LECTERN_POLICY=read`, or the policy of the project file, refuses what would change something at a service. Nothing was sent. No flag lifts it; `--dry-run` shows what would be sent, and `lectern doctor` the policy and its source.',
  },
  {
    term: 'row.changed',
    said: /row has changed since it was/,
    meaning:
      'The row was changed by another write after it was read. It was left alone: read it again, and repeat the change.',
  },
  {
    term: 'row.conflict',
    said: /row were changed elsewhere/,
    meaning:
      'Values of the row were edited here and meanwhile changed by another write. Nothing was sent: compare both with `storage diff`, and edit the current row.',
  },
  {
    term: 'in_doubt',
    said: /in doubt: .{0,500} was (?:sent|accepted)|may or may not have taken effect/,
    meaning: `${MEANINGS['in doubt']} The hint has the command that shows the current state; a grade is settled by an export of the gradebook (\`grade settle\`).`,
  },
  {
    term: 'no_answer',
    said: /no usable response: .{0,500}nothing took effect/,
    meaning:
      'No usable response came to a request that changes nothing, or that had no effect. Try again later; `lectern doctor` shows the proxy and certificates in use.',
  },
  {
    term: 'unreachable',
    said: /cannot connect to \S+/,
    meaning:
      'No connection to the address of a launch or key came about, so nothing was sent. For an emulator: start it again, and launch again if it was in memory.',
  },
  {
    term: 'credential.other_origin',
    said: /belongs to \S+ and is not sent to/,
    meaning:
      'A token or key is only sent to the service that it was saved for. Use the launch or key of that address, or save one for it.',
  },
  {
    term: 'credential.wrong_kind',
    said: /API key (?:can only|submits|is accepted only)/,
    meaning: 'Rows and files need the token of a launch: pass `--launch NAME`.',
  },
  {
    term: 'usage',
    said: /without --member it would grade its own user|see lectern .{0,500}--help/,
    meaning:
      'The command line is wrong: a flag, an argument, or two that contradict each other. Nothing was sent. `--help` of the command has its flags and examples.',
  },
  {
    term: 'run.outage',
    said: /stopped after \d+ consecutive|first grade got no usable response/,
    meaning:
      'The run stopped because several responses in a row were missing. `grade resume RUN` sends one record first, and continues when it is answered.',
  },
  {
    term: 'state',
    said: /the disk is full/,
    meaning:
      'A file of lectern cannot be read or written: a full disk, permissions, another user. Nothing is sent that could not be recorded; `lectern doctor` shows the folders in use.',
  },
  {
    term: 'not_found',
    said: /has no value at|no previous version with/,
    meaning: 'Something does not exist that a command names: a value in a row, a file, a version.',
  },
  {
    term: 'grades.invalid',
    said: /has \d+ errors?; nothing was sent/,
    meaning:
      'A grade file has errors, which are listed with their lines. Nothing was sent: correct them, or read the file with the flags of the hints.',
  },
  {
    term: 'run.failed',
    said: /(?<!\d)\d+ (?:recorded as failed|refused);/,
    meaning:
      'Some records of a run were refused or failed. `grade report RUN --failed` has them as a file that can be corrected and sent again.',
  },
  {
    term: 'batch.failed',
    said: /(?<!\d)\d+ files?: |not synced: /,
    meaning:
      'Some of several files were not transferred or deleted; each is listed with its reason. Correct that, and run the same command again.',
  },
  {
    term: 'launch.check',
    said: /^(?:lectern: )?(?:ended|unreachable|refused|unprovisioned|missing): /,
    meaning:
      'Some URLs of the launch did not answer as the contract says; the exit code is that of the worst answer.',
  },
  {
    term: 'ledger',
    said: /the ledger cannot be reached/,
    meaning:
      'The ledger cannot be used: its server or file is missing, busy, damaged, of another version, or refuses the login. No grade is sent that could not be recorded; `ledger status` and `lectern doctor` show more.',
  },
  {
    term: 'interrupted',
    said: /^(?:lectern: )?interrupted/,
    meaning: 'Ctrl-C, a signal, or a question that was declined ended the command.',
  },
];

/** The reason of a failed attempt that a text contains. */
export function reasonIn(text: string): Term | undefined {
  return termIn(text, REASONS);
}

/** The error of lectern that a text is, or has in it, as a code or as a message. */
export function ownErrorIn(text: string): Term | undefined {
  const words = text.match(/(?<![a-z_])[a-z_]+\.[a-z_-]+/g) ?? [text];
  const isNamed = ({ term }: Said): boolean =>
    words.some((word) => word === term || word.startsWith(`${term}.`));
  const named = OWN_ERRORS.filter(isNamed);
  return named.map(termOf)[0] ?? termIn(text, OWN_ERRORS);
}

function termIn(text: string, terms: readonly Said[]): Term | undefined {
  return terms.filter(({ said }) => said.test(text)).map(termOf)[0];
}

const termOf = ({ term, meaning }: Said): Term => ({ term, meaning });

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
    ...OWN_ERRORS.map(({ term }) => term),
    // As one argument: in a shell, a term of several words has hyphens.
    ...GLOSSARY.map(({ term }) => term.replaceAll(' ', '-')),
  ]),
];
