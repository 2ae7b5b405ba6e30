import { explainViolation, violation } from '../contract/index.ts';
import { shorten, truncate } from '../contract/words.ts';
import { InvalidError } from '../errors.ts';
import { type ColumnNames, isSameColumn } from './columns.ts';
import { recordOfFault, unescapeFormula } from './csv.ts';
import { NOT_UTF8, wholeText } from './file-text.ts';
import { delimitersOf, splitRecords } from './header.ts';

/**
 * The members by their identifiers in a grade file, from CSV with a header. The column `member`, or
 * else the second of two, has the members. The other one of two, or the one that `names` reads as
 * `member`, has the identifiers.
 *
 * @throws {InvalidError} it cannot be read, the columns are not clear, or an identifier has two members
 */
export function readMemberMap(
  bytes: Uint8Array,
  source: string,
  names: ColumnNames,
): ReadonlyMap<string, string> {
  const [header = [], ...records] = recordsOf(bytes, source);
  const [identifierAt, memberAt] = columnsOf(header, source, names);
  const members = new Map<string, string>();
  for (const cells of records) {
    const [identifier, member] = [textOf(cells, identifierAt), textOf(cells, memberAt)];
    if (identifier === '' || member === '') continue;
    const other = members.get(identifier) ?? member;
    if (other !== member) {
      const both = `${shorten(other)} and ${shorten(member)}`;
      throw new InvalidError(
        `${source}: the identifier ${JSON.stringify(shorten(identifier))} has two members: ${both}`,
        { hint: 'keep one of them' },
      );
    }
    members.set(identifier, member);
  }
  return members;
}

function columnsOf(
  header: readonly string[],
  source: string,
  names: ColumnNames,
): [identifier: number, member: number] {
  const named = header.findIndex((name) => isSameColumn(name, 'member'));
  const isPair = header.length === 2;
  const member = named === -1 && isPair ? 1 : named;
  const mapped = [...names].filter(([, column]) => column === 'member').map(([name]) => name);
  const identifier = header.findIndex(
    (name, at) => at !== member && (isPair || mapped.some((one) => isSameColumn(one, name))),
  );
  if (member !== -1 && identifier !== -1) return [identifier, member];
  const columns = shorten(header.map((name) => truncate(name.trim())).join(', '));
  throw new InvalidError(
    `${source}: the columns of the list of members are not clear: ${columns}`,
    {
      hint: 'it needs two columns: the identifier of the grade file, and member; or a column member, and --map NAME=member for the identifier in both files',
    },
  );
}

/**
 * The members in a list: the column `member` of CSV, such as a report of a run, or one member on each
 * line.
 *
 * @throws {InvalidError} it cannot be read, or it has several columns, and none is `member`
 */
export function readMemberList(bytes: Uint8Array, source: string): string[] {
  const records = recordsOf(bytes, source);
  const [header = []] = records;
  const at = header.findIndex((name) => isSameColumn(name, 'member'));
  if (at === -1 && records.some(({ length }) => length > 1)) {
    throw new InvalidError(`${source}: the list of members has no column member`, {
      hint: 'name the column member, or write one member on each line',
    });
  }
  const lines = at === -1 ? records : records.slice(1);
  return lines.map((cells) => textOf(cells, Math.max(0, at))).filter((member) => member !== '');
}

function recordsOf(bytes: Uint8Array, source: string): (readonly string[])[] {
  const text = wholeText(bytes);
  const [delimiter] = delimitersOf(text) as [string];
  const { records, fault } = splitRecords({ text, isWhole: true }, delimiter);
  const unread = fault && recordOfFault(fault);
  const spoilt = records.find(({ cells }) => cells.some((cell) => cell.includes(NOT_UTF8)));
  const line = unread?.line ?? spoilt?.line;
  if (line !== undefined) {
    const [found = violation('grades.encoding', '')] = unread?.violations ?? [];
    const { message, hint } = explainViolation(found);
    throw new InvalidError(`${source}: line ${line}: ${message}`, { code: found.code, hint });
  }
  return records.map(({ cells }) => cells);
}

function textOf(cells: readonly string[], at: number): string {
  return unescapeFormula((cells[at] ?? '').trim());
}
