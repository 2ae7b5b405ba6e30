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
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startBinary } from '../../support/binary.ts';
import { keptPorts } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { startService, text as answering } from '../../support/service.ts';
import { atTerminal, step, stepsAt } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { start, type Started, emulated } from './running.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

async function stop({ kill, ended }: Pick<Started, 'kill' | 'ended'>): Promise<void> {
  kill('SIGTERM');
  expect((await ended).exit).toBe(0);
}

describe('emulator start', () => {
  test('prints one line when it is ready, and its control token has the mode 0600', async () => {
    const home = temporaryFolder();
    const { ready, pid } = await start([], { home });
    const origin = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
    const urls = { base_url: ready.url, url: origin, blob_url: origin };
    expect(ready).toEqual({ ...urls, world: 'new', pid, data: join(home, 'emulator') });
    const record = join(home, 'emulators', `${new URL(ready.url).port}.json`);
    for (const file of [record, join(home, 'emulator', 'running-emulator.json')]) {
      expect(modeOf(file)).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toContain('control_token');
    }
    expect(JSON.stringify(ready)).not.toContain('token');
  });

  test('on a terminal says how to stop it, and stops at Ctrl-C', async () => {
    await atTerminal('emulator start --memory', {
      keys: { 'stop it with Ctrl-C': KEYS.interrupt },
      shows: [/^http:\/\/127\.0\.0\.1:\d+\ndata is kept in memory/, 'the emulator has stopped'],
    });
  });

  test('is refused on data that another emulator uses, and names that', async () => {
    const { home, step: at } = stepsAt();
    const { ready } = await start(['--data', join(home, 'mine')], { home });
    const used = `${home}/mine # exit 2: ${home}/mine is in use by process ${ready.pid}`;
    await at(`emulator start --data ${used}`);
    await at('emulator start --data /dev/null/x # exit 1: /dev/null/x cannot be used');
  });

  test('is refused on the port of another emulator of the home, and says how to stop that', async () => {
    const { started, step: at } = await emulated();
    const { url, pid } = started.ready;
    const { port } = new URL(url);
    await at(
      `emulator start --memory --port ${port} # exit 2: port ${port} is in use by an emulator of this home, process ${pid} … stop it with: lectern emulator stop --emulator ${url}; or omit --port`,
    );
  });
});

describe('emulator start without a writable record', () => {
  test.skipIf(process.platform !== 'linux')('names the home that contains its data', async () => {
    await step('emulator start # exit 1: set LECTERN_HOME to another folder', { home: '/proc/x' });
  });

  test('reports that and ends', async () => {
    const home = join(temporaryFolder(), 'home');
    writeFileSync(home, '');
    const given = { home, env: { TMPDIR: home } };
    await step(
      `emulator start --memory # exit 1: is where lectern keeps its state, and is not a folder
       emulator exec -- true # exit 1: ENOTDIR: not a directory`,
      given,
    );
  });
});

describe('emulator start --seed', () => {
  test('lists all errors of a seed by their position, and starts nothing', async () => {
    const { home, step: at } = stepsAt();
    const input = '{\n "tools": [{"id":"a b"}],\n "courses": [{"id":"c","studens":1}]\n}';
    const lines =
      'emulator start --seed - # exit 3: line 2, column 18 (/tools/0/id): must be an ID … line 3, column 34 (/courses/0/studens): unknown field "studens"';
    await at(lines, { input, lacks: ['body:', ' row '] });
    expect(existsSync(join(home, 'emulator'))).toBe(false);
  });

  test('example uses the built-in seed, but existing data overrides a seed', async () => {
    const home = temporaryFolder();
    const first = await start(['--seed', 'example'], { home });
    await step('emulator show members --limit 1', { home, stderr: /\(2\d\d in all\)/ });
    await stop(first);
    const keys = { 'the seed will be applied by emulator reset': KEYS.interrupt };
    await atTerminal('emulator start --seed example', { home, keys });
  });

  test('example is the built-in seed beside a folder of that name, and not beside a file', async () => {
    const folder = { 'example/a.txt': '' };
    await stepsAt({ files: folder }).step('emulator exec --seed example -- true');
    const project = { 'lectern.json': '{"emulator":{"seed":"example"}}', ...folder };
    await stepsAt({ files: project }).step('emulator exec -- true');
    const files = { example: '{' };
    await stepsAt({ files }).step('emulator exec --seed example -- true # exit 3');
  });
});

