import { EXIT } from '../exit-codes.ts';

/** One command of the tour. */
export interface Step {
  readonly why: string;
  readonly args: readonly string[];
  readonly exit: number;
  readonly input?: string;
  /** Files that the command is given, by the name that stands in `args`. */
  readonly files?: Readonly<Record<string, string>>;
}

const teacher = ['-l', 'teacher'];
const student = ['-l', 'student'];

/** The main jobs, in the order in which a newcomer would meet them. */
export const TOUR: readonly Step[] = [
  {
    why: 'An instructor and a student open the tool in a course of the emulator.',
    args: ['emulator', 'launch', '--role', 'instructor', '--save', 'teacher', '--quiet'],
    exit: EXIT.done,
  },
  {
    why: 'The same for a student: no name and no email, as in every student launch.',
    args: ['emulator', 'launch', '--role', 'student', '--save', 'student', '--quiet'],
    exit: EXIT.done,
  },
  { why: 'The saved launches.', args: ['launch', 'list'], exit: EXIT.done },
  {
    why: 'A row that was never written reads as an empty object.',
    args: ['storage', 'get', 'member', ...student],
    exit: EXIT.done,
  },
  {
    why: 'Replace it. The number is too large for JavaScript, but is kept exactly.',
    args: ['storage', 'put', 'member', ...student, '--yes'],
    input: '{"page":3,"big":9007199254740993,"notes":[]}',
    exit: EXIT.done,
  },
  {
    why: 'Change two values in one atomic patch; missing parents are created.',
    args: [
      'storage',
      'patch',
      'member',
      ...student,
      '--add',
      '/notes/-=first note',
      '--add',
      '/view/theme=dark',
    ],
    exit: EXIT.done,
  },
  {
    why: 'Read it again.',
    args: ['storage', 'get', 'member', ...student],
    exit: EXIT.done,
  },
  {
    why: 'A student is not allowed to write the shared row of the course: exit 5.',
    args: ['storage', 'patch', 'context', ...student, '--add', '/theme=dark'],
    exit: EXIT.forbidden,
  },
  {
    why: 'Upload a file: it is declared, then sent with a signed form to another origin, without the token.',
    args: ['files', 'upload', 'location', 'rubric.txt', ...teacher],
    files: { 'rubric.txt': 'Clarity 40 %, evidence 40 %, style 20 %.\n' },
    exit: EXIT.done,
  },
  {
    why: 'The files of the location.',
    args: ['files', 'ls', 'location', ...teacher],
    exit: EXIT.done,
  },
  {
    why: 'Publish a grade: 42.5 of 50 points. The response is the only record and is kept.',
    args: ['grade', 'submit', '--points', '42.5/50', '--comment', 'Well argued.', ...student],
    exit: EXIT.done,
  },
  {
    why: 'An invalid score is rejected before anything is sent: exit 3.',
    args: ['grade', 'submit', '--score', '85', ...student],
    exit: EXIT.invalid,
  },
  {
    why: "A launch token ends after 12 hours without a call. Advance the emulator's clock.",
    args: ['emulator', 'clock', 'advance', '12h'],
    exit: EXIT.done,
  },
  {
    why: 'The token has ended: exit 4.',
    args: ['storage', 'get', 'member', ...student],
    exit: EXIT.unauthenticated,
  },
];
