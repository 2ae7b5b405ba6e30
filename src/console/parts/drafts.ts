/*
 * Text that was written into a row and not saved. It is kept in the tab, so that another page, a reload
 * or a restart of the emulator loses none of it.
 */

const PREFIX = 'lectern-console-draft ';

export interface Draft {
  readonly text: string;
  /** The row that it was begun from. */
  readonly etag: string;
}

export function draftOf(row: string): Draft | undefined {
  const kept = sessionStorage.getItem(PREFIX + row);
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

/** Keeps a draft, or forgets it. */
export function keepDraft(row: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + row);
    else sessionStorage.setItem(PREFIX + row, JSON.stringify(draft));
  } catch {
    // The tab is full: the page itself still has it.
  }
}

/** The rows that have one. */
export function drafts(): readonly string[] {
  return Object.keys(sessionStorage).flatMap((key) =>
    key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [],
  );
}
