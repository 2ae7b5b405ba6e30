/** Some lines of a file: how many there are, and the first of them. */
export interface NotedLines {
  count: number;
  readonly lines: number[];
}

const LINES_KEPT = 1000;

/** The maximum of the points of a file, and where it comes from. */
export interface FileMaximum {
  readonly points: number;
  /** Such as `the row "Points Possible"`. */
  readonly from: string;
}

/** What was recognised in a file, and what was left out, as far as it has been read. */
export class ReadingNotes {
  /** The gradebook that the file is an export of. */
  export: string | undefined;
  maximum: FileMaximum | undefined;
  /** The maximum in the file itself, in a row or in the name of the column. */
  maximumOfFile: number | undefined;
  /** Lines that are no records, by what they are. */
  readonly leftOut = new Map<string, NotedLines>();
  /** Records without a grade that are left out, by the word that they have. */
  readonly ungraded = new Map<string, number>();
  /** Records that are left out since no member has their identifier; some identifiers. */
  readonly unknown: { count: number; readonly identifiers: string[] } = {
    count: 0,
    identifiers: [],
  };
  /** Records that the flags did not select. */
  notSelected = 0;
  /** Members that were asked for; undefined without such a choice. Those without a record remain. */
  absent: Set<string> | undefined;

  leaveOut(line: number, reason: string): void {
    const noted = this.leftOut.get(reason) ?? { count: 0, lines: [] };
    noted.count += 1;
    if (noted.lines.length < LINES_KEPT) noted.lines.push(line);
    this.leftOut.set(reason, noted);
  }

  skipUngraded(word: string): void {
    this.ungraded.set(word, (this.ungraded.get(word) ?? 0) + 1);
  }

  skipUnknown(identifier: string): void {
    this.unknown.count += 1;
    if (this.unknown.identifiers.length < SHOWN) this.unknown.identifiers.push(identifier);
  }
}

const SHOWN = 5;
