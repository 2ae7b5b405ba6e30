import type { Finding } from '../../validator/finding.ts';
import { lineRanges } from '../../contract/words.ts';
import { countText } from './units.ts';

/** Findings with the same code in the lines of a file, or with the same message elsewhere. */
export type FindingGroup = ReturnType<typeof groupFindings>[number];

/** Items by a key, in the order of the first of each key. */
export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const alike = groups.get(keyOf(item));
    if (alike) alike.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Groups findings, in the order of the first of each group. */
export function groupFindings(findings: readonly Finding[]) {
  const groups = groupBy(findings, ({ code, message, hint, path, line }) =>
    line === null ? [code, message, hint, path].join('\n') : code,
  );
  return [...groups.values()].map((alike) => {
    const lines = [...new Set(alike.flatMap(({ line }) => line ?? []))];
    return {
      /** The first of them, with up to three different messages, and up to three different hints. */
      finding: combined(alike),
      count: alike.length,
      lineCount: lines.length,
      /** As ranges, such as `2-100, 102`; '' if they have none. */
      lines: lineRanges(lines),
    };
  });
}

function combined(alike: readonly Finding[]): Finding {
  const first = alike[0] as Finding;
  const message = differentTexts(alike.map((each) => each.message));
  // Without a path it is about a column, and each hint lists all columns.
  const hint = first.path === '' ? first.hint : differentTexts(alike.map((each) => each.hint));
  return { ...first, message, hint };
}

const MAX_EXAMPLES = 3;

function differentTexts(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  const shown = different.slice(0, MAX_EXAMPLES);
  return [...shown, ...(different.length > MAX_EXAMPLES ? ['…'] : [])].join('; ');
}

const GROUPS_SHOWN = 50;

/** The findings of a grade file, equal ones combined, with their lines. */
export function gradeFindings(findings: readonly Finding[]): Finding[] {
  const groups = groupFindings(findings).slice(0, GROUPS_SHOWN);
  return groups.map((group) => (group.count === 1 ? group.finding : ofRecords(group)));
}

/** Codes of findings about the line with the names of the columns. */
const COLUMN_CODES: ReadonlySet<string> = new Set([
  'grades.column_unknown',
  'grades.column_missing',
  'grades.column_twice',
]);

function ofRecords({ finding, count, lineCount, lines }: FindingGroup): Finding {
  const place = { line: null, column: null, path: '' };
  if (lineCount > 1) {
    const message = `${countText(lineCount, 'record')} (${lines}): ${finding.message}`;
    return { ...finding, ...place, message };
  }
  if (!COLUMN_CODES.has(finding.code)) return { ...finding, path: '' };
  return { ...finding, ...place, message: `${countText(count, 'column')}: ${finding.message}` };
}
