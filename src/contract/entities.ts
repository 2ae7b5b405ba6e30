/** The entities that servers write: HTML's own five, and punctuation of URLs and tokens. */
const NAMES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  colon: ':',
  equals: '=',
  lowbar: '_',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  sol: '/',
};

/** An HTML character reference; browsers accept a numeric one without its semicolon. */
export const ENTITY = /&#0{0,20}[0-9]{1,7};?|&#x0{0,20}[0-9a-f]{1,6};?|&[a-z]{2,8};/gi;

/** The character of a match of `ENTITY`; the text itself if it is unknown. */
export function entityCharacter(entity: string): string {
  const reference = entity.replace(/[&;]/g, '').toLowerCase();
  if (!reference.startsWith('#')) return NAMES[reference] ?? entity;
  const point = Number(reference.replace('#x', '0x').replace('#', ''));
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : entity;
}
