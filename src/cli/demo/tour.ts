import { EXIT } from '../exit-codes.ts';

/** One command of the tour. */
export interface Step {
  readonly why: string;
  /** The command line after `lectern`, as a user types it; a word with spaces is quoted. */
  readonly line: string;
  readonly exit?: number;
  /** Its standard output is not shown, because it contains a token. */
  readonly isSilent?: true;
  /** Ctrl-C is pressed after this many grades. */
  readonly interruptAfter?: number;
  readonly lines?: number;
}

const STUDENTS = 200;

/** New scores for the whole course, as a file of grades. */
function scores(): string {
  const rows = Array.from({ length: STUDENTS }, (_, at) => {
    const score = 0.5 + ((at * 7) % 51) / 100;
    return `astronomy-2026-student-${at + 1},${score.toFixed(2)}\n`;
  });
  return `member,score\n${rows.join('')}`;
}

/** The files in the folder of the tour. */
export const FILES: Readonly<Record<string, string>> = {
  'diary.json': '{"page":3,"big":9007199254740993,"notes":[]}\n',
  'rubric.txt': 'Clarity 40 %, evidence 40 %, style 20 %.\n',
  'scores.csv': scores(),
};

const REFUSED = [17, 96, 141].map((number) => `astronomy-2026-student-${number}`).join(' ');

/** The main jobs, in the order in which a new user would meet them. */
export const TOUR: readonly Step[] = [
  {
    why: 'A course to try things in: an instructor and a student open the tool.',
    line: 'emulator launch --role instructor --save teacher',
    isSilent: true,
  },
  {
    why: 'The launch of a student has no name and no email.',
    line: 'emulator launch --role student --save student',
    isSilent: true,
  },
  { why: 'The saved launches.', line: 'launch list' },
  {
    why: 'Is this launch valid, and what does it permit?',
    line: 'launch decode -l student',
    lines: 12,
  },
  {
    why: 'Replace a row. The number is too large for JavaScript, but is kept exactly.',
    line: 'storage put member diary.json -l student --yes',
  },
  {
    why: 'Change two values in one atomic patch; missing parents are created.',
    line: "storage patch member -l student --add '/notes/-=first note' --add /view/theme=dark",
  },
  { why: 'Read it again.', line: 'storage get member -l student' },
  {
    why: 'The service keeps no history, but lectern keeps each row before a write.',
    line: 'storage history member -l student',
  },
  {
    why: 'A student is not allowed to write the shared row of the course: exit 5.',
    line: 'storage patch context -l student --add /theme=dark',
    exit: EXIT.forbidden,
  },
  {
    why: 'Upload a file: declared first, then sent to another origin without the token.',
    line: 'files upload location rubric.txt -l teacher',
  },
  { why: 'The files of the location.', line: 'files ls location -l teacher' },
  {
    why: 'Publish a grade: 17 of 20 points. The response is the only record and is kept.',
    line: "grade submit --points 17/20 --comment 'Well argued.' -l student",
    lines: 8,
  },
  {
    why: 'An invalid score is rejected before anything is sent: exit 3.',
    line: 'grade submit --score 85 -l student',
    exit: EXIT.invalid,
  },
  {
    why: `Now a regrade of ${STUDENTS} students. The LMS will refuse three of the scores.`,
    line: `emulator lms refuse --body 'the grading period is closed' --member ${REFUSED}`,
    lines: 3,
  },
  {
    why: 'Ctrl-C in the middle of it: pending responses are awaited, nothing is lost.',
    line: 'grade submit --from scores.csv --rate 100/s -l teacher --yes',
    exit: EXIT.interrupted,
    interruptAfter: 80,
  },
  {
    why: 'Resume the run: only grades that were not sent are sent. Three fail: exit 9.',
    line: 'grade resume 1 --rate 200/s --yes --quiet',
    exit: EXIT.failed,
  },
  { why: 'The failed rows, with the messages of the LMS.', line: 'grade report 1 --failed' },
  { why: 'The LMS accepts scores again.', line: 'emulator lms ok', lines: 3 },
  {
    why: 'Send the failed ones again. Now all 200 are recorded, each once.',
    line: 'grade resume 1 --retry-failed --yes --quiet',
  },
  {
    why: "A launch token ends after 12 hours without a call. Advance the emulator's clock.",
    line: 'emulator clock advance 12h',
  },
  {
    why: 'The token has ended: exit 4.',
    line: 'storage get member -l student',
    exit: EXIT.unauthenticated,
  },
  {
    why: 'The emulator has recorded all this. How would it judge a tool that did the same?',
    line: 'emulator report --fail-on error',
    lines: 6,
  },
];
