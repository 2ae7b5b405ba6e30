/** HTML entities for ASCII characters and the non-breaking space. */
const NAMES: Readonly<Record<string, string>> = {
  tab: '\t',
  newline: '\n',
  nbsp: ' ',
  excl: '!',
  quot: '"',
  num: '#',
  dollar: '$',
  percnt: '%',
  amp: '&',
  apos: "'",
  lpar: '(',
  rpar: ')',
  ast: '*',
  midast: '*',
  plus: '+',
  comma: ',',
  period: '.',
  sol: '/',
  colon: ':',
  semi: ';',
  lt: '<',
  equals: '=',
  gt: '>',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  hat: '^',
  lowbar: '_',
  underbar: '_',
  grave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  rcub: '}',
  rbrace: '}',
};

/** An HTML character reference; browsers accept a numeric one without its semicolon. */
export const ENTITY = /&#0{0,20}([0-9]{1,7});?|&#x0{0,20}([0-9a-f]{1,6});?|&([a-z]{2,8});/gi;

/** The character of a match of `ENTITY`; the text itself if it is unknown. */
export function entityCharacter(
  entity: string,
  decimal: string | undefined,
  hexadecimal: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? entity;
  const point = decimal === undefined ? Number(`0x${hexadecimal}`) : Number(decimal);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : entity;
}
