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

const read = (now = OLD): DraftEvent => ({ kind: 'read', now });
const typed = (text = MINE): DraftEvent => ({ kind: 'typed', text });
const SAVE = { kind: 'save' } as const;
const SAVED = { kind: 'saved', etag: 'new' } as const;
const FAILED = { kind: 'failed' } as const;

/** The state after some events, from the beginning. */
function after(...events: DraftEvent[]): RowDraft {
  return events.reduce<RowDraft | undefined>(nextDraft, undefined) as RowDraft;
}

describe('the draft of a row', () => {
  test.each<[name: string, events: DraftEvent[], expected: Partial<RowDraft>]>([
    [
      'shows the row as it was first read',
      [typed(), SAVE, read()],
      { stored: OLD, text: OLD.text },
    ],
    [
      'shows the change of another person as long as nothing was typed',
      [read(), read(THEIRS)],
      { stored: THEIRS, text: THEIRS.text },
    ],
    ['becomes edited after typing', [read(), typed()], { stored: OLD, text: MINE }],
    [
      'becomes clean again when the original text is typed',
      [read(), typed(), typed(OLD.text)],
      { stored: OLD, text: OLD.text },
    ],
    [
      'keeps unsaved text when another person writes',
      [read(), typed(), read(THEIRS)],
      { stored: OLD, text: MINE, theirs: THEIRS },
    ],
    [
      'has no conflict with an equal text',
      [read(), typed(THEIRS.text), read(THEIRS)],
      { stored: THEIRS, text: THEIRS.text },
    ],
    [
      'loses its conflict when the row returns to its earlier text',
      [read(), typed(), read(THEIRS), read()],
      { stored: OLD, text: MINE },
    ],
    [
      'becomes clean after a save',
      [read(), typed(), SAVE, SAVED],
      { stored: { text: MINE, etag: 'new' }, text: MINE },
    ],
    [
      'keeps text that was typed during a save',
      [read(), typed(), SAVE, typed('{"a":4}'), SAVED],
      { stored: { text: MINE, etag: 'new' }, text: '{"a":4}' },
    ],
    [
      'does not report its own save as a conflict if it is read before the response arrives',
      [read(), typed(), SAVE, read({ text: MINE, etag: 'new' }), SAVED],
      { stored: { text: MINE, etag: 'new' }, text: MINE },
    ],
    [
      'becomes edited again when a save fails',
      [read(), typed(), SAVE, FAILED],
      { stored: OLD, text: MINE },
    ],
    [
      'remembers the change of another person during a save that fails',
      [read(), typed(), SAVE, read(THEIRS), FAILED],
      { stored: OLD, text: MINE, theirs: THEIRS },
    ],
    [
      'gets a conflict when the emulator rejects the save',
      [read(), typed(), SAVE, { kind: 'failed', now: THEIRS }],
      { stored: OLD, text: MINE, theirs: THEIRS },
    ],
    [
      'overwrites the change of another person on request',
      [read(), typed(), read(THEIRS), { kind: 'save', over: THEIRS }],
      { stored: THEIRS, text: MINE, sent: MINE },
    ],
    [
      'keeps the conflict when the emulator rejects the text',
      [read(), typed(), read(THEIRS), { kind: 'refused', findings: [FINDING] }],
      { stored: OLD, text: MINE, theirs: THEIRS, refused: [FINDING] },
    ],
    [
      'drops its findings at the next keystroke',
      [read(), typed(), { kind: 'refused', findings: [FINDING] }, typed('{')],
      { stored: OLD, text: '{' },
    ],
    [
      'shows the stored text after an undo',
      [read(), typed(), { kind: 'undone' }],
      { stored: OLD, text: OLD.text },
    ],
    [
      'shows the change of another person after the undo of a conflict',
      [read(), typed(), read(THEIRS), { kind: 'undone' }],
      { stored: THEIRS, text: THEIRS.text },
    ],
    [
      'restores edits that the tab has stored',
      [{ kind: 'read', now: OLD, kept: { text: MINE, etag: 'old' } }],
      { stored: OLD, text: MINE },
    ],
    [
      'gets a conflict if the row was written after the tab stored the edits',
      [{ kind: 'read', now: THEIRS, kept: { text: MINE, etag: 'old' } }],
      { stored: { text: THEIRS.text, etag: 'old' }, text: MINE, theirs: THEIRS },
    ],
  ])('%s', (_, events, expected) => {
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
