import type { Finding } from '../../validator/index.ts';

/** A row as the emulator stores it. */
export interface StoredText {
  readonly text: string;
  readonly etag: string;
}

/** What the editor of a row shows. */
export interface RowDraft {
  /** The version that the edits are based on. */
  readonly stored: StoredText;
  readonly text: string;
  /** What somebody else has written since the edits began. */
  readonly theirs?: StoredText | undefined;
  /** The text that is being saved. */
  readonly sent?: string | undefined;
  /** Why the text was refused. */
  readonly refused: readonly Finding[];
}

export type DraftEvent =
  /** The row was read; `kept` are earlier edits in this tab. */
  | { readonly kind: 'read'; readonly now: StoredText; readonly kept?: StoredText | undefined }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] }
  /** The text is sent, to replace the base version, or `over`. */
  | { readonly kind: 'save'; readonly over?: StoredText | undefined }
  | { readonly kind: 'saved'; readonly etag: string }
  /** The save was refused, if the row has changed because it is now `now`. */
  | { readonly kind: 'failed'; readonly now?: StoredText | undefined }
  /** Discards the edits. */
  | { readonly kind: 'undone' };

/** The draft after an event; undefined until the row was read. */
export function nextDraft(draft: RowDraft | undefined, event: DraftEvent): RowDraft | undefined {
  if (draft === undefined) return event.kind === 'read' ? begun(event) : undefined;
  const { stored, text, theirs, sent } = draft;
  switch (event.kind) {
    case 'read':
      return afterRead(draft, event.now);
    case 'typed':
      return { ...draft, text: event.text, refused: [] };
    case 'refused':
      return { ...draft, refused: event.findings };
    case 'save':
      return event.over === undefined
        ? { stored, text, theirs, sent: text, refused: [] }
        : { stored: event.over, text, sent: text, refused: [] };
    case 'saved':
      return { stored: { text: sent ?? text, etag: event.etag }, text, refused: [] };
    case 'failed':
      return { stored, text, theirs: event.now ?? theirs, refused: [] };
    case 'undone':
      return clean(theirs ?? stored);
  }
}

/** Whether the text differs from the version that the edits are based on. */
export function isEdited({ text, stored }: RowDraft): boolean {
  // A text area has no carriage returns.
  return text !== stored.text && text !== stored.text.replaceAll('\r\n', '\n');
}

function begun({ now, kept }: Extract<DraftEvent, { kind: 'read' }>): RowDraft {
  if (kept === undefined || kept.text === now.text) return clean(now);
  const draft = { stored: { ...now, etag: kept.etag }, text: kept.text, refused: [] };
  return kept.etag === now.etag ? draft : { ...draft, theirs: now };
}

function afterRead(draft: RowDraft, now: StoredText): RowDraft {
  const { stored, text, sent } = draft;
  if (sent !== undefined) return now.text === sent ? draft : { ...draft, theirs: now };
  if (now.etag === stored.etag) return { ...draft, theirs: undefined };
  return isEdited(draft) && now.text !== text ? { ...draft, theirs: now } : clean(now);
}

function clean(stored: StoredText): RowDraft {
  return { stored, text: stored.text, refused: [] };
}
