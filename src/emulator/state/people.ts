import type { Member, World } from './world.ts';

interface Worldly {
  readonly world: Pick<World, 'members'>;
}

export function nameOf(member: Pick<Member, 'given_name' | 'family_name'>): string {
  return `${member.given_name} ${member.family_name}`.trim();
}

/** The name of a member; '' if there is none. */
export function memberName({ world }: Worldly, id: string): string {
  const member = world.members.get(id);
  return member === undefined ? '' : nameOf(member);
}

/** The members whose name or ID matches a search. */
export function peopleFound({ world }: Worldly, search: string): Member[] {
  return world.members.all().filter((member) => isFound(search, [nameOf(member)], [member.id]));
}

/**
 * Returns whether one of the texts contains `search`, which is in lower case, or one of the IDs has it
 * at the start of a word: `113` finds `member-113`, but `ada` does not find the random ID `8b96ada3`.
 */
export function isFound(
  search: string,
  texts: readonly string[],
  ids: readonly string[] = [],
): boolean {
  return (
    search === '' ||
    texts.some((text) => text.toLowerCase().includes(search)) ||
    ids.some((id) => startsWord(id.toLowerCase(), search))
  );
}

function startsWord(id: string, search: string): boolean {
  for (let at = id.indexOf(search); at !== -1; at = id.indexOf(search, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(id.charAt(at - 1))) return true;
  }
  return false;
}
