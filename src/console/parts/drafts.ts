/*
 * Unsaved edits of rows. They are kept in the tab, so that another page, a reload or a restart of
 * the emulator does not lose them.
 */

const PREFIX = 'lectern-console-draft ';

export interface Draft {
  readonly text: string;
  /** The version that the edits are based on. */
  readonly etag: string;
}

export function draftOf(row: string): Draft | undefined {
  const kept = sessionStorage.getItem(PREFIX + row);
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

export function keepDraft(row: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + row);
    else sessionStorage.setItem(PREFIX + row, JSON.stringify(draft));
  } catch {
    // The storage of the tab is full: the page itself still has the text.
  }
}

export function drafts(): readonly string[] {
  return Object.keys(sessionStorage).flatMap((key) =>
    key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [],
  );
}
