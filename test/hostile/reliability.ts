/** The table in docs/reliability.md: read, brought up to date and printed. */

export type Area =
  | 'Answers'
  | 'Texts'
  | 'Disk'
  | 'Process'
  | 'Input'
  | 'Emulator'
  | 'Bulk'
  | 'Chaos'
  | 'Fuzzing'
  | 'Transfers'
  | 'Model';

/** A case as its test file declares it, and how it went. */
export interface HostileCase {
  readonly area: Area;
  readonly tried: string;
  /** The defects that this case brought to light; empty where it found none. */
  readonly found: string;
  /** Undefined for a case that was not run. */
  readonly result?: CaseResult;
}

export type CaseResult =
  | { readonly state: 'passed' | 'failed'; readonly times: number }
  | { readonly state: 'left out'; readonly why: string };

/** A row of the table; `times` and `outcome` are those of the last long run. */
interface Row {
  readonly tried: string;
  readonly times: string;
  readonly outcome: string;
  readonly found: string;
}

interface Section {
  readonly area: string;
  /** The test file's name in test/hostile. */
  readonly file: string;
  readonly lastRun: string;
  readonly rows: readonly Row[];
}

const NEVER = 'not yet';
const HEAD = `# Reliability tests

Written by \`test/hostile\`: \`npm test\` checks that each row has its test and each test its row, and
\`npm run nightly\` fills in the number of runs and the result. After adding or renaming a case,
\`npm run reliability\` updates the rows.
`;

/** The rows' names of one file's section; undefined where it has none. */
export function rowsOfFile(document: string, file: string): string[] | undefined {
  return parse(document)
    .find((section) => section.file === file)
    ?.rows.map((row) => row.tried);
}

/** The test files that have a section. */
export function filesOf(document: string): string[] {
  return parse(document).map((section) => section.file);
}

/** A case's name as a cell of the table. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

/**
 * The document with new sections for these files. A case that was not run keeps the results of the last
 * long run; sections of other files stay, unless the file is gone.
 *
 * @param lastRun when and on what the cases were run; undefined where they were not.
 */
export function updated(
  document: string,
  declared: ReadonlyMap<string, readonly HostileCase[]>,
  existing: readonly string[],
  lastRun: string | undefined,
): string {
  const sections = new Map(parse(document).map((section) => [section.file, section]));
  for (const [file, cases] of declared) {
    const [first] = cases;
    if (!first) continue;
    const before = sections.get(file);
    const rows = cases.map((each) => rowOf(each, before));
    const ran = cases.some((each) => each.result);
    sections.set(file, {
      area: first.area,
      file,
      lastRun: (ran ? lastRun : before?.lastRun) ?? NEVER,
      rows,
    });
  }
  const kept = [...sections.values()].filter((section) => existing.includes(section.file));
  const key = (section: Section): string => `${section.area} ${section.file}`;
  return print(kept.sort((a, b) => key(a).localeCompare(key(b), 'en')));
}

function rowOf(each: HostileCase, before: Section | undefined): Row {
  const tried = cell(each.tried);
  const old = before?.rows.find((row) => row.tried === tried);
  const { times, outcome } = each.result
    ? ranOf(each.result)
    : (old ?? { times: '', outcome: NEVER });
  return { tried, times, outcome, found: cell(each.found) };
}

function ranOf(result: CaseResult): Pick<Row, 'times' | 'outcome'> {
  if (result.state === 'left out') return { times: '', outcome: cell(`left out: ${result.why}`) };
  const outcome = result.state === 'passed' ? 'passed' : 'failed';
  return { times: result.times.toLocaleString('en'), outcome };
}

const SECTION = /^## (?<area>.+): `test\/hostile\/(?<file>[^`]+)`/;
const LAST_RUN = /^Last long run: (?<when>.+)\.$/;

function parse(document: string): Section[] {
  const sections: (Section & { lastRun: string; rows: Row[] })[] = [];
  for (const line of document.split('\n')) {
    const { area, file } = SECTION.exec(line)?.groups ?? {};
    if (area && file) sections.push({ area, file, lastRun: NEVER, rows: [] });
    const section = sections.at(-1);
    if (!section) continue;
    section.lastRun = LAST_RUN.exec(line)?.groups?.when ?? section.lastRun;
    const [, tried, times, outcome, found] = line.split(/(?<!\\)\|/).map((each) => each.trim());
    if (tried === undefined || found === undefined) continue;
    if (tried !== 'Case' && !/^-+$/.test(tried)) {
      section.rows.push({ tried, times: times ?? '', outcome: outcome ?? '', found });
    }
  }
  return sections;
}

function print(sections: readonly Section[]): string {
  const printed = sections.map(({ area, file, lastRun, rows }) => {
    const lines = rows.map(
      ({ tried, times, outcome, found }) => `| ${tried} | ${times} | ${outcome} | ${found} |`,
    );
    return [
      `## ${area}: \`test/hostile/${file}\``,
      '',
      `Last long run: ${lastRun}.`,
      '',
      '| Case | Runs | Result | Defects found |',
      '| --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n');
  });
  return [HEAD, ...printed].join('\n');
}