test('emulator start --session opens an export at a request, and leaves the file as it is', async () => {
  const { home, step: at } = await emulated();
  await at('emulator launch --save me\nstorage get member');
  const file = join(temporaryFolder(), 'session.db');
  await at(`emulator export --redact ${file} # exported all state and the traffic`);
  const before = readFileSync(file);
  const opened = await start(['--session', file, '--at', '1'], { home });
  expect(opened.ready).toMatchObject({ data: null, world: 'kept' });
  expect(opened.ready.console).toMatch(/\/_emulator\/console\/traffic\/1#code=[\w-]+/);
  const requests = `emulator requests --json --emulator ${opened.ready.url}`;
  await at(requests, { stdout: '"about":"member row"' });
  await stop(opened);
  expect(readFileSync(file).equals(before)).toBe(true);
});

describe('an emulator without a data folder', () => {
  test('reuses the ports of the last one of the home if they are free', async () => {
    const home = temporaryFolder();
    const first = await start(['--memory', ...(await keptPorts())], { home }, startBinary);
    first.kill('SIGKILL');
    await first.ended;
    expect(modeOf(join(home, 'memory-ports.json'))).toBe(0o600);
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
});

const CLOCK = 'emulator clock show';

describe('the selected emulator', () => {
  test('is the last one started under the home, or the named one', async () => {
    const { home, step: at } = stepsAt();
    const data = temporaryFolder();
    const { url: first } = (await start(['--data', data], { home })).ready;
    const { url: second } = (await start(['--memory'], { home })).ready;
    await at(`emulator clock set 2001-01-01\nemulator clock set 2002-02-02 --emulator ${first}`);
    for (const [flags, year, LECTERN_EMULATOR] of [
      ['', 2001],
      [`--emulator ${second}`, 2001],
      [`--emulator ${data}`, 2002],
      ['', 2002, first],
      [`--emulator ${first.toUpperCase()}`, 2002],
      ['', 2002, new URL(first).host],
    ] as const) {
      const env = { ...(LECTERN_EMULATOR && { LECTERN_EMULATOR }) };
      await at(`${CLOCK} ${flags}`, { env, stdout: new RegExp(`^${year}`) });
    }
    await at(`${CLOCK} --emulator http://127.0.0.1:1 # exit 2: no emulator of this user`);
  });

  test.each(['<html>', '{"clock": 1}'])(
    'is refused if another server answers: %s',
    async (body) => {
      const { origin } = await startService(answering(200, body));
      const env = { LECTERN_EMULATOR: origin, LECTERN_EMULATOR_TOKEN: 'token' };
      await step(`${CLOCK} # exit 8: the server at ${origin} does not answer as an emulator`, {
        env,
      });
    },
  );

  test('is not taken from a data folder whose record is a link or leads to another machine', async () => {
    const [home, data] = [temporaryFolder(), temporaryFolder()];
    await start(['--data', data], { home });
    const file = join(data, 'running-emulator.json');
    const text = readFileSync(file, 'utf8');
    const record = JSON.parse(text) as object;
    const refused = (reason: string) =>
      step(`${CLOCK} --emulator ${data} # exit 2: ${file} is not used: ${reason}`, { home });
    writeFileSync(file, JSON.stringify({ ...record, url: 'http://192.0.2.1:8080' }));
    await refused('it names http://192.0.2.1:8080, which is not on loopback');
    renameSync(file, `${file}.other`);
    symlinkSync(`${file}.other`, file);
    await refused('it is a link');
    rmSync(file);
    writeFileSync(file, text, { mode: 0o600 });
  });

  test('is none with a damaged record or an address on another machine', async () => {
    const { home, started, step: at } = await emulated();
    const record = join(home, 'emulators', `${new URL(started.ready.url).port}.json`);
    const whole = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
    const later = { ...whole, started: '2999-01-01T00:00:00.000Z' };
    const damaged: unknown[] = [
      null,
      { ...later, url: undefined },
      { ...later, url: 'http://127.0.0.1:1@service.example' },
      { ...later, control_token: 'a\nb: c' },
    ];
    const texts = [...damaged, later].map((each) => JSON.stringify(each));
    texts[damaged.length] = JSON.stringify(later).slice(0, 40);
    for (const [index, text] of texts.entries()) {
      writeFileSync(join(home, 'emulators', `${index}.json`), text);
    }
    await at(CLOCK, { stderr: '' });
    rmSync(record);
    await at(`${CLOCK} # exit 2: no emulator is running`);
  });

  test('a token is only sent to the emulator that it belongs to', async () => {
    const { step: at } = await emulated();
    const other = '{"iss": "https://service.example", "api": {"token": "elsewhere"}}';
    const files = { 'other.json': other };
    await at('LECTERN_EMULATOR_TOKEN=wrong emulator clock show # exit 4');
    await at('emulator token end ./other.json # exit 4: from https://service.example', { files });
  });
});

describe('an emulator named by its URL under another home', () => {
  /** A folder of temporary files, and the record of an emulator in it. */
  function elsewhere() {
    const env = { TMPDIR: temporaryFolder() };
    const recordAt = (url: string): string =>
      join(env.TMPDIR, `lectern-${process.getuid?.()}-emulator-${new URL(url).port}.json`);
    const asked = (url: string, exit: number) => step(`${CLOCK} --emulator ${url}`, { env, exit });
    return { env, recordAt, asked };
  }

  test('is found by the same user until it ends', async () => {
    const { env, recordAt, asked } = elsewhere();
    const started = await start(['--memory', ...(await keptPorts())], { env });
    const { url } = started.ready;
    expect(modeOf(recordAt(url))).toBe(0o600);
    await asked(url, 0);
    await step('emulator state', { env: { ...env, LECTERN_EMULATOR: url } });
    await stop(started);
    expect(readdirSync(env.TMPDIR)).toEqual([]);
    await asked(url, 2);
    // A link in place of the record of the next one is not followed.
    const target = join(temporaryFolder(), 'target');
    symlinkSync(target, recordAt(url));
    await start(['--memory', '--port', new URL(url).port], { env });
    expect(existsSync(target)).toBe(false);
    await asked(url, 2);
  });

  test('is not found through a record that is a link or readable by others', async () => {
    const { env, recordAt, asked } = elsewhere();
    const { url } = (await start(['--memory'], { env })).ready;
    chmodSync(recordAt(url), 0o644);
    await asked(url, 2);
    const target = join(temporaryFolder(), 'record');
    renameSync(recordAt(url), target);
    chmodSync(target, 0o600);
    symlinkSync(target, recordAt(url));
    await asked(url, 2);
  });
});
