import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulated } from './emulator/running.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { json, startService } from '../support/service.ts';
import { KEYS, terminal } from '../support/terminal.ts';

/** A folder with a project file, and one below it in which commands run. */
function project(settings: unknown): { folder: string; below: string } {
  const folder = temporaryFolder();
  const below = join(folder, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2);
  writeFileSync(join(folder, 'lectern.json'), text);
  return { folder, below };
}

interface FileFinding {
  readonly code: string;
  readonly line: number | null;
  readonly hint: string;
}

/** The findings of an error that a command printed with `--json`. */
function findingsIn(stderr: string): FileFinding[] {
  const { error } = JSON.parse(stderr) as { error: { findings?: FileFinding[] } };
  return error.findings ?? [];
}

describe('a project file', () => {
  test.each([
    { name: 'bad JSON', text: '{\n  "launch": \n}', line: 3, words: /./ },
    { name: 'a comment', text: '{\n  // ours\n  "launch": "x"\n}', line: 2, words: /comments/ },
    { name: 'a BOM', text: '\uFEFF{"launch": "x"}', line: 1, words: /byte order mark|BOM/i },
    {
      name: 'a wrong type',
      text: '{\n  "emulator": {"port": "80"}\n}',
      line: 2,
      words: /whole number/,
    },
    {
      name: 'an unknown key',
      text: '{\n  "emulator": {"sed": "x"}\n}',
      line: 2,
      words: /did you mean seed\?/,
    },
    {
      name: 'an unknown key at the root',
      text: '{"lanch": "x"}',
      line: 1,
      words: /did you mean launch\?/,
    },
    {
      name: 'a host that is not an address',
      text: '{\n  "emulator": {"host": "emulator.example"}\n}',
      line: 2,
      words: /an IP address of this machine/,
    },
    {
      name: 'a duplicate name',
      text: '{\n  "emulator": {},\n  "emulator": {"port": 1}\n}',
      line: 3,
      words: /duplicate name.*keep one of them/,
    },
    { name: 'an array', text: '\n[]', line: 2, words: /must be an object, not an array/ },
    {
      name: 'an empty name',
      text: '{"emulator": {"seed": ""}}',
      line: 1,
      words: /must not be empty/,
    },
    {
      name: 'an invalid chaos',
      text: '{"emulator": {"chaos": 5}}',
      line: 1,
      words: /must be a seed in quotes, or an object with seed and share/,
    },
    {
      name: 'an unknown field of chaos',
      text: '{"emulator": {"chaos": {"seed": "1", "shar": 0.5}}}',
      line: 1,
      words: /"path":"\/emulator\/chaos\/shar".*did you mean share/,
    },
    {
      name: 'a share of chaos out of range',
      text: '{"emulator": {"chaos": {"seed": "1", "share": 5}}}',
      line: 1,
      words: /"path":"\/emulator\/chaos\/share".*must be from 0 to 1/,
    },
    {
      name: 'an unknown severity',
      text: '{"report": {"fail_on": "all"}}',
      line: 1,
      words: /error, warning/,
    },
  ])(
    'with an error ends every command that needs it with exit 3: $name',
    async ({ text, line, words }) => {
      const { below } = project(text);
      const { exit, stderr } = await lectern(['storage', 'get', 'member', '--json'], {
        cwd: below,
      });
      const { error } = JSON.parse(stderr) as { error: { findings: { line: number | null }[] } };
      expect([exit, error.findings.length > 0]).toEqual([3, true]);
      expect(stderr).toMatch(words);
      if (text.startsWith('\uFEFF')) return;
      expect(error.findings[0]?.line).toBe(line);
    },
  );

  test.each([
    '{"launch": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2ln"}',
    '{"token": "short"}',
    '{"ledger": "postgres://ann:secret-word@127.0.0.1/grades"}',
    '{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2ln": {"eyJhbGciOiJIUzI1NiJ9.x": 1}}',
    '{"emulator": {"tools": {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2ln": 5}}}',
  ])('with a secret is rejected, and the secret is not repeated: %s', async (text) => {
    const { below } = project(text);
    const { exit, stderr } = await lectern(['storage', 'get', 'member'], { cwd: below });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('must not contain secrets')]);
    expect(stderr).not.toMatch(/eyJhbG|short"|secret-word/);
  });

  test.each([
    'postgres://ann@127.0.0.1:1/grades?password=secret-word',
    'postgres://ann@127.0.0.1:1/grades?sslmode=require&passw%6Frd=secret-word',
    'postgres://ann@127.0.0.1:1/grades?PASSWD=secret-word',
    'postgres://ann@127.0.0.1:1/grades?sslpassword=secret-word',
    'postgres://ann:secret-word/part@127.0.0.1/grades',
    'host=127.0.0.1 user=ann password=secret-word dbname=grades',
  ])('with a password in the address of a ledger is rejected with its line: %s', async (ledger) => {
    const { below } = project({ ledger });
    const { exit, stderr } = await lectern(['grade', 'runs', '--json'], { cwd: below });
    const { error } = JSON.parse(stderr) as { error: { findings: object[] } };
    expect([exit, error.findings]).toEqual([
      3,
      [expect.objectContaining({ path: '/ledger', line: 2, code: 'project.invalid' })],
    ]);
    expect(stderr).not.toContain('secret-word');
  });

  test.each([
    ['help'],
    ['--version'],
    ['explain', 'limits'],
    ['validate', '--schema', 'row'],
    ['storage', 'get', '--help'],
    ['completion', 'bash'],
  ])('with an error does not affect %s', async (...args) => {
    const { below } = project('{"nothing": ');
    expect((await lectern(args, { cwd: below })).exit).toBe(0);
  });
});

