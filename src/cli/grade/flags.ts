import { InvalidArgumentError } from 'commander';
import { LIMIT_FLAG, durationSeconds, wholeNumber } from '../arguments/numbers.ts';
import { defineFlags, type OptionsOf, REPLACE_FLAG } from '../arguments/flags.ts';
import { STATES } from '../../ledger/ledger.ts';

/** Reads `20/s`, `20` or `600/min` as requests per second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([a-z]+))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (durationSeconds(`1${unit}`) ?? Number.NaN);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('expected a rate such as 20/s or 600/min.');
}

/** The pace of a run; `rate` is requests per second. */
export const PACE_FLAGS = defineFlags({
  '--concurrency <n>': {
    help: 'maximum parallel requests (default: 4)',
    parse: wholeNumber({ from: 1, to: 1024 }),
  },
  '--rate <n/s>': { help: 'maximum request rate, such as 20/s or 600/min', parse: perSecond },
});
export type GradePaceOptions = OptionsOf<typeof PACE_FLAGS>;

const SEND_FLAGS = defineFlags({
  '--limit <n>': { help: 'send at most this many grades', parse: wholeNumber({ from: 1 }) },
  ...PACE_FLAGS,
});

const COLUMN_FLAGS = defineFlags({
  '--map <name=column>': {
    help: "read the file's column NAME as COLUMN, such as id=member",
    repeat: true,
  },
  '--ignore-column <name>': { help: 'do not read this column of the file', repeat: true },
  '--ignore-other-columns': 'read only the columns of a grade file',
});

/** Flags for reading a grade file, without `--max-score`, which a single grade takes too. */
const READING_FLAGS = defineFlags({
  ...COLUMN_FLAGS,
  '--where <column=value>': {
    help: 'read only records with this value in a column, such as assignment=ps1',
    repeat: true,
  },
  '--only <id|file>': {
    help: 'read only the record of this member, or of the members in a file',
    repeat: true,
  },
  '--members <file>': 'the members of the identifiers in the grade file, in two columns',
  '--skip-unknown': 'leave out records whose identifier is empty, or not in --members',
  '--skip-ungraded': 'leave out records without a grade: empty, -, EX, N/A, Missing and the like',
  '--last-wins': 'if a member occurs more than once, use the last record',
  '--strict': 'treat warnings, and lines that are left out, as errors',
});

export const LOG_FLAGS = defineFlags({
  '--member <id>': 'only this member',
  '--status <words>': `${STATES.join(', ')} or recorded; separate several with commas`,
  '--since <time>': 'only since a time, such as 2026-10-13, 2026-10-13T08:00Z, 90min, 12h or 7d',
  '--run <run>': 'only this run',
  '-o, --output <file>': 'write to this file, in UTF-8; as CSV if its name ends in .csv',
  ...REPLACE_FLAG,
  '--all': 'also list attempts in doubt whose grade was sent again and recorded',
  ...LIMIT_FLAG,
});

export const REPORT_FLAGS = defineFlags({
  '--csv': 'print CSV on a terminal too',
  '--receipt': 'print when each grade was sent, where, and the one before it, as CSV',
  '-o, --output <file>': 'write to this file, in UTF-8',
  ...REPLACE_FLAG,
  '--failed': 'only failed and refused grades',
  '--in-doubt': 'only grades in doubt: sent without a usable response',
  '--not-sent': 'only grades not sent yet',
  '--limit <n>': {
    help: 'print at most this many (default on a terminal: 30)',
    parse: wholeNumber({ from: 1 }),
  },
});
export type GradeRunReportOptions = OptionsOf<typeof REPORT_FLAGS>;

/** Flags that send records although a newer attempt has overtaken them. */
const OVERTAKEN_FLAGS = defineFlags({
  '--again': 'send grades again that another run has since recorded, or has in doubt',
  '--include-superseded': 'also send grades whose member has a newer grade',
});

export const WORK_FLAGS = defineFlags({ ...OVERTAKEN_FLAGS, ...PACE_FLAGS });

