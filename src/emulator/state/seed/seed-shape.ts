import { isHeaderText, isObject, jsonTypeOf } from '../../../contract/index.ts';
import { isToolAddress } from '../world.ts';
import { escapeToken } from '../../../json/index.ts';

/** A fault of a seed, its place, and a hint. */
export interface SeedFault {
  /** A JSON pointer into the seed. */
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** Returns the faults of a value. */
type Check = (value: unknown, path: string) => SeedFault[];

/** IDs are part of URLs, where they must not need encoding. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;
const ID_MAX_CHARACTERS = 100;
const MAX_STUDENTS = 100_000;

const fault = (path: string, message: string, hint: string): SeedFault[] => [
  { path, message, hint },
];

/** One fault unless `isRight` accepts the value. */
function checkWith(isRight: (value: unknown) => boolean, needed: string, hint: string): Check {
  return (value, path) => (isRight(value) ? [] : fault(path, `must be ${needed}`, hint));
}

const text = checkWith(
  (value) => typeof value === 'string' && value !== '',
  'a non-empty string',
  'put it in quotes, or leave the field out',
);
const flag = checkWith(
  (value) => typeof value === 'boolean',
  'true or false',
  'without quotes, or leave the field out',
);
const id = checkWith(
  (value) => typeof value === 'string' && value.length <= ID_MAX_CHARACTERS && ID.test(value),
  'an ID',
  `1 to ${ID_MAX_CHARACTERS} letters, digits, ".", "_", "~" or "-", the first a letter or digit`,
);
const secret = checkWith(
  (value) => typeof value === 'string' && isHeaderText(value),
  'a key',
  'use visible ASCII characters without spaces',
);

const address = checkWith(
  isToolAddress,
  'a URL of the tool',
  'http on loopback, such as http://127.0.0.1:3000/launch, or https anywhere',
);

function number(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  return checkWith(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    `a whole number, ${least} or more`,
    most === Number.MAX_SAFE_INTEGER ? 'without quotes' : `without quotes, at most ${most}`,
  );
}

const positive = checkWith(
  (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  'a number greater than 0',
  'without quotes, or leave the field out',
);

function oneOf(...words: string[]): Check {
  return checkWith(
    (value) => words.includes(value as string),
    `one of ${words.join(', ')}`,
    'use exactly this spelling, or leave the field out',
  );
}

function listOf(each: Check, least = 0): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return fault(path, 'must be an array', 'write it as [ … ]');
    const few = `must have at least ${least} element`;
    if (value.length < least) return fault(path, few, 'without one nothing can be launched');
    return value.flatMap((item, index) => each(item, `${path}/${index}`));
  };
}

/** An object with any names, such as codes by tools. */
function mapOf(each: Check): Check {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => each(item, `${path}/${escapeToken(name)}`))
      : fault(path, 'must be an object', 'write it as { … }');
}

/** An object with these fields; those with `!` after the name are required. */
function object(fields: Readonly<Record<string, Check>>): Check {
  const names = Object.keys(fields).map((name) => name.replace('!', ''));
  return (value, path) => {
    if (!isObject(value)) {
      const found = jsonTypeOf(value);
      return fault(path, `must be an object, not ${found}`, `its fields are ${names.join(', ')}`);
    }
    const unknown = Object.keys(value).filter((name) => !names.includes(name));
    return [
      ...unknown.flatMap((name) =>
        fault(
          `${path}/${escapeToken(name)}`,
          `unknown field ${JSON.stringify(name)}`,
          `the fields are ${names.join(', ')}`,
        ),
      ),
      ...Object.entries(fields).flatMap(([field, check]) => {
        const name = field.replace('!', '');
        if (value[name] !== undefined) return check(value[name], `${path}/${name}`);
        return field === name ? [] : fault(path, `${name} is missing`, `add "${name}": …`);
      }),
    ];
  };
}

const version = object({
  number: number(1),
  visibility: oneOf('private', 'unlisted', 'public'),
  state: oneOf('in_review', 'published'),
  deprecated: flag,
});

const tool = object({
  'id!': id,
  name: text,
  hosted: flag,
  status: oneOf('active', 'archived', 'suspended'),
  api_key: secret,
  versions: listOf(version, 1),
  current: number(1),
  pilot: number(1),
  callback: address,
  provision_url: address,
  locations_url: address,
});

const member = object({
  'id!': id,
  user: id,
  groups: listOf(text),
  given_name: text,
  family_name: text,
  email: text,
  lms_user: text,
});

const location = object({
  'id!': id,
  'tool!': id,
  extid: text,
  type: text,
  title: text,
  resource_link: text,
  copy_of: id,
  column: flag,
  lineitem: text,
  points: positive,
  grade_url: flag,
});

const course = object({
  'id!': id,
  title: text,
  deployment: text,
  copy_of: id,
  provisioned: flag,
  codes: mapOf(text),
  members: listOf(member),
  students: number(0, MAX_STUDENTS),
  locations: listOf(location),
});

/** Checks the fields of a seed and their types. */
export const checkSeedShape: Check = object({
  'tools!': listOf(tool, 1),
  'courses!': listOf(course, 1),
});