/** Settings that reach further than a project file may, the command that uses each, and its way out. */
const REACHING = [
  {
    name: 'a launch file of a service',
    settings: { launch: 'launch.json' },
    line: 'storage get context',
    wayOut: '--launch FILE',
  },
  {
    name: 'a launch file outside of the project',
    settings: { launch: '../launch.json' },
    line: 'storage get context',
    wayOut: '--launch FILE',
  },
  {
    name: 'a launch file behind a link',
    settings: { launch: 'elsewhere/launch.json' },
    line: 'storage get context',
    wayOut: '--launch FILE',
  },
  {
    name: 'a saved launch, with LECTERN_TOKEN set',
    settings: { launch: 'teacher' },
    line: 'storage get context',
    env: { LECTERN_TOKEN: 'of-the-environment' },
    wayOut: '--launch teacher',
  },
  {
    name: 'a saved launch, with LECTERN_API_KEY set',
    settings: { launch: 'teacher' },
    line: 'grade submit --score 0.5 --member m1',
    env: { LECTERN_API_KEY: 'of-the-environment' },
    wayOut: '--launch teacher',
  },
  {
    name: 'the address of a ledger',
    settings: { ledger: 'postgres://127.0.0.1:1/grades' },
    line: 'grade runs',
    wayOut: '--ledger URL',
  },
  {
    name: 'a host that other machines reach',
    settings: { emulator: { host: '0.0.0.0' } },
    line: 'emulator start --memory',
    wayOut: '--host 0.0.0.0',
  },
  {
    name: 'a data folder outside of the project',
    settings: { emulator: { data: '../data' } },
    line: 'emulator start',
    wayOut: '--data FOLDER',
  },
  {
    name: 'a data folder behind a link to nothing',
    settings: { emulator: { data: 'nowhere' } },
    line: 'emulator start',
    wayOut: '--data FOLDER',
  },
  {
    name: 'a seed outside of the project',
    settings: { emulator: { seed: '/etc/hostname' } },
    line: 'emulator exec -- true',
    wayOut: '--seed FILE',
  },
  {
    name: 'the code of a tool behind a link',
    settings: { emulator: { tools: { sketch: 'elsewhere' } } },
    line: 'emulator exec -- true',
    wayOut: 'lectern emulator tool upload FOLDER --tool sketch',
  },
];

test.each(REACHING)(
  'a project file with $name is refused with its line and the flag for it, and nothing is sent',
  async ({ settings, line, env = {}, wayOut }) => {
    const home = temporaryFolder();
    const service = await startService(json(200, {}));
    const claims = JSON.stringify({
      iss: 'https://service.example',
      api: { token: 'of-the-launch' },
      storage: { context: `${service.origin}/contexts/c1/row` },
      grade: { submit: `${service.origin}/contexts/c1/members/m1/grade` },
    });
    const saved = await lectern(['launch', 'save', 'teacher'], { home, input: claims });
    expect(saved.exit).toBe(0);
    const { folder, below } = project(settings);
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'elsewhere'));
    symlinkSync(join(outside, 'missing'), join(folder, 'nowhere'));
    for (const each of [folder, outside]) writeFileSync(join(each, 'launch.json'), claims);
    const { exit, stderr } = await lectern(['--json', ...line.split(' ')], {
      home,
      cwd: below,
      env,
    });
    const [finding] = findingsIn(stderr);
    expect([exit, finding?.code]).toEqual([3, 'project.invalid']);
    expect(finding?.line).toBeGreaterThan(1);
    expect(finding?.hint).toContain(`to use it on purpose: ${wayOut}`);
    expect([service.requests, existsSync(join(outside, 'missing'))]).toEqual([[], false]);
  },
);

