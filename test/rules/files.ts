import type { Rule } from './rule.ts';

const LONGEST = 'k'.repeat(128);

/** "Limits": file key. */
export const KEYS: readonly Rule[] = [
  {
    name: 'a key has 1 to 128 letters, digits, dots, underscores and hyphens',
    payloads: [
      ...'a Z 0 9 azAZ09._- a..b a. a- constructor CON Report-1.pdf'.split(' '),
      LONGEST.slice(1),
      LONGEST,
    ],
  },
  {
    name: 'a key is not empty',
    found: ['file.key_invalid'],
    status: 422,
    message: 'it is empty',
    payloads: [''],
  },
  {
    name: 'a key has at most 128 characters, however many UTF-16 units',
    found: ['file.key_invalid'],
    status: 422,
    message: 'it has 129 characters',
    payloads: [`${LONGEST}k`, '😀'.repeat(129)],
  },
  {
    name: 'a key starts with a letter or digit',
    found: ['file.key_invalid'],
    status: 422,
    message: 'it must start with a letter or digit',
    payloads: ['.a', '-a', '_a', '__proto__', '.', '..'],
  },
  {
    name: 'a key has no other character',
    found: ['file.key_invalid'],
    status: 422,
    message: 'is not allowed',
    payloads: [
      ...String.raw`a/b a\b ../a a%2e a?b a#b a+b a:b a~1 @a a[ a{ é a😀`.split(' '),
      ...'a b,a\n,a\u0000,a`,e\u0301,a\u0663,\uff41,\u212a,a\u202e,a\ud83d'.split(','),
    ],
  },
];

/** "Declaration body of PUT", of a file `k`. */
export const DECLARATIONS: readonly Rule[] = [
  {
    name: 'a file has up to 25 MB by each reading of MB',
    payloads: ['1', '24999999', '25000000'].map((size) => `{"size":${size}}`),
  },
  {
    name: 'a file of 0 bytes may be refused',
    found: ['file.empty /size (warning)'],
    payloads: ['{"size":0}'],
  },
  {
    name: 'a file between the two readings may be refused',
    found: ['file.maybe_too_large /size (warning)'],
    payloads: ['25000001', '26214399', '26214400'].map((size) => `{"size":${size}}`),
  },
  {
    name: 'a file over 25 MB is refused',
    found: ['file.too_large /size'],
    status: 422,
    message: 'size 26214401 exceeds the 25 MB limit of a file',
    payloads: ['{"size":26214401}'],
  },
  {
    name: 'size is a whole number of bytes',
    found: ['file.size_invalid /size'],
    status: 422,
    payloads: ['1.5', '-1', '"3"', '""', 'null', 'true', '[3]', '{}'].map(
      (size) => `{"size":${size}}`,
    ),
  },
  {
    name: 'size is required',
    found: ['file.size_missing /size'],
    status: 422,
    payloads: ['{}', '{"filename":"a"}'],
  },
  {
    name: 'the other fields are optional, and unknown ones are ignored',
    payloads: [
      '{"size":1,"mimetype":"","filename":"","attachment":false}',
      '{"size":1,"mimetype":"text/csv","filename":"Noten März.csv","attachment":true}',
      '{"size":1,"key":"..","max":5}',
    ],
  },
  ...Object.entries({
    mimetype: ['5', '["text/plain"]', 'false'],
    filename: ['5', '{}'],
    attachment: ['"true"', '1', '0', '""'],
  }).flatMap(([field, values]): Rule[] => [
    {
      name: `another type of ${field} is refused`,
      found: [`file.${field}_invalid /${field}`],
      status: 422,
      payloads: values.map((value) => `{"size":1,"${field}":${value}}`),
    },
    {
      name: `null as ${field} is a warning`,
      found: [`file.null_field /${field} (warning)`],
      payloads: [`{"size":1,"${field}":null}`],
    },
  ]),
  {
    name: 'all violations of a declaration are found, in the order of the fields',
    found: [
      'file.size_invalid /size',
      'file.mimetype_invalid /mimetype',
      'file.filename_invalid /filename',
      'file.attachment_invalid /attachment',
    ],
    status: 422,
    payloads: ['{"attachment":"no","filename":1,"mimetype":2,"size":-1}'],
  },
  {
    name: 'a name twice is a warning in a declaration',
    found: ['body.duplicate_name /size (warning)'],
    payloads: ['{"size":1,"size":2}'],
  },
  {
    name: 'a declaration is an object',
    found: ['body.not_object'],
    status: 422,
    payloads: ['[1]', '7'],
  },
  { name: 'a declaration is JSON', found: ['body.syntax'], status: 422, payloads: ['{', ''] },
];
