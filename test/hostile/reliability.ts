/** The figures in docs/reliability.md: a row for each test file, of its last long run. */

export type Area = 'Answers' | 'Texts' | 'Disk' | 'Process' | 'Input' | 'Emulator';

/** A case as its test file declares it, and how it went. */
export interface HostileCase {
  readonly area: Area;
  readonly tried: string;
  /** Undefined for a case that was not run. */
  readonly result?: CaseResult;
}

export type CaseResult =
  | { readonly state: 'passed' | 'failed'; readonly times: number }
  | { readonly state: 'left out'; readonly why: string };

const START = '<!-- Written by npm run nightly. -->';
const END = '<!-- The end of the figures. -->';
const HEAD = '| Area | Test file | Cases | Repetitions | Result | Last long run |';
const ROW = /^\| \S+ \| `(?<file>[^`]+)` \|/;

/**
 * The document with the figures of these files. Rows of other files stay, unless the file is gone.
 *
 * @param lastRun when and on what the cases were run
 */
export function updated(
  document: string,
  ran: ReadonlyMap<string, readonly HostileCase[]>,
  existing: readonly string[],
  lastRun: string,
): string {
  const [before = '', figures = '', after = ''] = document.split(new RegExp(`${START}|${END}`));
  const rows = new Map(
    figures.split('\n').flatMap((line): [string, string][] => {
      const { file } = ROW.exec(line)?.groups ?? {};
      return file !== undefined && existing.includes(file) ? [[file, line]] : [];
    }),
  );
  for (const [file, cases] of ran) rows.set(file, rowOf(file, cases, lastRun));
  const sorted = [...rows.values()].sort((a, b) => a.localeCompare(b, 'en'));
  const rule = HEAD.replaceAll(/[^|]+/g, ' --- ');
  return [`${before}${START}`, '', HEAD, rule, ...sorted, '', `${END}${after}`].join('\n');
}

function rowOf(file: string, cases: readonly HostileCase[], lastRun: string): string {
  const results = cases.flatMap(({ result }) => result ?? []);
  const count = (state: CaseResult['state']): number =>
    results.filter((result) => result.state === state).length;
  const times = results.reduce((sum, each) => sum + ('times' in each ? each.times : 0), 0);
  const parts = (['failed', 'left out'] as const).flatMap((state) =>
    count(state) > 0 ? [`${count(state)} ${state}`] : [],
  );
  const cells = [
    cases[0]?.area,
    `\`${file}\``,
    cases.length,
    times.toLocaleString('en'),
    parts.join(', ') || 'passed',
    lastRun,
  ];
  return `| ${cells.join(' | ')} |`;
}
