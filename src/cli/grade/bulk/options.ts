import { InvalidError, UsageError } from '../../../errors.ts';
import { GLOBAL_FLAGS } from '../../arguments/global-flags.ts';
import { type Flags, flagLine } from '../../arguments/flags.ts';
import { flagWord } from '../../../contract/words.ts';
import { numberOf } from '../body.ts';
import { readInput } from '../../input/read.ts';
import type { Runtime } from '../../runtime.ts';
import { readMemberList, readMemberMap } from '../../../grades/member-lists.ts';
import type { ReadingOptions } from '../../../grades/checked-records.ts';
import type { GradeFileOptions } from '../flags.ts';
import { type ColumnNames, isColumn, isSameColumn } from '../../../grades/columns.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../../../validator/grades.ts';
import { nearest } from '../../../contract/nearest.ts';

/** The options of a grade file by its flags; reads the files that they name. */
export async function readingOptions(
  runtime: Runtime,
  flags: GradeFileOptions,
): Promise<ReadingOptions> {
  const { map = [], ignoreColumn = [], where = [], maxScore, skipUnknown } = flags;
  const { ignoreOtherColumns: ignoreOthers, skipUngraded, lastWins, strict } = flags;
  const names = columnNames(map);
  return {
    names,
    ignored: ignoredColumns(ignoreColumn, names),
    ignoreOthers,
    maxScore: maxScore === undefined ? undefined : pointsPossible(maxScore),
    where: wantedValues(where),
    members:
      flags.members === undefined ? undefined : await memberMap(runtime, flags.members, names),
    only: flags.only === undefined ? undefined : await onlyMembers(runtime, flags.only),
    skipUnknown,
    skipUngraded,
    lastWins,
    strict,
  };
}

function wantedValues(conditions: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const text of conditions) {
    const [, column = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const name = column.trim();
    if (name === '') {
      throw new UsageError(
        `--where ${JSON.stringify(text)} is not valid`,
        'use --where COLUMN=VALUE, such as --where assignment=ps1',
      );
    }
    const earlier = [...values].find(([other]) => isSameColumn(other, name))?.[1];
    if (earlier !== undefined && earlier !== value.trim()) {
      throw new UsageError(`--where: the column ${JSON.stringify(name)} cannot have two values`);
    }
    if (earlier === undefined) values.set(name, value.trim());
  }
  return values;
}

async function memberMap(
  runtime: Runtime,
  file: string,
  names: ColumnNames,
): Promise<ReadonlyMap<string, string>> {
  const { bytes, source } = await readInput(runtime, file, '--members', MAX_LIST_BYTES);
  return readMemberMap(bytes, source, names);
}

/** Members by their IDs, or by files: a name with the ending of a table is one. */
async function onlyMembers(runtime: Runtime, values: readonly string[]): Promise<Set<string>> {
  const members = new Set<string>();
  for (const value of values) {
    if (value.trim() === '') throw new UsageError('--only needs a member or a file');
    const info = await (await runtime.disk()).pathInfo(value, { followLinks: true });
    if (info?.kind === 'file' || /\.(?:csv|tsv|txt)$/i.test(value)) {
      const { bytes, source } = await readInput(runtime, value, '--only', MAX_LIST_BYTES);
      for (const member of readMemberList(bytes, source)) members.add(member);
    } else members.add(value.trim());
  }
  return members;
}

const MAX_LIST_BYTES = 256 << 20;

function pointsPossible(text: string): number {
  const value = numberOf('--max-score', text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidError('--max-score must be greater than 0', { code: 'grade.max_score_range' });
}

export function columnNames(maps: readonly string[]): ColumnNames {
  const names = new Map<string, GradeColumn>();
  for (const each of maps) {
    const [name, column] = mapping(each);
    const earlier = [...names].find(([mapped]) => isSameColumn(mapped, name));
    if (earlier?.[1] === column) continue;
    if (earlier) {
      throw new UsageError(`--map: the column ${JSON.stringify(name)} is mapped twice`);
    }
    names.set(name, column);
  }
  return names;
}

function mapping(text: string): [name: string, column: GradeColumn] {
  const [, name = '', column] = /^(.+)=([^=]*)$/s.exec(text) ?? [];
  if (name.trim() === '' || column === undefined) {
    throw new UsageError(
      `--map ${JSON.stringify(text)} is not valid`,
      'use --map NAME=COLUMN, such as --map student_id=member',
    );
  }
  const known = column.trim().toLowerCase();
  if (isColumn(known)) return [name.trim(), known];
  const [, first = '', rest = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  const reversed = first.trim().toLowerCase();
  if (isColumn(reversed)) {
    throw new UsageError(
      `--map ${JSON.stringify(text)} is the wrong way round`,
      `use ${flagWord('--map', `${rest.trim()}=${reversed}`)}`,
    );
  }
  throw new UsageError(
    `--map: ${JSON.stringify(column)} is not a column of a grade file`,
    nearest(column, GRADE_COLUMNS),
  );
}

function ignoredColumns(columns: readonly string[], names: ColumnNames): string[] {
  return columns.map((each) => {
    const column = each.trim();
    if (column === '') throw new UsageError('--ignore-column needs the name of a column');
    if (![...names.keys()].some((name) => isSameColumn(name, column))) return column;
    const message = `the column ${JSON.stringify(column)} is both mapped and ignored`;
    throw new UsageError(message, 'use either --map or --ignore-column for it');
  });
}

/** Flags that a hint chooses, or that its command has already; `--yes` would skip the plan. */
const NOT_REPEATED = new Set([
  'from',
  'yes',
  'map',
  'ignoreColumn',
  'ignoreOtherColumns',
  'maxScore',
  'where',
  'skipUngraded',
]);

/** The command line of a command with the flags that are given, but for those that a hint chooses. */
export function commandLine(
  command: string,
  table: Flags,
  options: Readonly<Record<string, unknown>>,
): string {
  const { url } = options;
  // Its query may be a signature.
  const shown = { ...options, ...(String(url).includes('?') && { url: 'URL' }) };
  const given = Object.entries(shown).filter(([name]) => !NOT_REPEATED.has(name));
  const flags = flagLine({ ...table, ...GLOBAL_FLAGS }, Object.fromEntries(given) as object);
  return `lectern ${command} ${flags}`.trim();
}
