import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulated, start } from './emulator/running.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { json as answerWith, startService } from '../support/service.ts';
import { errorsOf, linesIn, stepsAt } from '../support/steps.ts';
import { KEYS } from '../support/terminal.ts';

/** A folder with a project file, and steps in one below it. */
function project(settings: unknown) {
  const folder = temporaryFolder();
  const below = join(folder, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2);
  writeFileSync(join(folder, 'lectern.json'), text);
  const { step, home } = stepsAt({ cwd: below });
  return { folder, below, home, step };
}

/** A part of a JSON Schema. */
interface Fields {
  readonly properties?: Readonly<Record<string, unknown>>;
}

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2ln';
const GET = 'storage get member';
const ROW = 'storage get context';
const GRADE = 'grade submit --score 0.5 --member m1';
const EXEC = 'emulator exec -- true';
const START = 'emulator start';

describe('a project file', () => {
  const chaos = (value: string): string => `{"emulator": {"chaos": ${value}}}`;
  const twice = '{\n  "emulator": {},\n  "emulator": {"port": 1}\n}';

  test.each<[text: string, line: number | null, stderr: string | RegExp]>([
    ['{\n  "launch": \n}', 3, 'a value is missing'],
    ['{\n  // ours\n  "launch": "x"\n}', 2, 'comments'],
    ['\uFEFF{"launch": "x"}', null, /byte order mark|BOM/i],
    ['{\n  "emulator": {"port": "80"}\n}', 2, 'whole number'],
    ['{\n  "emulator": {"sed": "x"}\n}', 2, 'did you mean seed?'],
    ['{"lanch": "x"}', 1, 'did you mean launch?'],
    ['{\n "emulator": {"host": "emulator.example"}\n}', 2, 'an IP address of this machine'],
    [twice, 3, /duplicate name.*keep one of them/],
    ['\n[]', 2, 'must be an object, not an array'],
    ['{"emulator": {"seed": ""}}', 1, 'must not be empty'],
    [chaos('5'), 1, 'must be a seed in quotes, or an object with seed and share'],
    [chaos('{"seed": "1", "shar": 0.5}'), 1, /\/emulator\/chaos\/shar".*did you mean share/],
    [chaos('{"seed": "1", "share": 5}'), 1, /\/emulator\/chaos\/share".*must be from 0 to 1/],
    ['{"report": {"fail_on": "all"}}', 1, 'error, warning'],
  ])('with an error ends every command that needs it with 3: %j', async (text, line, stderr) => {
    const findings = [line === null ? {} : { line }];
    await project(text).step(`${GET} --json`, { exit: 3, stderr, error: { findings } });
  });

  test.each([
    `{"launch": "${TOKEN}"}`,
    '{"token": "short"}',
    '{"ledger": "postgres://ann:secret-word@127.0.0.1/grades"}',
    '{"ledger": "postgres://ann@127.0.0.1:1/grades?passw%6Frd=secret-word"}',
    '{"ledger": "host=127.0.0.1 user=ann password=secret-word dbname=grades"}',
    `{"${TOKEN}": {"eyJhbGciOiJIUzI1NiJ9.x": 1}}`,
    `{"emulator": {"tools": {"${TOKEN}": 5}}}`,
  ])('with a secret is rejected, and the secret is not repeated: %s', async (text) => {
    const lacks = ['eyJhbG', 'short"', 'secret-word'];
    await project(text).step(GET, { exit: 3, stderr: 'must not contain secrets', lacks });
  });

  test('is not used by accident: LECTERN_PROJECT is off, or not set', async () => {
    const { step } = project({ launch: 'teacher' });
    await step(`LECTERN_PROJECT=OFF ${GET} # exit 2: LECTERN_PROJECT is OFF … set it to off`);
  });

  test('with an error does not affect commands that need none', async () => {
    const { step } = project('{"nothing": ');
    await step('help\n--version\nexplain limits\nvalidate --schema row\nstorage get --help');
  });
});

/** Settings that reach further than a project file may, the command that uses each, and its way out. */
const REACHING: readonly [name: string, settings: object, line: string, wayOut: string][] = [
  ['a launch file of a service', { launch: 'launch.json' }, ROW, '--launch FILE'],
  ['a launch file outside of it', { launch: '../launch.json' }, ROW, '--launch FILE'],
  ['a launch file behind a link', { launch: 'elsewhere/launch.json' }, ROW, '--launch FILE'],
  ['a saved launch, with a token', { launch: 'teacher' }, `${ROW} # token`, '--launch teacher'],
  ['a saved launch, with a key', { launch: 'teacher' }, `${GRADE} # key`, '--launch teacher'],
  ['a ledger', { ledger: 'postgres://127.0.0.1:1/grades' }, 'grade runs', '--ledger URL'],
  ['a host for others', { emulator: { host: '0.0.0.0' } }, `${START} --memory`, '--host 0.0.0.0'],
  ['a data folder outside of it', { emulator: { data: '../data' } }, START, '--data FOLDER'],
  ['data behind a link to nothing', { emulator: { data: 'nowhere' } }, START, '--data FOLDER'],
  ['a seed outside of it', { emulator: { seed: '/etc/hostname' } }, EXEC, '--seed FILE'],
  [
    'the code of a tool behind a link',
    { emulator: { tools: { sketch: 'elsewhere' } } },
    EXEC,
    'lectern emulator tool upload FOLDER --tool sketch',
  ],
];

test.each(REACHING)(
  'a project file with %s is refused with its line and the flag for it, and nothing is sent',
  async (_, settings, said, wayOut) => {
    const service = await startService(answerWith(200, {}));
    const claims = JSON.stringify({
      iss: 'https://service.example',
      api: { token: 'of-the-launch' },
      storage: { context: `${service.origin}/contexts/c1/row` },
      grade: { submit: `${service.origin}/contexts/c1/members/m1/grade` },
    });
    const { folder, step } = project(settings);
    await step('launch save teacher', { cwd: temporaryFolder(), input: claims });
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'elsewhere'));
    symlinkSync(join(outside, 'missing'), join(folder, 'nowhere'));
    for (const each of [folder, outside]) writeFileSync(join(each, 'launch.json'), claims);
    const [line = '', given] = said.split(' # ');
    const name = given === 'key' ? 'LECTERN_API_KEY' : 'LECTERN_TOKEN';
    const env = given === undefined ? {} : { [name]: 'of-the-environment' };
    const refused = errorsOf(await step(`--json ${line}`, { env, exit: 3 }));
    const [finding] = refused.findings ?? [];
    expect([finding?.code, (finding?.line ?? 0) > 1]).toEqual(['project.invalid', true]);
    expect(finding?.hint).toContain(`to use it on purpose: ${wayOut}`);
    expect([service.requests, existsSync(join(outside, 'missing'))]).toEqual([[], false]);
  },
);

