import { type Rule, rulesOf } from './rule.ts';

const LONGEST = 'k'.repeat(128);

/** "Limits": file key. */
export const KEYS = rulesOf([
  [
    'a key has 1 to 128 letters, digits, dots, underscores and hyphens',
    '',
    [
      ...'a Z 0 9 azAZ09._- a..b a. a- constructor CON Report-1.pdf'.split(' '),
      LONGEST.slice(1),
      LONGEST,
    ],
  ],
  ['a key is not empty', 'file.key_invalid', [''], 'it is empty'],
  [
    'a key has at most 128 characters, however many UTF-16 units',
    'file.key_invalid',
    [`${LONGEST}k`, '😀'.repeat(129)],
    'it has 129 characters',
  ],
  [
    'a key starts with a letter or digit',
    'file.key_invalid',
    ['.a', '-a', '_a', '__proto__', '.', '..'],
    'it must start with a letter or digit',
  ],
  [
    'a key has no other character',
    'file.key_invalid',
    [
      ...String.raw`a/b a\b ../a a%2e a?b a#b a+b a:b a~1 @a a[ a{ é a😀`.split(' '),
      ...'a b,a\n,a\u0000,a`,e\u0301,a\u0663,\uff41,\u212a,a\u202e,a\ud83d'.split(','),
    ],
    'is not allowed',
  ],
]);

/** "Declaration body of PUT", of a file `k`. */
export const DECLARATIONS = rulesOf([
  [
    'a file has up to 25 MB by each reading of MB',
    '',
    ['1', '24999999', '25000000'].map((size) => `{"size":${size}}`),
  ],
  ['a file of 0 bytes may be refused', 'file.empty /size (warning)', ['{"size":0}']],
  [
    'a file between the two readings may be refused',
    'file.maybe_too_large /size (warning)',
    ['25000001', '26214399', '26214400'].map((size) => `{"size":${size}}`),
  ],
  [
    'a file over 25 MB is refused',
    'file.too_large /size',
    ['{"size":26214401}'],
    'size 26214401 exceeds the 25 MB limit of a file',
  ],
  [
    'size is a whole number of bytes',
    'file.size_invalid /size',
    ['1.5', '-1', '"3"', '""', 'null', 'true', '[3]', '{}'].map((size) => `{"size":${size}}`),
  ],
  ['size is required', 'file.size_missing /size', ['{}', '{"filename":"a"}']],
  [
    'the other fields are optional, and unknown ones are ignored',
    '',
    [
      '{"size":1,"mimetype":"","filename":"","attachment":false}',
      '{"size":1,"mimetype":"text/csv","filename":"Noten März.csv","attachment":true}',
      '{"size":1,"key":"..","max":5}',
    ],
  ],
  ...Object.entries({
    mimetype: ['5', '["text/plain"]', 'false'],
    filename: ['5', '{}'],
    attachment: ['"true"', '1', '0', '""'],
  }).flatMap(([field, values]): Rule[] => [
    {
      name: `another type of ${field} is refused`,
      found: [`file.${field}_invalid /${field}`],
      payloads: values.map((value) => `{"size":1,"${field}":${value}}`),
    },
    {
      name: `null as ${field} is a warning`,
      found: [`file.null_field /${field} (warning)`],
      payloads: [`{"size":1,"${field}":null}`],
    },
  ]),
  [
    'all violations of a declaration are found, in the order of the fields',
    [
      'file.size_invalid /size',
      'file.mimetype_invalid /mimetype',
      'file.filename_invalid /filename',
      'file.attachment_invalid /attachment',
    ],
    ['{"attachment":"no","filename":1,"mimetype":2,"size":-1}'],
  ],
  [
    'a name twice is a warning in a declaration',
    'body.duplicate_name /size (warning)',
    ['{"size":1,"size":2}'],
  ],
  ['a declaration is an object', 'body.not_object', ['[1]', '7']],
  ['a declaration is JSON', 'body.syntax', ['{', '']],
]);
