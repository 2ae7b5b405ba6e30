import type { Finding } from '../../validator/index.ts';

/*
 * What the editor of a row shows:
 *
 *   loading ──read──> clean ──typed──> edited ──save──> saving ──saved──> clean (or edited, if more was
 *                       ^                │                 │             typed meanwhile)
 *                       └──undone────────┤                 └──failed──> edited
 *                                        └──read of another version──> conflict ──taken──> clean
 *
 * A conflict arises too when the emulator refuses a save because the row has changed.
 */

/** A row as the emulator stores it. */
export interface StoredText {
  readonly text: string;
  readonly etag: string;
}

interface Edited {
  /** The version that the edits are based on. */
  readonly stored: StoredText;
  readonly text: string;
}

export type RowDraft =
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'clean' } & Edited)
  | ({ readonly kind: 'edited'; readonly refused: readonly Finding[] } & Edited)
  /** `sent` is being saved; `theirs` was read meanwhile. */
  | ({
      readonly kind: 'saving';
      readonly sent: string;
      readonly theirs?: StoredText | undefined;
    } & Edited)
  /** Somebody else wrote `theirs` since the edits began. */
  | ({
      readonly kind: 'conflict';
      readonly theirs: StoredText;
      readonly refused: readonly Finding[];
    } & Edited);

export type DraftEvent =
  /** The row was read; `kept` are earlier edits in this tab. */
  | { readonly kind: 'read'; readonly now: StoredText; readonly kept?: StoredText | undefined }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] }
  /** The text is sent, to replace the base version, or `over`. */
  | { readonly kind: 'save'; readonly over?: StoredText | undefined }
  | { readonly kind: 'saved'; readonly etag: string }
  | { readonly kind: 'failed' }
  /** The save was refused because the row is now `now`. */
  | { readonly kind: 'changed'; readonly now: StoredText }
  /** Discards the edits. */
  | { readonly kind: 'undone' };

type Loaded = Exclude<RowDraft, { kind: 'loading' }>;

/** The state after an event; an event that does not fit the state leaves it as it is. */
export function nextDraft(draft: RowDraft, event: DraftEvent): RowDraft {
  if (draft.kind === 'loading') return event.kind === 'read' ? loaded(event) : draft;
  switch (event.kind) {
    case 'read':
      return afterRead(draft, event.now);
    case 'typed':
      return afterTyping(draft, event.text);
    case 'refused':
      return withFindings(draft, event.findings);
    case 'save':
      return saving(draft, event.over);
    case 'saved':
      if (draft.kind !== 'saving') return draft;
      return edited({ text: draft.sent, etag: event.etag }, draft.text);
    case 'failed':
      if (draft.kind !== 'saving') return draft;
      return draft.theirs === undefined
        ? edited(draft.stored, draft.text)
        : conflict(draft, draft.theirs);
    case 'changed':
      return conflict(draft, event.now);
    case 'undone':
      return clean(theirsOf(draft) ?? draft.stored);
  }
}

/** Whether the text differs from the version that the edits are based on. */
export function isEdited(draft: Loaded): boolean {
  // A text area has no carriage returns.
  return draft.text !== draft.stored.text.replaceAll('\r\n', '\n') && draft.kind !== 'clean';
}

/** The version that somebody else wrote since the edits began, if there is one. */
export function theirsOf(draft: Loaded): StoredText | undefined {
  return draft.kind === 'conflict' || draft.kind === 'saving' ? draft.theirs : undefined;
}

function loaded({ now, kept }: Extract<DraftEvent, { kind: 'read' }>): RowDraft {
  if (kept === undefined || kept.text === now.text) return clean(now);
  const begun = { stored: { ...now, etag: kept.etag }, text: kept.text };
  return kept.etag === now.etag ? edited(now, kept.text) : conflict(begun, now);
}

function afterRead(draft: Loaded, now: StoredText): RowDraft {
  if (draft.kind === 'saving') return now.text === draft.sent ? draft : { ...draft, theirs: now };
  if (now.etag === draft.stored.etag) {
    return draft.kind === 'conflict' ? edited(draft.stored, draft.text) : draft;
  }
  return isEdited(draft) && now.text !== draft.text ? conflict(draft, now) : clean(now);
}

function afterTyping(draft: Loaded, text: string): RowDraft {
  if (draft.kind === 'saving') return { ...draft, text };
  if (draft.kind === 'conflict') return { ...draft, text, refused: [] };
  return edited(draft.stored, text);
}

function withFindings(draft: Loaded, refused: readonly Finding[]): RowDraft {
  if (draft.kind === 'saving') return draft;
  if (draft.kind === 'conflict') return { ...draft, refused };
  return { kind: 'edited', stored: draft.stored, text: draft.text, refused };
}

function clean(stored: StoredText): RowDraft {
  return { kind: 'clean', stored, text: stored.text };
}

function edited(stored: StoredText, text: string): RowDraft {
  const draft = { kind: 'edited', stored, text, refused: [] } as const;
  return isEdited(draft) ? draft : { kind: 'clean', stored, text };
}

function saving(draft: Loaded, over: StoredText | undefined): RowDraft {
  const { stored, text } = draft;
  const sent = { kind: 'saving', text, sent: text } as const;
  return over === undefined
    ? { ...sent, stored, theirs: theirsOf(draft) }
    : { ...sent, stored: over };
}

function conflict({ stored, text }: Edited, theirs: StoredText): RowDraft {
  return { kind: 'conflict', stored, text, theirs, refused: [] };
}