test.each([
  [{ launch: '../launch.json' }, 'storage get context --launch launch.json'],
  [{ ledger: 'postgres://127.0.0.1:1/grades' }, 'grade runs --ledger local'],
  [{ emulator: { seed: '/etc/hostname' } }, 'emulator exec --seed example -- true'],
  [{ ledger: 'local' }, 'grade runs'],
])('a project file with %j does not affect %s', async (settings, line) => {
  const service = await startService(answerWith(200, {}));
  const url = `${service.origin}/contexts/c1/row`;
  const claims = { iss: service.origin, api: { token: 'own' }, storage: { context: url } };
  await project(settings).step(line, { files: { 'launch.json': JSON.stringify(claims) } });
});

test('the authority of a ledger is not read from the current folder', async () => {
  const LEDGER = 'LECTERN_LEDGER=postgres://127.0.0.1:1/grades';
  await stepsAt().step(`
    ${LEDGER}?sslrootcert=ca.pem grade runs # exit 2: has to be an absolute path
    ${LEDGER} PGSSLROOTCERT=ca.pem grade runs # exit 2: has to be an absolute path`);
});

test('the launch of the project overrides launch use, but not the flag or the environment', async () => {
  const { home, step: at } = await emulated();
  const { folder, step } = project({ launch: 'instructor' });
  await at(`
    emulator launch --role student --save student
    emulator launch --role instructor --save instructor
    emulator launch --role manager --save manager
    launch use student`);
  await step('launch show', { home, stdout: 'instructor' });
  const lines = `
    launch check --json # "launch":"instructor"
    launch check --json -l manager # "launch":"manager"
    LECTERN_LAUNCH=student launch check --json # "launch":"student"`;
  await step(lines, { home });

  const { stdout } = await at('emulator launch --role student');
  writeFileSync(join(folder, 'claims.json'), stdout);
  writeFileSync(join(folder, 'lectern.json'), '{"launch": "claims.json"}');
  await step(GET, { home });
});

