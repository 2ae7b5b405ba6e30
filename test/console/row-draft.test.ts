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
  const cases: { name: string; events: DraftEvent[]; expected: RowDraft }[] = [
    {
      name: 'shows the row as it was first read',
      events: [typed(), SAVE, read()],
      expected: { stored: OLD, text: OLD.text, refused: [] },
    },
    {
      name: 'shows the change of another person as long as nothing was typed',
      events: [read(), read(THEIRS)],
      expected: { stored: THEIRS, text: THEIRS.text, refused: [] },
    },
    {
      name: 'becomes edited after typing',
      events: [read(), typed()],
      expected: { stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'becomes clean again when the original text is typed',
      events: [read(), typed(), typed(OLD.text)],
      expected: { stored: OLD, text: OLD.text, refused: [] },
    },
    {
      name: 'keeps unsaved text when another person writes',
      events: [read(), typed(), read(THEIRS)],
      expected: { stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'has no conflict with an equal text',
      events: [read(), typed(THEIRS.text), read(THEIRS)],
      expected: { stored: THEIRS, text: THEIRS.text, refused: [] },
    },
    {
      name: 'loses its conflict when the row returns to its earlier text',
      events: [read(), typed(), read(THEIRS), read()],
      expected: { stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'becomes clean after a save',
      events: [read(), typed(), SAVE, SAVED],
      expected: { stored: { text: MINE, etag: 'new' }, text: MINE, refused: [] },
    },
    {
      name: 'keeps text that was typed during a save',
      events: [read(), typed(), SAVE, typed('{"a":4}'), SAVED],
      expected: {
        stored: { text: MINE, etag: 'new' },
        text: '{"a":4}',
        refused: [],
      },
    },
    {
      name: 'does not report its own save as a conflict if it is read before the response arrives',
      events: [read(), typed(), SAVE, read({ text: MINE, etag: 'new' }), SAVED],
      expected: { stored: { text: MINE, etag: 'new' }, text: MINE, refused: [] },
    },
    {
      name: 'becomes edited again when a save fails',
      events: [read(), typed(), SAVE, FAILED],
      expected: { stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'remembers the change of another person during a save that fails',
      events: [read(), typed(), SAVE, read(THEIRS), FAILED],
      expected: { stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'gets a conflict when the emulator rejects the save',
      events: [read(), typed(), SAVE, { kind: 'failed', now: THEIRS }],
      expected: { stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'overwrites the change of another person on request',
      events: [read(), typed(), read(THEIRS), { kind: 'save', over: THEIRS }],
      expected: { stored: THEIRS, text: MINE, sent: MINE, refused: [] },
    },
    {
      name: 'keeps the conflict when the emulator rejects the text',
      events: [read(), typed(), read(THEIRS), { kind: 'refused', findings: [FINDING] }],
      expected: { stored: OLD, text: MINE, theirs: THEIRS, refused: [FINDING] },
    },
    {
      name: 'drops its findings at the next keystroke',
      events: [read(), typed(), { kind: 'refused', findings: [FINDING] }, typed('{')],
      expected: { stored: OLD, text: '{', refused: [] },
    },
    {
      name: 'shows the stored text after an undo',
      events: [read(), typed(), { kind: 'undone' }],
      expected: { stored: OLD, text: OLD.text, refused: [] },
    },
    {
      name: 'shows the change of another person after the undo of a conflict',
      events: [read(), typed(), read(THEIRS), { kind: 'undone' }],
      expected: { stored: THEIRS, text: THEIRS.text, refused: [] },
    },
    {
      name: 'restores edits that the tab has stored',
      events: [{ kind: 'read', now: OLD, kept: { text: MINE, etag: 'old' } }],
      expected: { stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'gets a conflict if the row was written after the tab stored the edits',
      events: [{ kind: 'read', now: THEIRS, kept: { text: MINE, etag: 'old' } }],
      expected: {
        stored: { text: THEIRS.text, etag: 'old' },
        text: MINE,
        theirs: THEIRS,
        refused: [],
      },
    },
  ];
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_, { events, expected }) => {
    expect(after(...events)).toEqual(expected);
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
