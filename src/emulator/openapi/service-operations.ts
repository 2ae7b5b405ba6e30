import {
  type Area,
  FILE_SIZE,
  FILES_PER_ROW,
  FILES_TOTAL,
  type RowKind,
  ROW_SIZE,
} from '../../contract/index.ts';

/** The operations at one kind of address. */
export interface ServiceOperation {
  /** The operation's ID, with * for the row. */
  readonly id: string;
  readonly tag: string;
  readonly summary: (kind: string) => string;
  /** The area of the contract's table of errors. */
  readonly area: Area;
  /** Codes, and prefixes of codes with a dot at the end. */
  readonly codes: readonly string[];
  readonly description?: (kind: RowKind) => string;
  /** The schema of the body, if there is one. */
  readonly takes?: string;
  /** The schema of the answer; 204 without one. */
  readonly answers?: string;
  /** The description of the answer. */
  readonly says: string;
}

/** Errors of a call with the token of a launch. */
const TOKEN = [
  'auth.missing',
  'auth.unknown',
  'auth.ended',
  'auth.suspended',
  'auth.key_not_accepted',
];
const ROW = [...TOKEN, 'row.not_found', 'row.not_member', 'row.forbidden'];

const GRADER = [
  'auth.missing_grade',
  'auth.key_unknown',
  'auth.ended',
  'auth.suspended',
  'auth.key_not_accepted',
  'auth.other_tool',
  'auth.not_placed',
  'auth.not_this_member',
];

const rowLimits = (kind: RowKind): string =>
  `At most ${ROW_SIZE[kind].label} (${ROW_SIZE[kind].bytes} bytes) as compact JSON.`;
const fileLimits = (kind: RowKind): string =>
  `A file has at most ${FILE_SIZE.label}, and the row at most ${FILES_PER_ROW} files of ${FILES_TOTAL[kind].label} in all. The bytes go to the address of the answer.`;

const ROWS = { tag: 'Rows', area: 'storage' } as const;
const FILES = { tag: 'Files', area: 'files' } as const;

/** The operations at each kind of address. */
export const SERVICE_OPERATIONS: Readonly<Record<string, ServiceOperation>> = {
  'GET row': {
    id: 'get*Row',
    ...ROWS,
    summary: (kind) => `Read the ${kind} row`,
    codes: ROW,
    answers: 'Row',
    says: 'the JSON object exactly as last written; {} if never written',
  },
  'PUT row': {
    id: 'put*Row',
    ...ROWS,
    summary: (kind) => `Replace the ${kind} row`,
    description: rowLimits,
    codes: [...ROW, 'body.', 'row.too_large', 'row.maybe_too_large'],
    takes: 'Row',
    says: 'the row is written',
  },
  'PATCH row': {
    id: 'patch*Row',
    ...ROWS,
    summary: (kind) => `Patch the ${kind} row`,
    description: rowLimits,
    codes: [...ROW, 'body.', 'patch.', 'row.too_large', 'row.maybe_too_large'],
    takes: 'Patch',
    says: 'all operations are applied',
  },
  'GET files': {
    id: 'list*Files',
    ...FILES,
    summary: (kind) => `List the files of the ${kind} row`,
    codes: ROW,
    answers: 'FileListing',
    says: 'the files, by key',
  },
  'GET file': {
    id: 'get*File',
    ...FILES,
    summary: (kind) => `Read the record of a file of the ${kind} row`,
    codes: [...ROW, 'file.not_found'],
    answers: 'FileRecord',
    says: 'the record, with the address of the bytes',
  },
  'PUT file': {
    id: 'declare*File',
    ...FILES,
    summary: (kind) => `Declare a file of the ${kind} row`,
    description: fileLimits,
    codes: [...ROW, 'body.', 'file.', 'files.'],
    takes: 'Declaration',
    answers: 'SignedForm',
    says: 'the form to send the bytes with',
  },
  'DELETE file': {
    id: 'delete*File',
    ...FILES,
    summary: (kind) => `Delete a file of the ${kind} row`,
    codes: ROW,
    says: 'the file was deleted or never existed',
  },
  'POST grade': {
    id: 'submit*Grade',
    tag: 'Grades',
    area: 'grade',
    summary: () => 'Submit a grade',
    codes: [...GRADER, 'body.', 'grade.'],
    takes: 'Grade',
    answers: 'Attempt',
    says: 'the attempt, also one that the LMS refused',
  },
  'PUT provision': {
    id: 'finish*Provisioning',
    tag: 'Provisioning',
    area: 'provision',
    summary: (kind) => `Report that a ${kind} is provisioned`,
    codes: ROW,
    says: 'its rows can be used',
  },
};
