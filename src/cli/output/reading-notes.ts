import type { Plan } from '../../grades/plan.ts';
import type { SelectionCounts } from '../../grades/selection.ts';
import type { ReadingNotes } from '../../grades/reading-notes.ts';
import { lineRanges } from '../../contract/words.ts';
import { countText, numberText } from './units.ts';

/** What was recognised in a file, and which of its records are left out, as facts of a plan. */
export function notesFacts(notes: ReadingNotes): [string, string | undefined][] {
  const { ungraded, unknown, notSelected, absent } = notes;
  const words = [...ungraded].map(([word, count]) => `${numberText(count)} ${word}`);
  const identifiers = [
    ...unknown.identifiers,
    ...(unknown.count > unknown.identifiers.length ? ['…'] : []),
  ];
  const missing = [...(absent ?? [])];
  return [
    ['recognised', notes.export],
    ['skipped, no grade', countedList(ungradedCount(notes), words)],
    ['skipped, unknown identifier', countedList(unknown.count, identifiers)],
    ['skipped, not selected', notSelected === 0 ? undefined : numberText(notSelected)],
    ['selected, not in the file', countedList(missing.length, missing.slice(0, MEMBERS_SHOWN))],
  ];
}

const MEMBERS_SHOWN = 5;

/** A number of things, and some of their names; undefined for none. */
export function countedList(count: number, words: readonly string[]): string | undefined {
  return count === 0 ? undefined : `${numberText(count)}: ${words.join(', ')}`;
}

/** The columns that are not read; undefined if there are none. */
export function ignoredText(columns: readonly string[]): string | undefined {
  const names = columns.map((name) => (name === '' ? '(no name)' : name));
  return names.length === 0 ? undefined : names.join(', ');
}

function ungradedCount({ ungraded }: ReadingNotes): number {
  return [...ungraded.values()].reduce((sum, count) => sum + count, 0);
}

/** The lines that are no records: `left out 3 lines: 2 Points Possible; 812 Test Student; 813 empty`. */
export function leftOutText({ leftOut }: ReadingNotes): string | undefined {
  if (leftOut.size === 0) return undefined;
  const kinds = [...leftOut].map(([reason, { count, lines }]) => {
    const more = count > lines.length ? ', …' : '';
    return `${lineRanges(lines)}${more} ${reason}`;
  });
  const count = [...leftOut.values()].reduce((sum, each) => sum + each.count, 0);
  return `left out ${countText(count, 'line')}: ${kinds.join('; ')}`;
}

/** Why a plan has nothing to send, as far as the file and the flags say. */
export function reasonsText({ notes, ...plan }: ShownCounts): string {
  const reasons: [number, string][] = [
    [ungradedCount(notes), 'without a grade'],
    [notes.unknown.count, 'with an unknown identifier'],
    [notes.notSelected, 'not selected'],
    [plan.unchanged, 'unchanged'],
    [plan.superseded, 'superseded by a newer grade'],
    [plan.recordedSince, 'recorded since'],
    [plan.doubtedSince, 'in doubt since'],
    [plan.notHigher + plan.notHigherInDoubt, 'not higher'],
  ];
  const shown = reasons.filter(([count]) => count > 0);
  return shown.map(([count, why]) => `${countText(count, 'record')} ${why}`).join(', ');
}

type ShownCounts = SelectionCounts & Pick<Plan, 'notes'>;

/** The same as fields of JSON: those that say something. */
export function notesJson({
  maximum,
  leftOut,
  ungraded,
  unknown,
  notSelected,
  absent,
  ...notes
}: ReadingNotes) {
  const lines = [...leftOut].map(([reason, { count, lines: kept }]) => ({
    reason,
    count,
    lines: kept,
  }));
  return {
    ...(notes.export !== undefined && { recognised: notes.export }),
    ...(maximum && { maximum }),
    ...(lines.length > 0 && { left_out: lines }),
    ...(ungraded.size > 0 && { ungraded: Object.fromEntries(ungraded) }),
    ...(unknown.count > 0 && { unknown: unknown.count }),
    ...(notSelected > 0 && { not_selected: notSelected }),
    ...(absent?.size && { absent: [...absent] }),
  };
}