export const RESUME_FLAGS = defineFlags({
  '--from <file>': 'warn if this is not the file that the run was created from',
  '--retry-failed': 'send failed and refused grades again',
  '--retry-in-doubt': 'send grades in doubt again; some may be published twice',
  '--dry-run': 'show which grades would be sent without sending them',
  ...OVERTAKEN_FLAGS,
  ...SEND_FLAGS,
});
export type GradeResumeOptions = OptionsOf<typeof RESUME_FLAGS>;

export const ONE_GRADE_FLAGS = defineFlags({
  '--score <fraction>': 'score from 0.0 to 1.0',
  '--points <reached/possible>':
    'score as points, such as 42.5/50; also sets the points possible of the column',
  '--max-score <points>':
    'points possible, set before the score; in a file, for records without max_score',
  '--comment <text>': 'comment published with the score',
  '--activity-progress <word>': 'Completed (default) or Submitted',
  '--grading-progress <word>': 'FullyGraded (default) or Pending',
  '--member <id>': 'grade another member of the course',
});
export type GradeOptions = OptionsOf<typeof ONE_GRADE_FLAGS>;

/** Flags of a run that is planned and sent. */
const RUN_FLAGS = defineFlags({
  '--mixed-max-score': 'send records with different max_score; --yes does not confirm that',
  '--plan <file>': 'write all records of the plan to this file, in CSV',
  ...REPLACE_FLAG,
  '--skip-unchanged': 'skip grades equal to the last recorded one',
  '--only-if-higher': 'skip scores not higher than the last recorded one, or one in doubt',
  '--expect-digest <digest>': 'abort unless the plan has this digest',
  '--no-send': 'only plan the run, to be sent with grade work or grade resume',
  '--again': 'send records again that another run has not sent yet, or has in doubt',
  ...SEND_FLAGS,
});

/** Flags that need a grade file. */
export const FROM_FLAGS = defineFlags({ ...READING_FLAGS, ...RUN_FLAGS });

const DRY_RUN = { '--dry-run': 'show what would be sent without sending it' } as const;

export const UNDO_FLAGS = defineFlags({
  '--only <id|file>': {
    help: 'take back only the grade of this member, or of the members in a file',
    repeat: true,
  },
  '--include-superseded': 'also take back grades whose member has a newer grade',
  ...DRY_RUN,
  ...RUN_FLAGS,
});
export type GradeUndoOptions = OptionsOf<typeof UNDO_FLAGS>;

/** The flags of a run that is planned and sent, wherever its records come from. */
export type GradeSendOptions = OptionsOf<typeof RUN_FLAGS & typeof DRY_RUN>;

export const SUBMIT_FLAGS = defineFlags({
  ...ONE_GRADE_FLAGS,
  ...DRY_RUN,
  '--from <file>': {
    help: 'grade file: CSV or NDJSON; - for standard input',
    heading: 'Grade file options:',
  },
  ...FROM_FLAGS,
});
export type GradeSubmitOptions = OptionsOf<typeof SUBMIT_FLAGS>;

export const GRADE_FILE_FLAGS = defineFlags({
  '--max-score <points>': 'maximum of points for records without max_score',
  ...READING_FLAGS,
});
export type GradeFileOptions = OptionsOf<typeof GRADE_FILE_FLAGS>;

export const VERIFY_FLAGS = defineFlags({ ...GRADE_FILE_FLAGS, ...LIMIT_FLAG });

export const SETTLE_FLAGS = defineFlags({
  '--dry-run': 'show what would be settled, and change nothing',
  '--accept-same': 'also settle scores that another recorded attempt of the member had',
  '--member <id>': { help: 'settle the grade of this member by hand', repeat: true },
  '--recorded': 'by hand: the grade is in the gradebook',
  '--not-recorded': 'by hand: it is not, and grade resume sends it',
  '--because <text>': 'the reason, which is stored with your name',
  ...GRADE_FILE_FLAGS,
});
export type GradeSettleOptions = OptionsOf<typeof SETTLE_FLAGS>;
