import type { Term } from '../output/others-forms.ts';

export const IN_DOUBT =
  'A write was sent and its response is missing or unusable, so it is unknown whether it took effect. lectern never repeats such a write unless asked to.';

/** A term, and what messages that mean it have in them; without that, only its code is known. */
interface Said extends Term {
  readonly said?: RegExp;
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
    meaning: `${IN_DOUBT} The hint has the command that shows the current state; a grade is settled by an export of the gradebook (\`grade settle\`).`,
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
    said: /stopped after \d+ consecutive requests|first grade got no usable response/,
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
  {
    term: 'batch.in_doubt',
    meaning:
      'Some of several files were sent without a usable response. Each is listed with the command that shows its state; `files ls` shows what is stored.',
  },
  {
    term: 'grade.in_doubt',
    meaning:
      'A warning: earlier attempts for the member are in doubt, so that the grade may be in the gradebook already. `grade settle` closes them by an export.',
  },
  {
    term: 'grade.differs',
    meaning:
      'The gradebook does not show what the run has recorded; each member that differs is listed.',
  },
  {
    term: 'differs',
    meaning: 'What was compared differs; with `--exit-code` this is exit code 1.',
  },
  {
    term: 'run.overlap',
    meaning:
      'A warning: another open run would still send grades of the same members. The newest one that is sent counts.',
  },
  {
    term: 'report.findings',
    meaning: 'The report on a tool has findings of the severity that `--fail-on` names.',
  },
  {
    term: 'locations.no_answer',
    meaning: 'The tool did not answer a locations request. Check its server and `locations_url`.',
  },
  {
    term: 'observe.command',
    meaning: 'The command of `observe` ended with an exit code of its own, which is passed on.',
  },
  {
    term: 'doctor',
    meaning: 'A check of `lectern doctor` failed; its line says how to mend it.',
  },
  {
    term: 'demo.failed',
    meaning: 'A step of the demo did not end as it should. Please report it with its output.',
  },
  {
    term: 'row.reordered',
    meaning:
      'Only the order of names was edited, which a patch cannot express. Nothing was sent: replace the row with `storage put`.',
  },
  {
    term: 'settle.not_in_doubt',
    meaning:
      'The records that were named are not in doubt, so there is nothing to settle. `grade log --status in_doubt` lists those that are.',
  },
  {
    term: 'sync.max_delete',
    meaning:
      'A sync would delete more files than `--max-delete` allows, so nothing was changed. Look at its plan with `--dry-run`.',
  },
  {
    term: 'url.unusable',
    meaning:
      'An address cannot be called: it is no http or https URL, or was copied from output in which a part is hidden. Nothing was sent. `launch show NAME --reveal CLAIM` prints a whole one.',
  },
  {
    term: 'file.changed',
    meaning:
      'A local file was changed while it was read, so it was not taken. Try again when nothing writes to it.',
  },
  {
    term: 'credential.missing',
    meaning:
      'No launch, token or key was found for the call, so nothing was sent. `lectern help credentials` has the order in which they are looked for.',
  },
  {
    term: 'credential.malformed',
    meaning:
      'A token or key is empty, or has characters that no token has, such as quotes around it. Copy it again.',
  },
  {
    term: 'input.*',
    meaning: 'What was read is larger than anything of its kind may be. Nothing was sent.',
  },
  {
    term: 'local.*',
    meaning:
      'A local file was left as it is: something else has its name already, or files cannot have such a name here. Give another path, or the flag that the hint names.',
  },
  {
    term: 'backup.*',
    meaning:
      'The folder of a backup cannot be used as it is: it is not empty, not complete, was changed afterwards, or belongs to another course, placement or member. Nothing was written.',
  },
  {
    term: 'project.*',
    meaning: 'The project file `lectern.json` exists already, or asks for what it may not.',
  },
  {
    term: 'emulator.*',
    meaning:
      'The emulator that is meant is not running, is starting or ending, or cannot use its data. `emulator start` starts one; `lectern doctor` lists those that run.',
  },
  {
    term: 'exec.*',
    meaning:
      'A program that lectern starts could not be started, or ended with an exit code of its own, which is passed on.',
  },
  {
    term: 'storage.*',
    meaning:
      'The file storage refused a signed address: it has expired, or the bytes are not what was declared. Run the command again to get a new address.',
  },
  {
    term: 'system',
    meaning:
      'The operating system refused something that lectern needs, such as a folder or memory. The message is the one of the system.',
  },
  {
    term: 'invalid',
    meaning: 'A value cannot be right, whatever the service says about it. Nothing was sent.',
  },
];

/** The codes, without those of which only the first part is listed. */
export const OWN_CODES = OWN_ERRORS.map(({ term }) => term).filter((term) => !term.endsWith('*'));

/** The reason of a failed attempt in a text, or the error of lectern, by its code or its message. */
export function ownTermIn(text: string): Term | undefined {
  const words = text.match(/(?<![a-z_])[a-z_]+\.[a-z_-]+/g) ?? [text];
  const isNamed = ({ term }: Said): boolean => {
    const family = `${term.replace(/\.\*$/, '')}.`;
    return words.some((word) => word === term || word.startsWith(family));
  };
  const named = OWN_ERRORS.filter(isNamed);
  return termIn(text, REASONS) ?? named.map(termOf)[0] ?? termIn(text, OWN_ERRORS);
}

function termIn(text: string, terms: readonly Said[]): Term | undefined {
  return terms.filter(({ said }) => said?.test(text)).map(termOf)[0];
}

const termOf = ({ term, meaning }: Said): Term => ({ term, meaning });
