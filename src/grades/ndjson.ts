import { type Violation, violation } from '../contract/index.ts';
import { describeType } from '../contract/words.ts';
import {
  isLossyNumber,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  toNative,
} from '../json/index.ts';
import { Columns, type RecordOptions } from './columns.ts';
import { isNoStudent } from './exports.ts';
import { NOT_UTF8 } from './file-text.ts';
import {
  lossyNumber,
  MAX_CELLS,
  MAX_RECORD_CHARACTERS,
  type ParsedRecord,
  tooLongRecord,
  tooManyCells,
} from './parsed-record.ts';
import {
  MAX_TRIED,
  suggestReading,
  tryRecords,
  type TryReading,
  withReading,
} from './suggest-columns.ts';

/** Reads one JSON object per line, in batches, as the texts arrive. A line over the limits ends the file. */
export async function* readNdjson(
  texts: AsyncIterable<string>,
  columns: Columns,
  options: RecordOptions,
): AsyncGenerator<ParsedRecord[]> {
  let rest = '';
  let line = 0;
  const hints = new NameHints(columns, options);
  const parse = (lines: readonly string[]): ParsedRecord[] => {
    const rows: ParsedRecord[] = [];
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      const read = toRecord(line, text, columns, options);
      if (read) rows.push(read);
    }
    return hints.added(rows, lines);
  };
  for await (const text of texts) {
    // Only what ends with a line break is a complete line. readline would also split on U+2028. The
    // rest is joined late: otherwise each chunk of a long line would be searched again.
    const [first = '', ...lines] = text.split('\n');
    rest += first;
    const last = lines.pop();
    if (last !== undefined && rest.length <= MAX_RECORD_CHARACTERS) {
      yield parse([rest, ...lines]);
      rest = last;
    }
    if (rest.length > MAX_RECORD_CHARACTERS) return yield [tooLongRecord(line + 1)];
  }
  yield parse([rest]);
  const { missing } = columns;
  if (missing.length > 0 && columns.names.length > 0) {
    yield [{ line: 1, violations: missing, isNoRecord: true }];
  }
}

/** The flags that read unknown names, as far as the file has been read: later lines may have others. */
class NameHints {
  #names = 0;
  #reading: string | undefined;

  constructor(
    readonly columns: Columns,
    readonly options: RecordOptions,
  ) {}

  added(records: ParsedRecord[], lines: readonly string[]): ParsedRecord[] {
    if (!records.some(hasUnknown)) return records;
    const { names } = this.columns;
    if (names.length > this.#names) {
      this.#names = names.length;
      const tryIt: TryReading = (options) => {
        const columns = new Columns(options);
        const texts = lines.slice(0, MAX_TRIED).filter((text) => text.trim() !== '');
        const tried = texts.flatMap((text) => toRecord(1, text, columns, options) ?? []);
        const trial = tryRecords(tried, options);
        return trial && { ...trial, maximum: undefined, valuesOf: () => [] };
      };
      this.#reading =
        suggestReading(names, this.options, tryIt, 'names') ??
        suggestReading(names, this.options, tryIt, 'numbers');
    }
    return records.map((each) =>
      hasUnknown(each)
        ? { ...each, violations: each.violations.map((wrong) => withReading(wrong, this.#reading)) }
        : each,
    );
  }
}

function hasUnknown(
  record: ParsedRecord,
): record is Extract<ParsedRecord, { violations: unknown }> {
  return 'violations' in record && record.violations.some(isUnknown);
}

function isUnknown({ code }: Violation): boolean {
  return code === 'grades.column_unknown';
}

function toRecord(
  line: number,
  text: string,
  columns: Columns,
  options: RecordOptions,
): ParsedRecord | undefined {
  if (text.includes(NOT_UTF8)) return { line, violations: [violation('grades.encoding', '')] };
  try {
    const { value, duplicates } = parseJson(text);
    if (!(value instanceof Map)) {
      const found = describeType(value);
      return { line, violations: [violation('grades.not_object', '', { found })] };
    }
    if (value.size + duplicates.length > MAX_CELLS) return tooManyCells(line, 'names');
    return fieldsOf(line, value, duplicates, columns, options);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const params = { reason: error.reason, line, column: error.column };
    return { line, violations: [violation('grades.json_syntax', '', params)] };
  }
}

/** The values by column; null is like an empty cell. undefined if the flags do not select it. */
function fieldsOf(
  line: number,
  values: JsonObject,
  duplicates: readonly string[],
  columns: Columns,
  { asWritten, where }: RecordOptions,
): ParsedRecord | undefined {
  const fields: Record<string, unknown> = {};
  let matches = 0;
  const violations: Violation[] = duplicates.map((pointer) =>
    violation('grades.column_twice', pointer, { column: pointer.slice(1) }),
  );
  for (const [name, value] of values) {
    const column = columns.of(name);
    if (typeof column === 'object') violations.push(column);
    const wanted = columns.wanted(name);
    if (wanted !== undefined && String(toNative(value) ?? '').trim() === wanted) matches += 1;
    if (typeof column !== 'string' || value === null) continue;
    if (column in fields) violations.push(violation('grades.column_twice', '', { column }));
    const isNumber = value instanceof JsonNumber;
    if (isNumber && !asWritten && isLossyNumber(value)) {
      violations.push(lossyNumber(column, value.text, Number(value.text)));
    }
    fields[column] = isNumber && asWritten ? value.text : toNative(value);
  }
  if (matches < (where?.size ?? 0)) {
    columns.notes.notSelected += 1;
    return undefined;
  }
  if (isNoStudent(fields.member)) return { line, leftOut: fields.member };
  return violations.length > 0 ? { line, violations, member: fields.member } : { line, fields };
}