test.each([
  { settings: { launch: '../launch.json' }, line: 'storage get context --launch launch.json' },
  { settings: { ledger: 'postgres://127.0.0.1:1/grades' }, line: 'grade runs --ledger local' },
  {
    settings: { emulator: { seed: '/etc/hostname' } },
    line: 'emulator exec --seed example -- true',
  },
  { settings: { ledger: 'local' }, line: 'grade runs' },
])('a project file with $settings does not affect $line', async ({ settings, line }) => {
  const service = await startService(json(200, {}));
  const { below } = project(settings);
  const url = `${service.origin}/contexts/c1/row`;
  const claims = { iss: service.origin, api: { token: 'own' }, storage: { context: url } };
  writeFileSync(join(below, 'launch.json'), JSON.stringify(claims));
  const { exit, stderr } = await lectern(line.split(' '), { cwd: below });
  expect([exit, stderr]).toEqual([0, expect.any(String)]);
});

test.each([
  { LECTERN_LEDGER: 'postgres://127.0.0.1:1/grades?sslrootcert=ca.pem' },
  { LECTERN_LEDGER: 'postgres://127.0.0.1:1/grades', PGSSLROOTCERT: 'ca.pem' },
])('the authority of a ledger is not read from the current folder: %o', async (env) => {
  const { exit, stderr } = await lectern(['grade', 'runs'], { env });
  expect([exit, stderr]).toEqual([
    2,
    expect.stringMatching(/SSLROOTCERT has to be an absolute path/i),
  ]);
});

test('the launch of the project overrides launch use, but not the flag or the environment', async () => {
  const { home, run } = await emulated();
  for (const role of ['student', 'instructor', 'manager']) {
    expect((await run(`emulator launch --role ${role} --save ${role}`)).exit).toBe(0);
  }
  expect((await run('launch use student')).exit).toBe(0);
  const { folder, below } = project({ launch: 'instructor' });
  expect((await run(['launch', 'show'], { cwd: below })).stdout).toContain('instructor');
  const used = async (words: readonly string[], env = {}): Promise<unknown> => {
    const { stdout } = await run(['launch', 'check', ...words, '--json'], { cwd: below, env });
    return (JSON.parse(stdout) as { launch: string }).launch;
  };
  expect(await used([])).toBe('instructor');
  expect(await used(['-l', 'manager'])).toBe('manager');
  expect(await used([], { LECTERN_LAUNCH: 'student' })).toBe('student');

  const claims = (await run('emulator launch --role student')).stdout;
  writeFileSync(join(folder, 'claims.json'), claims);
  writeFileSync(join(folder, 'lectern.json'), '{"launch": "claims.json"}');
  const got = await run(['storage', 'get', 'member'], { cwd: below });
  expect([got.exit, home]).toEqual([0, home]);
});

test('an unknown launch of the project is rejected with the nearest saved name', async () => {
  const home = temporaryFolder();
  const input = JSON.stringify({ api: { token: 'a-token' } });
  expect((await lectern(['launch', 'save', 'teacher'], { home, input })).exit).toBe(0);
  const { folder, below } = project({ launch: 'techer' });
  const { exit, stderr } = await lectern(['storage', 'get', 'member'], { home, cwd: below });
  expect(exit).toBe(2);
  expect(stderr).toContain(`no saved launch or file named "techer" (in ${folder}/lectern.json)`);
  expect(stderr).toContain('did you mean teacher?');
  const shown = await lectern(['launch', 'show'], { home, cwd: below });
  expect([shown.exit, shown.stderr]).toEqual([
    2,
    expect.stringMatching(/no saved launch named "techer"\n.*did you mean teacher\?/),
  ]);
});

test('a data folder that is a file is rejected, in the project file and in the flag', async () => {
  const { folder, below } = project({ emulator: { data: 'kept' } });
  const file = join(folder, 'kept');
  writeFileSync(file, 'text');
  for (const args of [[], ['--data', file], ['--data', join(file, 'below')]]) {
    const { exit, stderr } = await lectern(['emulator', 'start', ...args], { cwd: below });
    expect([exit, stderr]).toEqual([3, expect.stringContaining(`${file} is a file, not a folder`)]);
  }
  expect(readFileSync(file, 'utf8')).toBe('text');
});

test.each([
  ['skech', 'no hosted tool skech', 'did you mean sketch?'],
  ['essay', 'no hosted tool essay', 'one of sketch'],
  ['sketch', 'there is no folder', 'nowhere'],
])(
  'emulator start and exec exit with 3 if the code of the tool %s cannot be uploaded',
  async (tool, ...words) => {
    const { below } = project({ emulator: { tools: { [tool]: 'nowhere' } } });
    for (const line of ['start --memory', 'exec -- true']) {
      const { exit, stderr } = await lectern(['emulator', ...line.split(' ')], { cwd: below });
      expect(exit).toBe(3);
      for (const each of words) expect(stderr).toContain(each);
    }
  },
);

