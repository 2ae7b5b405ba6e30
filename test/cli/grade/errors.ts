import type { RunResult } from '../../support/lectern.ts';

/** An error as it is printed with `--json`. */
export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly findings?: readonly {
    readonly code: string;
    readonly line: number | null;
    readonly message: string;
    readonly hint: string;
  }[];
}

/** The error that a command with `--json` ends with. */
export function errorsOf({ stderr }: RunResult): ShownError {
  return (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: ShownError }).error;
}

/** The words of a command line as a shell splits them. */
export function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ''));
}
