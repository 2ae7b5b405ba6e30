import { ROW_NAMES, type RowName } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../contract/nearest.ts';

/** Splits positional arguments: with `--url` the row may be left out. */
export function rowAndRest(
  { url }: { readonly url?: string },
  args: readonly (string | undefined)[],
): [row: string | undefined, ...rest: (string | undefined)[]] {
  const [first, ...rest] = args;
  if (first === undefined || isRow(first)) return [first, ...rest];
  return url === undefined ? [rowName(first), ...rest] : [undefined, ...args];
}

export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether an argument is a row: by its name, or as a URL. */
export function isRow(text: string): boolean {
  return isUrl(text) || isRowName(text);
}

function isRowName(text: string): text is RowName {
  return (ROW_NAMES as readonly string[]).includes(text);
}

/** Reads a row's name; an unknown one is a usage error with the nearest known one. */
export function rowName(text: string): RowName {
  if (isRowName(text)) return text;
  throw new UsageError(`unknown row ${JSON.stringify(text)}`, nearest(text, ROW_NAMES));
}

const DRIVE = /^[A-Za-z]:[\\/]/;

/** The hint for a pointer that Git Bash has made a path of Windows: `/theme` comes as `C:/Program Files/Git/theme`. */
export function rewrittenPointerHint(text: string): string | undefined {
  if (!DRIVE.test(text)) return undefined;
  return 'Git Bash makes a path of it: set MSYS_NO_PATHCONV=1';
}
