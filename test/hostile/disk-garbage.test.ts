import { execFileSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { inScope, Scope } from '../support/scope.ts';
import { type Course, startCourse } from './course-service.ts';
import { homeOf } from './home-of.ts';
import { judged } from './judged.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Disk');

/** What may replace a file or a folder of lectern. */
const GARBAGE: Readonly<Record<string, (path: string) => unknown>> = {
  'an empty file': (path) => writeFileSync(path, ''),
  'JSON of another type': (path) => writeFileSync(path, '[]'),
  'half of a file': (path) => writeFileSync(path, '{"name":"a","claims":{"api":{"tok'),
  'objects 50,000 levels deep': (path) =>
    writeFileSync(path, `{"name":"a","saved":"x","claims":${DEEP}}`),
  'values of other types': (path) => writeFileSync(path, JSON.stringify(OTHER_TYPES)),
  'names that lead out': (path) => writeFileSync(path, JSON.stringify(LEADING_OUT)),
  'three gigabytes': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 3e9);
  },
  'a named pipe': (path) => execFileSync('mkfifo', [path]),
  'a link to /dev/zero': (path) => symlinkSync('/dev/zero', path),
  'a link to nothing': (path) => symlinkSync('nowhere/at/all', path),
  'a link to a file elsewhere': (path) => symlinkSync(join(dirname(homeAt(path)), OUTSIDE), path),
  'a folder that is not empty': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'x'), '');
  },
};

const DEEP = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
const OTHER_TYPES = {
  name: 1,
  claims: [],
  saved: {},
  secret: {},
  currentLaunch: ['a'],
  history: 'no',
  agreed: { a: null, 'f.txt': 7 },
  url: 7,
};
const LEADING_OUT = {
  name: '../../x',
  currentLaunch: '../../../etc/passwd',
  url: 'https://elsewhere.example',
};
const OUTSIDE = 'outside.json';
const KEPT_OUTSIDE = { kept: 'as it is' };

const WORK = ['storage', 'patch', 'member', '--add', '/y=1'];
const LIST = ['launch', 'list', '--json'];
const DOCTOR = ['doctor', '--json'];
const STATE = ['emulator', 'state'];

/** The files and folders of a home, and the commands that meet them. `@` is replaced by a path or origin. */
const KEPT: Readonly<Record<string, readonly string[][]>> = {
  'settings.json': [WORK, LIST, DOCTOR, ['launch', 'use', 'a'], ['launch', 'rm', 'a']],
  launches: [WORK, LIST, DOCTOR, ['launch', 'save', 'b', '@launch'], ['launch', 'rm', 'a']],
  'launches/a.json': [
    WORK,
    LIST,
    DOCTOR,
    ['launch', 'show', 'a', '--json'],
    ['launch', 'check', 'a'],
    ['launch', 'save', 'a', '@launch', '--force'],
    ['launch', 'rm', 'a'],
  ],
  keys: [['key', 'list', '--json'], DOCTOR, ['key', 'save', 'b', '--origin', '@origin']],
  'keys/k.json': [
    ['key', 'list', '--json'],
    DOCTOR,
    ['grade', 'submit', '--score', '1', '-k', 'k'],
    ['key', 'save', 'k', '--origin', '@origin', '--force'],
    ['key', 'rm', 'k'],
  ],
  seen: [WORK, LIST, ['launch', 'rm', 'a']],
  'seen/a.json': [WORK, LIST, ['launch', 'save', 'a', '@launch', '--force']],
  sync: [['files', 'sync', '@folder', 'member']],
  'sync/*': [
    ['files', 'sync', '@folder', 'member'],
    ['files', 'sync', 'member', '@folder'],
  ],
  drafts: [['storage', 'edit', 'member']],
  emulators: [STATE],
  'emulators/1.json': [STATE, ['emulator', 'clock', 'show']],
  '.': [LIST, DOCTOR, WORK, ['launch', 'save', 'b', '@launch']],
};

/** Every kind of garbage in every place. */
const PAIRS = Object.keys(KEPT).flatMap((entry) =>
  Object.keys(GARBAGE).map((kind) => [entry, kind] as const),
);
/** So that few of them, taken in this order, are of many places and kinds. */
const STRIDE = 37;

let course: Course;
let original: string;

beforeAll(async () => {
  const scope = new Scope();
  await inScope(scope, async () => {
    course = await startCourse();
    original = await homeOf(course);
  });
  return () => scope.end();
});

hostile(
  {
    tried: `garbage in a home: ${Object.keys(GARBAGE).length} kinds in ${Object.keys(KEPT).length} files and folders`,
    times: { short: 8, long: PAIRS.length },
  },
  async ({ repetition }) => {
    const [entry, kind] = PAIRS[(repetition * STRIDE) % PAIRS.length] as (typeof PAIRS)[number];
    for (const command of KEPT[entry] ?? []) await meet(entry, kind, command);
  },
);

/** Runs a command in a home with the garbage, and looks at what it did. */
async function meet(entry: string, kind: string, command: readonly string[]): Promise<void> {
  const root = temporaryFolder();
  const home = join(root, 'home');
  cpSync(original, home, { recursive: true });
  writeFileSync(join(root, OUTSIDE), JSON.stringify(KEPT_OUTSIDE));
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'folder', 'f.txt'), 'text');
  const path = placeOf(home, entry);
  rmSync(path, { recursive: true, force: true });
  await GARBAGE[kind]?.(path);
  const before = secretsOf(home, entry);
  const writes = course.requests.filter(({ method }) => method !== 'GET').length;
  const words = {
    '@launch': course.launch,
    '@origin': course.origin,
    '@folder': join(root, 'folder'),
  };
  const args = command.map((word) => (words as Record<string, string>)[word] ?? word);
  const result = await lectern(args, {
    home,
    input: 'api-key-of-a-tool',
    env: { EDITOR: 'true', TMPDIR: root },
  });
  const what = `${kind} at ${entry}: ${command.join(' ')}`;
  judged(result, what, [0, 1, 2, 3, 4, 8]);
  if (result.exit === 1) {
    const output = result.stderr + result.stdout;
    expect(output.includes(home), `${what} names no path of the home: ${output}`).toBe(true);
    // What cannot be kept is not sent.
    const sent = course.requests.filter(({ method }) => method !== 'GET').length - writes;
    expect([what, sent]).toEqual([what, 0]);
  }
  // Settings may be a link, which is then kept: they are not secret.
  expect([what, JSON.parse(readFileSync(join(root, OUTSIDE), 'utf8'))]).toEqual([
    what,
    entry === 'settings.json' ? expect.objectContaining(KEPT_OUTSIDE) : KEPT_OUTSIDE,
  ]);
  const changes = command[0] === 'launch' || command[0] === 'key';
  if (!changes) expect([what, secretsOf(home, entry)]).toEqual([what, before]);
}

function placeOf(home: string, entry: string): string {
  if (entry !== 'sync/*') return join(home, entry);
  return join(home, 'sync', readdirSync(join(home, 'sync'))[0] ?? '');
}

function homeAt(path: string): string {
  return path.slice(0, path.lastIndexOf('/home') + '/home'.length);
}

/** The bytes of the secrets that the garbage did not replace. */
function secretsOf(home: string, entry: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const file of ['launches/a.json', 'keys/k.json']) {
    if (entry === '.' || file.startsWith(entry)) continue;
    if (lstatSync(join(home, file)).isFile()) kept[file] = readFileSync(join(home, file), 'utf8');
  }
  return kept;
}
