/** What a spreadsheet or a copy makes of an identifier, and what it probably was. */
interface Spoilt {
  readonly looks: RegExp;
  /** undefined if the digits are lost. */
  readonly was?: string;
}

const SPOILT: readonly Spoilt[] = [
  // Invisible: soft hyphens, breaks, directions; then the hyphens of a text program.
  { looks: /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, was: '' },
  { looks: /[\u2010-\u2013]/g, was: '-' },
  { looks: /^="(.+)"$/, was: '$1' },
  { looks: /^'(.+)$/, was: '$1' },
  { looks: /^#(.+)$/, was: '$1' },
  { looks: /^(\d+)\.0+$/, was: '$1' },
  { looks: /^\d(?:[.,]\d+)?E\+\d+$/i },
];

/** Most identifiers need no further look. */
const MAY_BE = /^(?:[='#]|\d[\d.,]*(?:[Ee]\+\d+|0)$)|[^\x20-\x7e]/;

/**
 * What an identifier was before a spreadsheet changed it, such as 00123 for `="00123"`: '' if its
 * digits are lost, undefined if it is not changed.
 */
export function spoiltMember(member: string): string | undefined {
  if (!MAY_BE.test(member)) return undefined;
  const spoilt = SPOILT.find(({ looks }) => member.search(looks) !== -1);
  return spoilt && (spoilt.was === undefined ? '' : member.replace(spoilt.looks, spoilt.was));
}

export type MemberMap = ReadonlyMap<string, string>;

/** The member of an identifier, also of one that a spreadsheet spoilt. */
export function memberOfIdentifier(members: MemberMap, identifier: string): string | undefined {
  return members.get(identifier) ?? members.get(spoiltMember(identifier) ?? '');
}
