import { jsonTypeOf, type Violation, violation } from '../../../contract/index.ts';
import {
  isLossyNumber,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  toNative,
} from '../../../json/index.ts';
import { type ColumnNames, columnOf } from './columns.ts';
import { lossy, type RawRow, ROW_MAX_BYTES } from './raw-row.ts';

/** Reads one JSON object a line, in batches, as the chunks come. */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
  names: ColumnNames,
): AsyncGenerator<RawRow[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;
  const rowsOf = (lines: readonly string[]): RawRow[] =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [rowOf(line, text, names)];
    });
  for await (const chunk of chunks) {
    // Only what ends with a line break is a line already. No readline: it splits on more than that.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    yield rowsOf(lines);
    if (rest.length > ROW_MAX_BYTES) return yield [tooLong(line + 1)];
  }
  yield rowsOf([rest + decoder.decode()]);
}

function tooLong(line: number): RawRow {
  const params = { reason: 'it is too long for one row', line, column: 1 };
  return { line, violations: [violation('grades.json_syntax', '', params)] };
}

function rowOf(line: number, text: string, names: ColumnNames): RawRow {
  if (text.includes('\ufffd')) return { line, violations: [violation('grades.encoding', '')] };
  try {
    const { value, duplicates } = parseJson(text);
    if (!(value instanceof Map)) {
      const found = jsonTypeOf(toNative(value));
      return { line, violations: [violation('grades.not_object', '', { found })] };
    }
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
): RawRow {
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
