import { describe, expect, test } from 'vitest';
import {
  type DraftEvent,
  isEdited,
  nextDraft,
  type RowDraft,
  theirsOf,
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
  return events.reduce(nextDraft, { kind: 'loading' });
}

describe('The draft of a row', () => {
  test.each<{ name: string; events: DraftEvent[]; expected: RowDraft }>([
    {
      name: 'shows the first read',
      events: [typed(), SAVE, read()],
      expected: { kind: 'clean', stored: OLD, text: OLD.text },
    },
    {
      name: 'shows what somebody else wrote as long as nothing was typed',
      events: [read(), read(THEIRS)],
      expected: { kind: 'clean', stored: THEIRS, text: THEIRS.text },
    },
    {
      name: 'is edited after typing',
      events: [read(), typed()],
      expected: { kind: 'edited', stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'is clean again when the text is typed back',
      events: [read(), typed(), typed(OLD.text)],
      expected: { kind: 'clean', stored: OLD, text: OLD.text },
    },
    {
      name: 'keeps unsaved text when another person writes',
      events: [read(), typed(), read(THEIRS)],
      expected: { kind: 'conflict', stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'has no conflict with the same text',
      events: [read(), typed(THEIRS.text), read(THEIRS)],
      expected: { kind: 'clean', stored: THEIRS, text: THEIRS.text },
    },
    {
      name: 'has no conflict any more when the row is as it was',
      events: [read(), typed(), read(THEIRS), read()],
      expected: { kind: 'edited', stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'is clean after a save',
      events: [read(), typed(), SAVE, SAVED],
      expected: { kind: 'clean', stored: { text: MINE, etag: 'new' }, text: MINE },
    },
    {
      name: 'keeps text that was typed during a save',
      events: [read(), typed(), SAVE, typed('{"a":4}'), SAVED],
      expected: {
        kind: 'edited',
        stored: { text: MINE, etag: 'new' },
        text: '{"a":4}',
        refused: [],
      },
    },
    {
      name: 'takes its own save for no conflict, when it is read before the response comes',
      events: [read(), typed(), SAVE, read({ text: MINE, etag: 'new' }), SAVED],
      expected: { kind: 'clean', stored: { text: MINE, etag: 'new' }, text: MINE },
    },
    {
      name: 'is edited again when a save fails',
      events: [read(), typed(), SAVE, FAILED],
      expected: { kind: 'edited', stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'remembers what somebody else wrote during a save that fails',
      events: [read(), typed(), SAVE, read(THEIRS), FAILED],
      expected: { kind: 'conflict', stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'is a conflict when the emulator refuses the save',
      events: [read(), typed(), SAVE, { kind: 'changed', now: THEIRS }],
      expected: { kind: 'conflict', stored: OLD, text: MINE, theirs: THEIRS, refused: [] },
    },
    {
      name: 'replaces what somebody else wrote where that is asked for',
      events: [read(), typed(), read(THEIRS), { kind: 'save', over: THEIRS }],
      expected: { kind: 'saving', stored: THEIRS, text: MINE, sent: MINE },
    },
    {
      name: 'keeps the conflict when the text is refused',
      events: [read(), typed(), read(THEIRS), { kind: 'refused', findings: [FINDING] }],
      expected: { kind: 'conflict', stored: OLD, text: MINE, theirs: THEIRS, refused: [FINDING] },
    },
    {
      name: 'loses its findings with the next letter',
      events: [read(), typed(), { kind: 'refused', findings: [FINDING] }, typed('{')],
      expected: { kind: 'edited', stored: OLD, text: '{', refused: [] },
    },
    {
      name: 'is what is stored after the edits are undone',
      events: [read(), typed(), { kind: 'undone' }],
      expected: { kind: 'clean', stored: OLD, text: OLD.text },
    },
    {
      name: 'is what somebody else wrote after a conflict is undone',
      events: [read(), typed(), read(THEIRS), { kind: 'undone' }],
      expected: { kind: 'clean', stored: THEIRS, text: THEIRS.text },
    },
    {
      name: 'resumes edits that the tab has kept',
      events: [{ kind: 'read', now: OLD, kept: { text: MINE, etag: 'old' } }],
      expected: { kind: 'edited', stored: OLD, text: MINE, refused: [] },
    },
    {
      name: 'is a conflict where the row was written since the tab kept its edits',
      events: [{ kind: 'read', now: THEIRS, kept: { text: MINE, etag: 'old' } }],
      expected: {
        kind: 'conflict',
        stored: { text: THEIRS.text, etag: 'old' },
        text: MINE,
        theirs: THEIRS,
        refused: [],
      },
    },
  ])('$name', ({ events, expected }) => {
    expect(after(...events)).toEqual(expected);
  });

  test('is not edited by the line breaks of a text area', () => {
    const stored = { text: '{\r\n}', etag: 'old' };
    const draft = after(read(stored), typed('{\n}'));
    expect(draft.kind !== 'loading' && isEdited(draft)).toBe(false);
  });

  test('shows another version during a save too', () => {
    const draft = after(read(), typed(), read(THEIRS), SAVE);
    expect(draft.kind !== 'loading' && theirsOf(draft)).toEqual(THEIRS);
  });
});
