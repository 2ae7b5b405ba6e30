import { expect, test } from 'vitest';
import { launchOrigin, readLaunch } from '../../src/contract/claims.ts';
import { entityCharacter } from '../../src/contract/entities.ts';
import { escapeJson, escapeLines, escapeText } from '../../src/contract/escape.ts';
import { isZipFolder, isZipLink } from '../../src/contract/hosted-tool.ts';
import { htmlText, mailTexts, percentDecoded } from '../../src/contract/mail.ts';
import { closest, nearest, oneOfWords } from '../../src/contract/nearest.ts';
import { shownUrl } from '../../src/contract/url.ts';
import {
  bytesText,
  countText,
  flagWord,
  lineRanges,
  quoted,
  quotedPath,
} from '../../src/contract/words.ts';

const words = (count: number): string[] => Array.from({ length: count }, (_, at) => `w${at}`);
const odd = (count: number): number[] => Array.from({ length: count }, (_, at) => 2 * at + 1);
const mail = (type: string, body: string): string => `Content-Type: ${type}\r\n\r\n${body}`;
const nested = (levels: number, text: string): string =>
  levels === 0 ? text : mail('message/rfc822', nested(levels - 1, text));
const origin = (claims: object): string | undefined => launchOrigin(readLaunch({ ...claims }));

test.each<[() => unknown, unknown]>([
  [() => bytesText(5), '5 B'],
  [() => bytesText(1023), '1023 B'],
  [() => bytesText(1024), '1.0 KB'],
  [() => bytesText(99.5 * 1024), '99.5 KB'],
  [() => bytesText(100 * 1024), '100 KB'],
  [() => bytesText(1024 ** 2 - 1), '1.0 MB'],
  [() => bytesText(1024 ** 2), '1.0 MB'],
  [() => bytesText(1024 ** 4), '1024 GB'],
  [() => countText(1, 'file'), '1 file'],
  [() => countText(2970, 'file'), '2,970 files'],
  [() => lineRanges([102, 3, 2, 4]), '2-4, 102'],
  [() => lineRanges(odd(8)), '1, 3, 5, 7, 9, 11, 13, 15'],
  [() => lineRanges(odd(9)), '1, 3, 5, 7, 9, 11, 13, 15, …'],
  [() => quoted("it's"), String.raw`'it'\''s'`],
  [() => quotedPath('-a'), './-a'],
  [() => quotedPath('-'), '-'],
  [() => flagWord('--map', 'a b'), "--map 'a b'"],
  [() => flagWord('--map', '-a'), '--map=-a'],
  [() => flagWord('-l', '-a'), '-l-a'],
  [() => oneOfWords(words(20)).endsWith('w19'), true],
  [() => oneOfWords(words(21)).endsWith('w19, …'), true],
  [() => nearest('a', []), 'there are none'],
  [() => nearest('scroe', ['score']), 'did you mean score?'],
  [() => nearest('xyz', ['score', 'points']), 'one of score, points'],
  [() => closest('--', ['-x']), undefined],
  [() => closest('a', []), undefined],
  [() => closest('s', ['score']), undefined],
  [() => closest('sc', ['x', 'score']), 'score'],
  [() => closest('maximum', ['max']), 'max'],
  [() => closest('identity', ['id']), undefined],
  [() => closest('scXXe', ['score']), 'score'],
  [() => closest('sXXXe', ['score']), undefined],
  [() => closest('commXXXX', ['comments']), 'comments'],
  [() => closest('comXXXXX', ['comments']), undefined],
  [() => escapeText('a\n\u202e'), String.raw`a\n\u{202e}`],
  [() => escapeText('می\u200cخواهم क्\u200dष 👩🏽\u200d🔬'), 'می\u200cخواهم क्\u200dष 👩🏽\u200d🔬'],
  [
    () => escapeText('ad\u200dmin 1\u200c2 م\u200d'),
    String.raw`ad\u{200d}min 1\u{200c}2 م\u{200d}`,
  ],
  [() => escapeLines('a\n\t\u0007'), `a\n${String.raw`\t\u{7}`}`],
  [
    () => escapeJson('{\r\n\t"a":"\u0007\u{e0001}"}'),
    String.raw`{${'\n\n\t'}"a":"\u0007\udb40\udc01"}`,
  ],
  [() => shownUrl(''), '(an empty URL)'],
  [() => shownUrl('https://u:p@h/a?sig=b'), 'https://…@h/a'],
  [() => entityCharacter('&#x10ffff;'), '\u{10ffff}'],
  [() => entityCharacter('&#x110000;'), '&#x110000;'],
  [() => entityCharacter('&AMP;'), '&'],
  [() => isZipLink(0o120777 * 2 ** 16), true],
  [() => isZipLink(0o100777 * 2 ** 16), false],
  [() => isZipFolder({ path: 'a/', size: 0 }), true],
  [() => isZipFolder({ path: 'a/', size: 1 }), false],
  [() => isZipFolder({ path: 'a/', size: 0, isLink: true }), false],
  [() => isZipFolder({ path: '../', size: 0 }), false],
  [() => htmlText('a<br>b</p><b>c</b>&lt;'), 'a\nb\nc<'],
  [() => percentDecoded('%C3%A9%'), 'é%'],
  [() => mailTexts(nested(5, mail('text/plain', 'deep'))), ['deep']],
  [() => mailTexts(nested(6, mail('text/plain', 'deep'))), []],
  [() => mailTexts(mail('application/json', '{}')), ['{}']],
  [() => mailTexts(mail('image/png', 'x')), []],
  [() => mailTexts(mail('text/plain', 'x'.repeat(1_048_576))).length, 1],
  [() => mailTexts(mail('text/plain', 'x'.repeat(1_048_577))), []],
  [() => origin({ storage: { context: 'https://a/1', member: 'https://a/2' } }), 'https://a'],
  [() => origin({ storage: { context: 'https://a/1', member: 'https://b/2' } }), undefined],
  [() => origin({}), undefined],
  [() => origin({ iss: 'https://c/x', storage: { context: 'https://a/1' } }), 'https://c'],
])('%s', (made, expected) => {
  expect(made()).toEqual(expected);
});
