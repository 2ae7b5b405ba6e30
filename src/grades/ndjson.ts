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
import { type ColumnNames, columnOf } from './columns.ts';
import {
  lossy,
  MAX_CELLS,
  MAX_RECORD_CHARACTERS,
  type ParsedRecord,
  tooLong,
  tooMany,
} from './parsed-record.ts';

/** Reads one JSON object a line, in batches, as the chunks come. A line beyond all bounds is the last. */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
  names: ColumnNames,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;
  const rowsOf = (lines: readonly string[]): ParsedRecord[] => {
    const rows: ParsedRecord[] = [];
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') rows.push(rowOf(line, text, names));
    }
    return rows;
  };
  for await (const chunk of chunks) {
    // Only what ends with a line break is a line already. No readline: it splits on more than that.
    // The rest is not joined before: of a long line each chunk would be searched again.
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    const last = lines.pop();
    if (last !== undefined && rest.length <= MAX_RECORD_CHARACTERS) {
      yield rowsOf([rest, ...lines]);
      rest = last;
    }
    if (rest.length > MAX_RECORD_CHARACTERS) return yield [tooLong(line + 1)];
  }
  yield rowsOf([rest + decoder.decode()]);
}

function rowOf(line: number, text: string, names: ColumnNames): ParsedRecord {
  if (text.includes('\ufffd')) return { line, violations: [violation('grades.encoding', '')] };
  try {
    const { value, duplicates } = parseJson(text);
    if (!(value instanceof Map)) {
      const found = describeType(value);
      return { line, violations: [violation('grades.not_object', '', { found })] };
    }
    if (value.size + duplicates.length > MAX_CELLS) return tooMany(line, 'names');
    return fieldsOf(line, value, duplicates, names);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const params = { reason: error.reason, line, column: error.column };
    return { line, violations: [violation('grades.json_syntax', '', params)] };
  }
}

/** The values under their columns' names; null is nothing, as an empty cell is. */
function fieldsOf(
  line: number,
  values: JsonObject,
  duplicates: readonly string[],
  names: ColumnNames,
): ParsedRecord {
  const fields: Record<string, unknown> = {};
  const violations: Violation[] = duplicates.map((pointer) =>
    violation('grades.column_twice', pointer, { column: pointer.slice(1) }),
  );
  for (const [name, value] of values) {
    const column = columnOf(name, names);
    if (typeof column === 'object') violations.push(column);
    if (typeof column !== 'string' || value === null) continue;
    if (column in fields) violations.push(violation('grades.column_twice', '', { column }));
    if (value instanceof JsonNumber && isLossyNumber(value)) {
      violations.push(lossy(column, value.text, Number(value.text)));
    }
    fields[column] = toNative(value);
  }
  return violations.length > 0 ? { line, violations, member: fields.member } : { line, fields };
}
