import { truncate, violation } from '../contract/index.ts';
import { type ParsedRecord, ungradedWord } from './parsed-record.ts';
import type { ReadingNotes } from './reading-notes.ts';
import { spoiltMember } from './spoilt-members.ts';

export type MemberMap = ReadonlyMap<string, string>;

/** The member of an identifier, also of one that a spreadsheet spoilt. */
export function memberOfIdentifier(members: MemberMap, identifier: string): string | undefined {
  return members.get(identifier) ?? members.get(spoiltMember(identifier) ?? '');
}

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
}

type Readable = Exclude<ParsedRecord, { leftOut: string }>;

/** Leaves out records by the options, and counts them. */
export class RecordChooser {
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
  choose(record: Readable): Readable | undefined {
    if (!this.#isNeeded || 'isNoRecord' in record) return record;
    const identifier = identifierOf(record);
    const member = this.#memberOf(identifier);
    // A record that is left out anyway needs no member.
    if (!this.#isWanted(member) || this.#isUngraded(record)) return undefined;
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

  #isWanted(member: unknown): boolean {
    const { only } = this.#options;
    if (only === undefined) return true;
    if (typeof member === 'string' && only.has(member)) {
      this.#notes.absent?.delete(member);
      return true;
    }
    this.#notes.notSelected += 1;
    return false;
  }

  #isUngraded(record: Readable): boolean {
    if (!this.#options.skipUngraded || !('fields' in record)) return false;
    const word = ungradedWord(record.fields);
    if (word !== undefined) this.#notes.skipUngraded(word);
    return word !== undefined;
  }
}

/** What a record has in the column of the member; undefined if that is empty. */
function identifierOf(record: Readable): unknown {
  const identifier = 'fields' in record ? record.fields.member : record.member;
  return identifier === '' ? undefined : identifier;
}

function withMember(record: Readable, member: unknown): Readable {
  if (!('fields' in record)) return { ...record, member };
  if (record.fields.member === member) return record;
  return { ...record, fields: { ...record.fields, member } };
}

function withoutMember(record: Readable, identifier: string): Readable {
  const params = { identifier: truncate(identifier) };
  const unknown = violation('grades.member_unknown', '/member', params);
  const violations = 'violations' in record ? record.violations : [];
  return { line: record.line, violations: [unknown, ...violations] };
}
