import { truncate, violation } from '../contract/index.ts';
import { type ParsedRecord, ungradedWord } from './parsed-record.ts';
import type { ReadingNotes } from './reading-notes.ts';
import { spoiltMember } from './spoilt-members.ts';

/** Which records of a file are read. */
export interface ChoiceOptions {
  /** The members by their identifiers in the file, if it has other identifiers. */
  readonly members?: ReadonlyMap<string, string> | undefined;
  /** Leaves out records without such a member. */
  readonly skipUnknown?: boolean | undefined;
  /** The members whose records are read. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Leaves out records without a grade. */
  readonly skipUngraded?: boolean | undefined;
}

type Readable = Exclude<ParsedRecord, { leftOut: string }>;

/** Leaves out records by the options, and counts them. */
export class RecordChooser {
  readonly #options: ChoiceOptions;
  readonly #notes: ReadingNotes;
  readonly #isNeeded: boolean;

  constructor(options: ChoiceOptions, notes: ReadingNotes) {
    const { members, only, skipUngraded } = options;
    this.#options = options;
    this.#notes = notes;
    this.#isNeeded = members !== undefined || only !== undefined || skipUngraded === true;
    if (only) notes.absent = new Set(only);
  }

  /** The record, with its member; undefined if it is left out. */
  choose(record: Readable): Readable | undefined {
    if (!this.#isNeeded || 'isNoRecord' in record) return record;
    const named = this.#withMember(record);
    if (named === undefined || !this.#isWanted(named)) return undefined;
    const word =
      this.#options.skipUngraded && 'fields' in named ? ungradedWord(named.fields) : undefined;
    if (word === undefined) return named;
    this.#notes.skipUngraded(word);
    return undefined;
  }

  #withMember(record: Readable): Readable | undefined {
    const { members, skipUnknown } = this.#options;
    const identifier = memberOf(record);
    if (members === undefined || typeof identifier !== 'string') return record;
    const member = members.get(identifier) ?? members.get(spoiltMember(identifier) ?? '');
    if (member !== undefined) {
      if (!('fields' in record)) return { ...record, member };
      return { ...record, fields: { ...record.fields, member } };
    }
    if (!skipUnknown) {
      const params = { identifier: truncate(identifier) };
      const unknown = violation('grades.member_unknown', '/member', params);
      const violations = 'violations' in record ? record.violations : [];
      return { line: record.line, violations: [unknown, ...violations] };
    }
    this.#notes.skipUnknown(identifier);
    return undefined;
  }

  #isWanted(record: Readable): boolean {
    const { only } = this.#options;
    if (only === undefined) return true;
    const member = memberOf(record);
    if (typeof member === 'string' && only.has(member)) {
      this.#notes.absent?.delete(member);
      return true;
    }
    this.#notes.notSelected += 1;
    return false;
  }
}

function memberOf(record: Readable): unknown {
  return 'fields' in record ? record.fields.member : record.member;
}