test('emulator exec uses the seed and the code of a tool from the project, relative to its file', async () => {
  const seed = {
    tools: [{ id: 'sketch', hosted: true }],
    courses: [{ id: 'painting', students: 2, locations: [{ id: 'wall', tool: 'sketch' }] }],
  };
  const { folder, below } = project({
    emulator: { seed: 'seed.json', tools: { sketch: 'tool' } },
  });
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  mkdirSync(join(folder, 'tool'));
  writeFileSync(join(folder, 'tool', 'index.html'), '<p>sketch</p>');
  const script = `fetch(process.env.LECTERN_EMULATOR + '/_emulator/ready').then((r) => process.exit(r.ok ? 7 : 1))`;
  const { exit, stderr } = await lectern(
    ['emulator', 'exec', '--', process.execPath, '-e', script],
    { cwd: below },
  );
  expect([exit, stderr]).toEqual([7, expect.any(String)]);
  writeFileSync(join(folder, 'tool', 'lti.json'), '{}');
  writeFileSync(join(folder, 'seed.json'), '{"tools": []}');
  const refused = await lectern(['emulator', 'exec', '--', 'true'], { cwd: below });
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('seed.json')]);
});

describe('lectern init', () => {
  test('writes a valid file with --yes, and needs --force to replace one', async () => {
    const cwd = temporaryFolder();
    const first = await lectern(['init', '--yes', '--json'], { cwd });
    expect(first.exit).toBe(0);
    const file = join(cwd, 'lectern.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ emulator: { seed: 'example' } });
    writeFileSync(file, '{"launch": "mine"}');
    const again = await lectern(['init', '--yes'], { cwd });
    expect(again.exit).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('{"launch": "mine"}');
    expect(again.stderr).toContain('replace it with: lectern init --yes --force\n');
    expect((await lectern(['init', '--yes', '--force'], { cwd })).exit).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('example');
  });

  test.each([
    ['sketch', 0, { emulator: { seed: 'mine.json', port: 4000, tools: { sketch: 'dist' } } }],
    ['', 3, undefined],
  ])('asks on a terminal, and with the tool %j exits with %i', async (tool, exit, written) => {
    const cwd = temporaryFolder();
    const view = terminal(['init'], { cwd });
    for (const [question, answer] of [
      ['Seed file', 'mine.json'],
      ['Port', '4000'],
      ['Folder', 'dist'],
      ['ID of the tool', tool],
    ] as const) {
      await view.shows(question);
      view.type(`${answer}${KEYS.enter}`);
    }
    expect(await view.exit).toBe(exit);
    const file = join(cwd, 'lectern.json');
    const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    expect(found).toEqual(written);
  });

  test('without a terminal and without --yes is a usage error', async () => {
    const { exit, stderr } = await lectern(['init'], { cwd: temporaryFolder() });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('lectern init --yes')]);
  });
});

describe('validate seed', () => {
  test('accepts the example', async () => {
    const file = new URL('../../src/emulator/state/seed/example-seed.json', import.meta.url);
    const input = readFileSync(file, 'utf8');
    const { exit, stdout } = await lectern(['validate', 'seed', '--json'], { input });
    expect([exit, JSON.parse(stdout)]).toEqual([0, [{ source: '-', valid: true, findings: [] }]]);
  });

  test('accepts the schema that an editor reads', async () => {
    const input = '{"$schema": "seed.json", "tools": [{"id": "a"}], "courses": [{"id": "b"}]}';
    expect((await lectern(['validate', 'seed'], { input })).exit).toBe(0);
  });

  test('reports a duplicate name with its line', async () => {
    const input = '{\n "tools": [],\n "courses": [],\n "courses": []\n}';
    const { exit, stdout } = await lectern(['validate', 'seed', '--json'], { input });
    const [{ findings }] = JSON.parse(stdout) as [{ findings: object[] }];
    expect([exit, findings[0]]).toEqual([
      3,
      expect.objectContaining({ code: 'seed.invalid', path: '/courses', line: 4 }),
    ]);
  });

  test('reports an error with its line and the nearest name', async () => {
    const input = '{\n "tols": [],\n "courses": []\n}';
    const { exit, stdout } = await lectern(['validate', 'seed', '--json'], { input });
    const [{ findings }] = JSON.parse(stdout) as [{ findings: { code: string; line: number }[] }];
    expect([exit, findings[0]]).toEqual([3, expect.objectContaining({ code: 'seed.invalid' })]);
    expect(stdout).toContain('did you mean tools?');
  });
});
