import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBinary } from '../../support/binary.ts';
import { keptPorts } from '../../support/free-port.ts';
import { lectern, temporaryFolder, type RunResult } from '../../support/lectern.ts';
import { listening, startService, text as answering } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import type { State } from '../../emulator/documents.ts';
import { emulated, start } from './running.ts';

describe('emulator start', () => {
  test('prints one line when it is ready, and its control token has the mode 0600', async () => {
    const home = temporaryFolder();
    const { ready, pid } = await start([], { home });
    expect(ready).toEqual({
      base_url: ready.url,
      world: 'new',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      blob_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid,
      data: join(home, 'emulator'),
    });
    const record = join(home, 'emulators', `${new URL(ready.url).port}.json`);
    for (const file of [record, join(home, 'emulator', 'running-emulator.json')]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toContain('control_token');
    }
    expect(JSON.stringify(ready)).not.toContain('token');
  });

  test('ends during a delayed response', async () => {
    const { started, run, json } = await emulated();
    await run('emulator launch --save me');
    await run('emulator fault --path . --delay 600000 --times 9');
    const call = run('storage get member');
    // The call has succeeded; its answer is held up.
    const isCalled = async (): Promise<boolean> => {
      const [token] = (await json<State>('emulator state')).tokens;
      return token !== undefined && token.last_call > token.issued;
    };
    await expect.poll(isCalled).toBe(true);
    started.kill('SIGTERM');
    expect((await started.ended).exit).toBe(0);
    expect((await call).exit).toBe(8);
  });

  test('on a terminal says how to stop it, and stops at Ctrl-C', async () => {
    const view = terminal(['emulator', 'start', '--memory'], { home: temporaryFolder() });
    await view.shows('stop it with Ctrl-C');
    expect(view.screen()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\ndata is kept in memory/);
    view.type(KEYS.interrupt);
    expect(await view.exit).toBe(0);
    expect(view.screen()).toContain('the emulator has stopped');
  });

  test('is refused on data that another emulator uses, and names that', async () => {
    const home = temporaryFolder();
    const data = join(home, 'mine');
    const { ready } = await start(['--data', data], { home });
    const { exit, stderr } = await lectern(['emulator', 'start', '--data', data], { home });
    expect(exit).toBe(2);
    expect(stderr).toContain(`${data} is in use by process ${ready.pid}`);
  });

  test('is refused on a folder with files of its own, and leaves them', async () => {
    const [home, data] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(data, 'notes.txt'), 'notes');
    const { exit, stderr } = await lectern(['emulator', 'start', '--data', data], { home });
    expect([exit, stderr]).toEqual([
      1,
      `lectern: ${data} is not used: it is not empty, and it is not the data folder of an emulator\n` +
        '  use another --data folder\n',
    ]);
    expect(readdirSync(data)).toEqual(['notes.txt']);
  });

  test('is refused on a port in use', async () => {
    const port = await listening(createServer());
    // Node's warnings are on standard error too, such as too many listeners on a server.
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const { exit, stderr } = await lectern(['emulator', 'start', '--memory', '--port', `${port}`]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`port ${port} is in use`);
    expect(warnings).toEqual([]);
  });

  test('is refused on the port of another emulator of the home, and says how to stop that', async () => {
    const home = temporaryFolder();
    const { ready } = await start(['--memory'], { home });
    const port = new URL(ready.url).port;
    const second = await lectern(['emulator', 'start', '--memory', '--port', port], { home });
    expect([second.exit, second.stderr]).toEqual([
      2,
      `lectern: port ${port} is in use by an emulator of this home, process ${ready.pid}\n` +
        `  stop it with: lectern emulator stop --emulator ${ready.url}; or omit --port to use a free port\n` +
        '  see lectern emulator start --help\n',
    ]);
  });

  test.each([
    [['--memory', '--data', 'x'], 2, 'cannot be used together'],
    [['--port', '65536'], 2, 'a whole number from 0 to 65535'],
    [['--seed', 'nowhere.json'], 2, 'nowhere.json'],
    [['--data', '/dev/null/x'], 1, '/dev/null/x cannot be used'],
  ])('rejects %j', async (args, code, words) => {
    const { exit, stderr } = await lectern(['emulator', 'start', ...args]);
    expect([exit, stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});

describe('emulator start without a writable record', () => {
  test.skipIf(process.platform !== 'linux')('names the home that contains its data', async () => {
    const { exit, stderr } = await lectern(['emulator', 'start'], { home: '/proc/x' });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining('set LECTERN_HOME to another folder'),
    ]);
  });

  test.each([
    ['start', ['start', '--memory'], 'is where lectern keeps its state, and is not a folder'],
    ['exec', ['exec', '--', 'true'], 'ENOTDIR: not a directory'],
  ])('reports that and ends: %s', async (_, args, message) => {
    const home = join(temporaryFolder(), 'home');
    writeFileSync(home, '');
    const env = { TMPDIR: home };
    const { exit, stderr } = await lectern(['emulator', ...args], { home, env });
    expect([exit, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test('ends if its home was replaced by a file', async () => {
    const home = join(temporaryFolder(), 'home');
    const { kill, ended } = await start(['--memory'], { home });
    rmSync(home, { recursive: true });
    writeFileSync(home, '');
    kill('SIGTERM');
    expect(await ended).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('cannot be written to'),
    });
  });
});

describe('emulator start --seed', () => {
  test('lists all errors of a seed by their position, and starts nothing', async () => {
    const home = temporaryFolder();
    const seed = join(home, 'seed.json');
    writeFileSync(seed, '{\n "tools": [{"id":"a b"}],\n "courses": [{"id":"c","studens":1}]\n}');
    const { exit, stderr } = await lectern(['emulator', 'start', '--seed', seed], { home });
    expect(exit).toBe(3);
    expect(stderr).toContain('line 2, column 18 (/tools/0/id): must be an ID');
    expect(stderr).toContain('line 3, column 34 (/courses/0/studens): unknown field "studens"');
    expect(existsSync(join(home, 'emulator'))).toBe(false);
  });

  test.each([
    ['[]', 'must be an object, not an array; its fields are $schema, tools, courses'],
    ['{', 'the text ends inside an object'],
  ])('that is %s has its own error message', async (text, words) => {
    const seed = join(temporaryFolder(), 'seed.json');
    writeFileSync(seed, text);
    const { exit, stderr } = await lectern(['emulator', 'start', '--seed', seed]);
    expect([exit, stderr]).toEqual([3, expect.stringContaining(words)]);
    expect(stderr).not.toMatch(/body:|\brow\b/);
  });

  test('example uses the built-in seed, but existing data overrides a seed', async () => {
    const home = temporaryFolder();
    const first = await start(['--seed', 'example'], { home });
    const { stdout } = await lectern(['emulator', 'state', '--json'], { home });
    expect(JSON.parse(stdout).members.length).toBeGreaterThan(200);
    first.kill('SIGTERM');
    await first.ended;
    const view = terminal(['emulator', 'start', '--seed', 'example'], { home });
    await view.shows('the seed will be applied by emulator reset');
    view.type(KEYS.interrupt);
    expect(await view.exit).toBe(0);
  });
});

describe('emulator start --session', () => {
  test('opens an export at a request, and leaves the file as it is', async () => {
    const { home, run } = await emulated();
    await run('emulator launch --save me');
    await run('storage get member');
    const file = join(temporaryFolder(), 'session.db');
    const { stderr } = await run(['emulator', 'export', '--redact', file]);
    expect(stderr).toContain('exported all state and the traffic');
    const before = readFileSync(file);
    const { ready, kill, ended } = await start(['--session', file, '--at', '1'], { home });
    expect(ready).toMatchObject({ data: null, world: 'kept' });
    expect(ready.console).toMatch(/\/_emulator\/console\/traffic\/1#code=\w+/);
    const shown = await run(['emulator', 'requests', '--json', '--emulator', ready.url]);
    expect(shown.stdout).toContain('"about":"member row"');
    kill('SIGTERM');
    await ended;
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test.each<[name: string, flags: string[], exit: number, why: string]>([
    ['of no file', ['--session', 'none.db'], 2, 'none.db cannot be read'],
    ['of a damaged file', ['--session', 'package.json'], 3, 'not a valid export'],
    ['of a folder', ['--session', '.'], 2, '. cannot be read'],
    ['with a data folder', ['--session', 'a.db', '--data', 'b'], 2, '--data'],
    ['that is missing for --at', ['--at', '3', '--memory'], 2, 'add --session FILE'],
  ])('%s is refused', async (_, flags, exit, why) => {
    const refused = await lectern(['emulator', 'start', ...flags], { home: temporaryFolder() });
    expect([refused.exit, refused.stderr]).toEqual([exit, expect.stringContaining(why)]);
  });
});

describe('an emulator without a data folder', () => {
  test('reuses the ports of the last one of the home if they are free', async () => {
    const home = temporaryFolder();
    const first = await start(['--memory', ...(await keptPorts())], { home }, startBinary);
    first.kill('SIGKILL');
    await first.ended;
    expect(statSync(join(home, 'memory-ports.json')).mode & 0o777).toBe(0o600);
    const second = await start(['--memory'], { home });
    expect([second.ready.url, second.ready.blob_url]).toEqual([
      first.ready.url,
      first.ready.blob_url,
    ]);
    const third = await start(['--memory'], { home });
    expect(third.ready.url).not.toBe(second.ready.url);
    const other = await start(['--memory'], { home: temporaryFolder() });
    expect([second.ready.url, third.ready.url]).not.toContain(other.ready.url);
  });

  test('starts even if the file of the last ports is damaged', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'memory-ports.json'), '{"api":');
    expect((await start(['--memory'], { home })).ready.url).toMatch(/^http:/);
  });
});

describe('the selected emulator', () => {
  const clock = ['emulator', 'clock', 'show'];

  test('is the last one started under the home, or the named one', async () => {
    const home = temporaryFolder();
    const data = temporaryFolder();
    const first = await start(['--data', data], { home });
    const second = await start(['--memory'], { home });
    const set = (iso: string, ...more: string[]) =>
      lectern(['emulator', 'clock', 'set', iso, ...more], { home });
    expect((await set('2001-01-01')).exit).toBe(0);
    expect((await set('2002-02-02', '--emulator', first.ready.url)).exit).toBe(0);
    const shown = async (args: string[], env = {}) =>
      (await lectern([...clock, ...args], { home, env })).stdout.slice(0, 10);
    expect(await shown([])).toBe('2001-01-01');
    expect(await shown(['--emulator', second.ready.url])).toBe('2001-01-01');
    expect(await shown(['--emulator', data])).toBe('2002-02-02');
    expect(await shown([], { LECTERN_EMULATOR: first.ready.url })).toBe('2002-02-02');
    expect(await shown(['--emulator', first.ready.url.toUpperCase()])).toBe('2002-02-02');
    const { host } = new URL(first.ready.url);
    expect(await shown([], { LECTERN_EMULATOR: host })).toBe('2002-02-02');
    const unknown = await lectern([...clock, '--emulator', 'http://127.0.0.1:1'], { home });
    expect([unknown.exit, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('no emulator of this user'),
    ]);
  });

  test.each([
    { server: 'with HTML', status: 200, body: '<html>' },
    { server: 'with JSON', status: 200, body: '{"clock": 1}' },
    { server: 'with an error', status: 404, body: '{"message": "Not Found"}' },
  ])('is refused if another server answers there $server', async ({ status, body }) => {
    const { origin } = await startService(answering(status, body));
    const env = { LECTERN_EMULATOR: origin, LECTERN_EMULATOR_TOKEN: 'token' };
    const { exit, stderr } = await lectern(clock, { env });
    expect([exit, stderr]).toEqual([
      8,
      expect.stringContaining(`the server at ${origin} does not answer as an emulator`),
    ]);
  });

  test.each([
    {
      name: 'is a link',
      change: (file: string) => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
      },
      reason: 'it is a link',
    },
    {
      name: 'leads to another machine',
      change: (file: string) => {
        const record = JSON.parse(readFileSync(file, 'utf8')) as object;
        writeFileSync(file, JSON.stringify({ ...record, url: 'http://192.0.2.1:8080' }));
      },
      reason: 'it names http://192.0.2.1:8080, which is not on loopback',
    },
  ])('is not taken from a data folder whose record $name', async ({ change, reason }) => {
    const [home, data] = [temporaryFolder(), temporaryFolder()];
    await start(['--data', data], { home });
    const file = join(data, 'running-emulator.json');
    change(file);
    const { exit, stderr } = await lectern([...clock, '--emulator', data], { home });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`${file} is not used: ${reason}`)]);
  });

  test('is none with a damaged record or an address on another machine', async () => {
    const home = temporaryFolder();
    const { ready } = await start(['--memory'], { home });
    const folder = join(home, 'emulators');
    const whole = JSON.parse(
      readFileSync(join(folder, `${new URL(ready.url).port}.json`), 'utf8'),
    ) as Record<string, unknown>;
    const later = { ...whole, started: '2999-01-01T00:00:00.000Z' };
    const damaged: unknown[] = [
      {},
      {},
      null,
      [],
      'text',
      { ...later, url: undefined },
      { ...later, url: 'http://127.0.0.1:65536' },
      { ...later, url: 'http://service.example:80' },
      { ...later, url: 'http://127.0.0.1:1@service.example' },
      { ...later, control_token: 'a\nb: c' },
      { ...later, started: 5 },
      { ...later, data: {} },
    ];
    for (const [index, record] of damaged.entries()) {
      writeFileSync(join(folder, `${index}.json`), JSON.stringify(record));
    }
    writeFileSync(join(folder, 'half.json'), JSON.stringify(later).slice(0, 40));
    const shown = await lectern(clock, { home });
    expect([shown.exit, shown.stderr]).toEqual([0, '']);
    rmSync(join(folder, `${new URL(ready.url).port}.json`));
    const none = await lectern(clock, { home });
    expect([none.exit, none.stderr]).toEqual([
      2,
      expect.stringContaining('no emulator is running'),
    ]);
  });

  test('a token is only sent to the emulator that it belongs to', async () => {
    const { home, run } = await emulated();
    const file = join(home, 'other.json');
    const claims = { iss: 'https://service.example', api: { token: 'elsewhere' } };
    writeFileSync(file, JSON.stringify(claims));
    const { exit, stderr } = await run(['emulator', 'token', 'end', file]);
    expect([exit, stderr]).toEqual([4, expect.stringContaining('from https://service.example')]);
  });
});