test('an unknown launch of the project is rejected with the nearest saved name', async () => {
  const { folder, step } = project({ launch: 'techer' });
  await step('launch save teacher < {"api":{"token":"a-token"}}', { cwd: temporaryFolder() });
  await step(`
    ${GET} # exit 2: no saved launch or file named "techer" (in ${folder}/lectern.json) … did you mean teacher?
    launch show # exit 2: no saved launch or file named "techer" (in ${folder}/lectern.json) … did you mean teacher?`);
});

test('docs/project.md has each field', async () => {
  const page = readFileSync(new URL('../../docs/project.md', import.meta.url), 'utf8');
  const { stdout } = await project({}).step('explain schema project');
  const { properties } = JSON.parse(stdout) as { properties: Record<string, Fields> };
  const names = Object.entries(properties).flatMap(([name, { properties: below }]) =>
    below ? Object.keys(below).map((each) => `${name}.${each}`) : [name],
  );
  const listed = [...page.matchAll(/^\| `([a-z_.]+)`/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(names.filter((name) => name !== '$schema').toSorted());
});

test('a data folder that is a file is rejected, in the project file and in the flag', async () => {
  const { folder, step } = project({ emulator: { data: 'kept' } });
  const file = join(folder, 'kept');
  writeFileSync(file, 'text');
  await step(`
    emulator start # exit 3: ${file} is a file, not a folder
    emulator start --data ${file} # exit 3: ${file} is a file, not a folder
    emulator start --data ${file}/below # exit 3: ${file} is a file, not a folder`);
  expect(readFileSync(file, 'utf8')).toBe('text');
});

test.each(
  linesIn(`
  skech # exit 3: no hosted tool skech … did you mean sketch?
  essay # exit 3: no hosted tool essay … one of sketch
  sketch # exit 3: there is no folder … nowhere`),
)('emulator start and exec cannot upload the code of the tool %s', async (line) => {
  const [tool = '', said] = line.split(' # ');
  const { step } = project({ emulator: { tools: { [tool]: 'nowhere' } } });
  await step(`emulator start --memory # ${said}\nemulator exec -- true # ${said}`);
});

test('emulator exec uses the seed and the code of a tool from the project, relative to its file', async () => {
  const seed = {
    tools: [{ id: 'sketch', hosted: true }],
    courses: [{ id: 'painting', students: 2, locations: [{ id: 'wall', tool: 'sketch' }] }],
  };
  const settings = { emulator: { seed: 'seed.json', tools: { sketch: 'tool' } } };
  const { step, home, below } = project(settings);
  const files = {
    '../../seed.json': JSON.stringify(seed),
    '../../tool/index.html': '<p>sketch</p>',
    'ready.mjs': `const { ok } = await fetch(process.env.LECTERN_EMULATOR + '/_emulator/ready');
      process.exit(ok ? 7 : 1);`,
  };
  await step(`emulator exec -- ${process.execPath} ready.mjs`, { files, exit: 7 });
  const { ready } = await start(['--memory'], { home, cwd: below });
  const env = { LECTERN_EMULATOR: ready.url };
  await step('emulator reset', { env });
  await step('emulator state --json', { env, json: { codes: [{ tool: 'sketch', version: 2 }] } });
  const others = { '../../tool/lti.json': '{}', '../../seed.json': '{"tools": []}' };
  await step('emulator exec -- true', { files: others, exit: 3, stderr: 'seed.json' });
});

describe('lectern init', () => {
  test('writes a valid file with --yes, and needs --force to replace one', async () => {
    const { step, folder } = stepsAt();
    const written = (): string => readFileSync(join(folder, 'lectern.json'), 'utf8');
    await step('init --yes --json');
    expect(JSON.parse(written())).toEqual({ emulator: { seed: 'example' } });
    const files = { 'lectern.json': '{"launch": "mine"}' };
    const stderr = 'replace it with: lectern init --yes --force\n';
    await step('init --yes', { files, exit: 3, stderr });
    expect(written()).toBe('{"launch": "mine"}');
    await step('init --yes --force');
    expect(written()).toContain('example');
  });

  test.each([
    ['sketch', 0, { emulator: { seed: 'mine.json', port: 4000, tools: { sketch: 'dist' } } }],
    ['', 3, undefined],
  ])('asks on a terminal, and with the tool %j exits with %i', async (tool, exit, written) => {
    const { folder, atTerminal } = stepsAt();
    const answers = { 'Seed file': 'mine.json', Port: '4000', Folder: 'dist', 'ID of the': tool };
    const typed = Object.entries(answers).map(([name, text]) => [name, text + KEYS.enter]);
    await atTerminal('init', { exit, keys: Object.fromEntries(typed) });
    const file = join(folder, 'lectern.json');
    const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    expect(found).toEqual(written);
  });

  test('without a terminal and without --yes is a usage error', async () => {
    await stepsAt().step('init', { exit: 2, stderr: 'lectern init --yes' });
  });
});

describe('validate seed', () => {
  const example = new URL('../../src/emulator/state/seed/example-seed.json', import.meta.url);
  const schema = '{"$schema": "seed.json", "tools": [{"id": "a"}], "courses": [{"id": "b"}]}';

  test('accepts the example, and the schema that an editor reads', async () => {
    for (const input of [readFileSync(example, 'utf8'), schema]) {
      const json = [{ source: '-', valid: true, findings: [] }];
      await stepsAt().step('validate seed --json', { input, json });
    }
  });

  test('takes the files of rows from the folder of the seed alone, as the emulator does', async () => {
    const { step, folder } = stepsAt();
    const courses = [{ id: 'b', members: [{ id: 'c' }], locations: [{ id: 'd', tool: 'a' }] }];
    const seedWith = (path: string): string => {
      const rows = [{ row: 'member/a/c', files: [{ key: 'x', size: 2, path }] }];
      return JSON.stringify({ tools: [{ id: 'a' }], courses, rows });
    };
    const seed = seedWith('x.bin');
    await step('validate seed s/seed.json # exit 3: does not exist', {
      files: { 's/seed.json': seed },
      stdout: '/rows/0/files/0/path',
    });
    await step('validate seed s/seed.json', { files: { 's/x.bin': 'ok' } });
    const outside = { 's/seed.json': seedWith('../y.bin'), 'y.bin': 'ok' };
    await step('validate seed s/seed.json # exit 3: outside the folder', { files: outside });
    symlinkSync(join(folder, 'y.bin'), join(folder, 's/link.bin'));
    const linked = { 's/seed.json': seedWith('link.bin') };
    await step('validate seed s/seed.json # exit 3: outside the folder', { files: linked });
  });

  test('reports a duplicate name, and a wrong one with the nearest', async () => {
    const { step } = stepsAt();
    await step(`
      validate seed --json < {\\n "courses": [],\\n "courses": []\\n} # exit 3: "code":"seed.invalid","severity":"error","path":"/courses","line":3,
      validate seed --json < {"tols": [], "courses": []} # exit 3: did you mean tools?`);
  });
});
