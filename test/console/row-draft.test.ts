import { describe, expect, test } from 'vitest';
import {
  type DraftEvent,
  isEdited,
  nextDraft,
  type RowDraft,
} from '../../src/console/parts/row-draft.ts';
import type { Finding } from '../../src/validator/index.ts';

const OLD = { text: '{"a":1}', etag: 'old' };
const THEIRS = { text: '{"a":2}', etag: 'theirs' };
const MINE = '{"a":3}';
const FINDING = { code: 'body.syntax', path: '', message: 'malformed' } as Finding;

const read = (now = OLD) => ({ kind: 'read', now }) as const;
const typed = (text = MINE): DraftEvent => ({ kind: 'typed', text });
const SAVE = { kind: 'save' } as const;
const SAVED = { kind: 'saved', etag: 'new' } as const;
const FAILED = { kind: 'failed' } as const;

/** The state after some events, from the beginning. */
function after(...events: DraftEvent[]): RowDraft {
  return events.reduce<RowDraft | undefined>(nextDraft, undefined) as RowDraft;
}

describe('the draft of a row', () => {
  const NEW = { text: MINE, etag: 'new' };
  const KEPT = { text: MINE, etag: 'old' };
  const CLEAN = { stored: OLD, text: OLD.text };
  const EDITED = { stored: OLD, text: MINE };
  const THEIR_OWN = { stored: THEIRS, text: THEIRS.text };
  const REFUSED: DraftEvent = { kind: 'refused', findings: [FINDING] };
  const UNDONE = { kind: 'undone' } as const;
  const CONFLICT = [read(), typed(), read(THEIRS)];

  test.each<[name: string, events: DraftEvent[], expected: Partial<RowDraft>]>([
    ['a first read, whatever came before', [typed(), SAVE, read()], CLEAN],
    ["another's change before typing", [read(), read(THEIRS)], THEIR_OWN],
    ['typing', [read(), typed()], EDITED],
    ['typing the original text', [read(), typed(), typed(OLD.text)], CLEAN],
    ["another's change beside unsaved text", CONFLICT, { ...EDITED, theirs: THEIRS }],
    ["another's change to the same text", [read(), typed(THEIRS.text), read(THEIRS)], THEIR_OWN],
    ['a return to the earlier text', [...CONFLICT, read()], EDITED],
    ['a save', [read(), typed(), SAVE, SAVED], { stored: NEW, text: MINE }],
    [
      'typing during a save',
      [read(), typed(), SAVE, typed('{'), SAVED],
      { stored: NEW, text: '{' },
    ],
    [
      'a save read before its response',
      [read(), typed(), SAVE, read(NEW), SAVED],
      { stored: NEW, text: MINE },
    ],
    ['a save that fails', [read(), typed(), SAVE, FAILED], EDITED],
    [
      "another's change during a save that fails",
      [read(), typed(), SAVE, read(THEIRS), FAILED],
      { ...EDITED, theirs: THEIRS },
    ],
    [
      'a save that the emulator rejects for a change',
      [read(), typed(), SAVE, { ...FAILED, now: THEIRS }],
      { ...EDITED, theirs: THEIRS },
    ],
    [
      "a save over another's change",
      [...CONFLICT, { ...SAVE, over: THEIRS }],
      { stored: THEIRS, text: MINE, sent: MINE },
    ],
    [
      'a refused save in a conflict',
      [...CONFLICT, REFUSED],
      { ...EDITED, theirs: THEIRS, refused: [FINDING] },
    ],
    [
      'a keystroke after a refusal',
      [read(), typed(), REFUSED, typed('{')],
      { stored: OLD, text: '{' },
    ],
    ['an undo', [read(), typed(), UNDONE], CLEAN],
    ['an undo of a conflict', [...CONFLICT, UNDONE], THEIR_OWN],
    ['a read with edits that the tab has stored', [{ ...read(), kept: KEPT }], EDITED],
    [
      "edits of the tab after another's change",
      [{ ...read(THEIRS), kept: KEPT }],
      { ...EDITED, stored: { ...THEIRS, etag: 'old' }, theirs: THEIRS },
    ],
  ])('after %s', (_, events, expected) => {
    expect(after(...events)).toEqual({ refused: [], ...expected });
  });

  test('is not edited by the line breaks of a text area', () => {
    const stored = { text: '{\r\n}', etag: 'old' };
    const draft = after(read(stored), typed('{\n}'));
    expect(isEdited(draft)).toBe(false);
  });

  test('also shows a new version during a save', () => {
    const draft = after(read(), typed(), read(THEIRS), SAVE);
    expect(draft.theirs).toEqual(THEIRS);
  });
});
