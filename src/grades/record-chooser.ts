import { shorten, truncate, type Violation, violation } from '../contract/index.ts';
import type { Columns } from './columns.ts';
import { type ParsedRecord, ungradedWord } from './parsed-record.ts';
import { parseRecords } from './read-file.ts';
import type { ReadingNotes } from './reading-notes.ts';
import type { RecordOptions } from './columns.ts';
import { type MemberMap, memberOfIdentifier } from './spoilt-members.ts';

/** Which records of a file are read. */
export interface ChoiceOptions {
  /** The members by their identifiers in the file, if it has other identifiers. */
  readonly members?: MemberMap | undefined;
  /** Leaves out records whose identifier is empty, or has no member. */
  readonly skipUnknown?: boolean | undefined;
  /** The members whose records are read. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Leaves out records without a grade. */
  readonly skipUngraded?: boolean | undefined;
  /** Lines that are no records are errors. */
  readonly strict?: boolean | undefined;
}

/** A record of a file, or why it cannot be read. */
export type ReadRecord = Exclude<ParsedRecord, { leftOut: string }>;

/**
 * Reads a file of grades in batches, without the lines that are no records, and without the records that
 * the options leave out; `notes` of the columns count both. `read` is how many records there were.
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  columns: Columns,
  options: RecordOptions & ChoiceOptions,
): AsyncGenerator<{ readonly records: readonly ReadRecord[]; readonly read: number }> {
  const { notes } = columns;
  const chooser = new RecordChooser(options, notes);
  for await (const parsed of parseRecords(chunks, columns, options)) {
    const records: ReadRecord[] = [];
    let read = 0;
    for (const each of parsed) {
      let record: ReadRecord | undefined;
      if ('leftOut' in each) {
        notes.leaveOut(each.line, each.leftOut);
        if (options.strict) record = noRecord(each);
      } else {
        if (!('isNoRecord' in each)) read += 1;
        record = chooser.choose(each);
      }
      if (record) records.push(record);
    }
    yield { records, read };
  }
}

function noRecord({ line, leftOut }: { readonly line: number; readonly leftOut: string }) {
  return { line, violations: [leftOutLine(leftOut)], isNoRecord: true } as const;
}

/** A line that is left out, as a finding. */
export function leftOutLine(reason: string): Violation {
  return violation('grades.left_out', '', { reason: truncate(reason) });
}

/** Leaves out records by the options, and counts them. */
class RecordChooser {
  readonly #options: ChoiceOptions;
  readonly #notes: ReadingNotes;
  readonly #isNeeded: boolean;

  constructor(options: ChoiceOptions, notes: ReadingNotes) {
    const { members, only, skipUnknown, skipUngraded } = options;
    this.#options = options;
    this.#notes = notes;
    this.#isNeeded = members !== undefined || only !== undefined || !!skipUnknown || !!skipUngraded;
    if (only) notes.absent = new Set(only);
  }

  /** The record, with its member; undefined if it is left out. */
  choose(record: ReadRecord): ReadRecord | undefined {
    if (!this.#isNeeded || 'isNoRecord' in record) return record;
    const identifier = identifierOf(record);
    const member = this.#memberOf(identifier);
    // A record that is left out anyway needs no member.
    if (!this.#select(member) || this.#skipIfUngraded(record)) return undefined;
    if (member !== undefined) return withMember(record, member);
    if (identifier === undefined && 'violations' in record) return record;
    if (this.#options.skipUnknown) {
      this.#notes.skipUnknown(typeof identifier === 'string' ? identifier : '(empty)');
      return undefined;
    }
    return typeof identifier === 'string' ? withoutMember(record, identifier) : record;
  }

  #memberOf(identifier: unknown): unknown {
    const { members } = this.#options;
    if (members === undefined || typeof identifier !== 'string') return identifier;
    return memberOfIdentifier(members, identifier);
  }

  /** Decides whether a record is selected, and counts those that are not. */
  #select(member: unknown): boolean {
    const { only } = this.#options;
    if (only === undefined) return true;
    if (typeof member === 'string' && only.has(member)) {
      this.#notes.absent?.delete(member);
      return true;
    }
    this.#notes.notSelected += 1;
    return false;
  }

  /** Decides whether a record is left out without a grade, and counts it. */
  #skipIfUngraded(record: ReadRecord): boolean {
    if (!this.#options.skipUngraded || !('fields' in record)) return false;
    const word = ungradedWord(record.fields);
    if (word !== undefined) this.#notes.skipUngraded(word);
    return word !== undefined;
  }
}

/** What a record has in the column of the member; undefined if that is empty. */
function identifierOf(record: ReadRecord): unknown {
  const identifier = 'fields' in record ? record.fields.member : record.member;
  return identifier === '' ? undefined : identifier;
}

function withMember(record: ReadRecord, member: unknown): ReadRecord {
  if (!('fields' in record)) return { ...record, member };
  if (record.fields.member === member) return record;
  return { ...record, fields: { ...record.fields, member } };
}

function withoutMember(record: ReadRecord, identifier: string): ReadRecord {
  const params = { identifier: shorten(identifier) };
  const unknown = violation('grades.member_unknown', '/member', params);
  const violations = 'violations' in record ? record.violations : [];
  return { line: record.line, violations: [unknown, ...violations] };
}