describe('an emulator named by its URL under another home', () => {
  /** What lies among the machine's temporary files of an emulator. */
  const recordAt = (url: string, { TMPDIR }: { TMPDIR: string }): string =>
    join(TMPDIR, `lectern-${process.getuid?.()}-emulator-${new URL(url).port}.json`);
  const askedAt = (url: string, env: Record<string, string>): Promise<RunResult> =>
    lectern(['emulator', 'clock', 'show', '--emulator', url], { env });

  test('is found by the same user until it ends', async () => {
    const env = { TMPDIR: temporaryFolder() };
    const { ready, kill, ended } = await start(['--memory'], { env });
    expect(statSync(recordAt(ready.url, env)).mode & 0o777).toBe(0o600);
    expect((await askedAt(ready.url, env)).exit).toBe(0);
    const named = { ...env, LECTERN_EMULATOR: ready.url };
    expect((await lectern(['emulator', 'state'], { env: named })).exit).toBe(0);
    kill('SIGTERM');
    await ended;
    expect(readdirSync(env.TMPDIR)).toEqual([]);
    expect((await askedAt(ready.url, env)).exit).toBe(2);
  });

  test.each<[string, (record: string, elsewhere: string) => void]>([
    [
      'a link',
      (record, elsewhere) => (renameSync(record, elsewhere), symlinkSync(elsewhere, record)),
    ],
    ['readable by others', (record) => chmodSync(record, 0o644)],
  ])('is not found through a record that is %s', async (_, change) => {
    const env = { TMPDIR: temporaryFolder() };
    const { ready } = await start(['--memory'], { env });
    change(recordAt(ready.url, env), join(temporaryFolder(), 'record'));
    expect((await askedAt(ready.url, env)).exit).toBe(2);
  });

  test('is ignored if another kind of file has the name of its record', async () => {
    const env = { TMPDIR: temporaryFolder() };
    const first = await start(['--memory', ...(await keptPorts())], { env });
    const { url } = first.ready;
    first.kill('SIGTERM');
    await first.ended;
    const target = join(temporaryFolder(), 'target');
    symlinkSync(target, recordAt(url, env));
    await start(['--memory', '--port', new URL(url).port], { env });
    expect(existsSync(target)).toBe(false);
    expect((await askedAt(url, env)).exit).toBe(2);
  });
});
