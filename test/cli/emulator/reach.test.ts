import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, keptPorts } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { OWN_ADDRESS } from '../../support/own-address.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { listening } from '../../support/service.ts';
import { type Expected, linesIn, step } from '../../support/steps.ts';
import { terminal } from '../../support/terminal.ts';
import { start } from './running.ts';

/** An address of this machine that other machines reach, if it has one. */
const OPEN = OWN_ADDRESS ?? '0.0.0.0';

/** Another machine: with its own home and folder for temporary files. */
function elsewhere(line: string, env: Record<string, string> = {}, expected: Expected = {}) {
  return step(line, { env: { TMPDIR: temporaryFolder(), ...env }, ...expected });
}

const recordsIn = (home: string): string[] => readdirSync(join(home, 'emulators'));

describe('emulator start', () => {
  test.each(
    linesIn(`
    --host=emulator.example # exit 2: expected an IP address of this machine
    --host= # exit 2: expected an IP address of this machine
    --host=127.1 # exit 2: expected an IP address of this machine
    --host=198.51.100.7 # exit 2: 198.51.100.7 is not an address of this machine
    --host=255.255.255.255 # exit 2: 255.255.255.255 is not an address of this machine
    --public-url=http://emulator:8080/path # exit 2: without a path
    --public-url=emulator:8080 # exit 2: is not an http or https URL
    --public-url=http://emulator:99999 # exit 2: malformed
    --public-blob-url=ftp://emulator # exit 2: is not an http or https URL
    --port 65536 # exit 2: a whole number from 0 to 65535
    --blob-port=65536 # exit 2: a whole number from 0 to 65535
    --tool-port=0 # exit 2: a whole number from 1 to 65535
    --port 4000 --blob-port 4000 # exit 2: --port and --blob-port are the same
    --port 4000 --tool-port 4000 # exit 2: --port and --tool-port are the same
    --public-url http://a --public-blob-url HTTP://A/ # exit 2: --public-url and --public-blob-url are
    --seed example --tool-port 65535 # exit 2: --tool-port 65535 is too high
    --data x # exit 2: cannot be used with
    --seed nowhere.json # exit 2: nowhere.json
    --session a.db --data b # exit 2: --data
    --session none.db # exit 2: none.db cannot be read
    --session package.json # exit 3: not a valid export
    --session . # exit 2: . cannot be read
    --at 3 # exit 2: add --session FILE`),
  )('emulator start --memory %s', async (flags) => {
    await step(`emulator start ${flags.includes('--session') ? '' : '--memory'} ${flags}`);
  });

  test('names the flag whose port is in use', async () => {
    const port = await listening(createServer());
    // Node's warnings are on standard error too, such as too many listeners on a server.
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    for (const flag of ['--port', '--blob-port', '--tool-port']) {
      const stderr = [`port ${port} is in use`, `omit ${flag}`];
      await step(`emulator start --memory ${flag} ${port}`, { exit: 2, stderr });
    }
    expect(warnings).toEqual([]);
  });

  test('listens on the given ports, and prints the URLs of launches', async () => {
    const home = temporaryFolder();
    const [port, blobPort] = [await freePort(), await freePort()];
    const ports = ['--port', `${port}`, '--blob-port', `${blobPort}`];
    const { ready } = await start(['--memory', ...ports, '--public-url', 'http://emulator:8080/'], {
      home,
    });
    expect(ready).toMatchObject({
      base_url: 'http://emulator:8080',
      url: `http://127.0.0.1:${port}`,
      blob_url: `http://127.0.0.1:${blobPort}`,
    });
    const env = { LECTERN_EMULATOR: 'http://emulator:8080' };
    await step('emulator clock show', { home, env });
    await step('emulator launch', { home, env, json: { iss: 'http://emulator:8080' } });
  });
});

describe('an emulator that other machines can reach', () => {
  test('creates and prints a token, which only commands of its home have', async () => {
    const home = temporaryFolder();
    const env = { TMPDIR: temporaryFolder() };
    const { ready } = await start(['--memory', '--host', OPEN], { home, env });
    const { url, token = '' } = ready;
    expect(token.length).toBeGreaterThan(20);
    const [record = ''] = recordsIn(home);
    expect(statSync(join(home, 'emulators', record)).mode & 0o777).toBe(0o600);
    await step('emulator state', { home });
    expect(readdirSync(env.TMPDIR)).toEqual([]);

    const named = { ...env, LECTERN_EMULATOR: url };
    await step('emulator state # exit 4: set LECTERN_EMULATOR_TOKEN', { env: named });
    const wrong =
      'LECTERN_EMULATOR_TOKEN=wrong emulator state # exit 4: was started with another token';
    await elsewhere(wrong, named, { lacks: token });
    const lines = 'emulator state\nemulator env --launch student --format json';
    const json = { LECTERN_EMULATOR: url };
    await elsewhere(lines, { ...named, LECTERN_EMULATOR_TOKEN: token }, { json });
  });

  test('requires the token on loopback too if it listens on all addresses, but not to wait', async () => {
    const { ready } = await start(['--memory', '--host', '0.0.0.0'], {});
    const { url, token = '' } = ready;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const statusOf = async (name: string): Promise<number> =>
      (await fetch(`${url}/_emulator/${name}`)).status;
    expect(await statusOf('ready')).toBe(200);
    expect(await statusOf('openapi.json')).toBe(401);
    expect(await statusOf('openapi-control.json')).toBe(401);
    const named = { LECTERN_EMULATOR: url };
    const right = { ...named, LECTERN_EMULATOR_TOKEN: token };
    await elsewhere('emulator wait\nemulator state # exit 4\nemulator stop # exit 4', named);
    await elsewhere('emulator stop # exit 4', { ...named, LECTERN_EMULATOR_TOKEN: 'wrong' });
    // An unknown host name is refused, and the hint names the flag that adds it.
    const LECTERN_EMULATOR = `http://[::ffff:127.0.0.1]:${new URL(url).port}`;
    await elsewhere('emulator state # exit 5: --public-url', { ...right, LECTERN_EMULATOR });
    await elsewhere('emulator state\nemulator stop', right);
  });

  test('uses the token of the environment, and does not print it', async () => {
    const home = temporaryFolder();
    const env = { LECTERN_EMULATOR_TOKEN: 'token-of-the-team' };
    const started = await start(['--memory', '--host', OPEN], { home, env });
    expect(started.ready).not.toHaveProperty('token');
    const named = { LECTERN_EMULATOR: started.ready.url, ...env };
    const lacks = 'token-of-the-team';
    await elsewhere('emulator clock advance 1h --verbose', named, { lacks });
    started.kill('SIGTERM');
    const { stdout, stderr } = await started.ended;
    expect(stdout + stderr).not.toContain(lacks);
  });

  test('prints the token once on a terminal, in a line for a shell', async () => {
    const home = temporaryFolder();
    const view = terminal(['emulator', 'start', '--memory', '--host', '0.0.0.0'], { home });
    await view.shows('stop it with Ctrl-C');
    const screen = view.screen();
    const token = /^LECTERN_EMULATOR_TOKEN=(\S+)$/m.exec(screen)?.[1] ?? '';
    expect(screen.split(token)).toHaveLength(2);
    expect(screen).toContain('set --public-url');
    await step('emulator stop', { home });
    expect(await view.exit).toBe(0);
  });

  test('makes commands exit with 8 if it has ended and there is a token, and with 4 without one', async () => {
    const named = { LECTERN_EMULATOR: `http://${OPEN}:1` };
    await elsewhere('LECTERN_EMULATOR_TOKEN=any emulator state # exit 8', named);
    if (OWN_ADDRESS !== undefined) await elsewhere('emulator state # exit 4', named);
  });
});

describe('LECTERN_EMULATOR_TOKEN', () => {
  test.each(['two words', 'line\nbreak', 'schlüssel'])(
    'is a usage error if it is not valid in a header, and is not printed: %j',
    async (token) => {
      const env = { LECTERN_EMULATOR_TOKEN: token };
      for (const line of ['emulator start --memory', 'emulator state']) {
        await step(line, { env, exit: 2, lacks: token });
      }
    },
  );
});

describe('emulator wait', () => {
  test('returns once the named emulator has started', async () => {
    const home = temporaryFolder();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const waiting = elsewhere('emulator wait', { LECTERN_EMULATOR: url });
    const inHome = step('emulator wait --json', { home, json: { url } });
    await start(['--memory', '--port', `${port}`], { home });
    expect((await waiting).stdout).toBe(`${url}\n`);
    await inHome;
  });

  test('exits with 8 if no emulator starts in time', async () => {
    const wait = 'emulator wait --timeout 0.1';
    await elsewhere(`
      ${wait} # exit 8: no emulator is ready in this home after 0.1 s
      LECTERN_EMULATOR=http://127.0.0.1:1 ${wait} # exit 8: no emulator is ready at http://127.0.0.1:1
      LECTERN_EMULATOR=/nowhere ${wait} # exit 8: no emulator is ready at /nowhere after 0.1 s`);
  });

  test('can be interrupted', async () => {
    await step('emulator wait', {
      started: ({ kill }) => kill('SIGINT'),
      exit: 130,
    });
  });
});

test('a command ends by --timeout though bytes keep coming', async () => {
  const server = await startRawServer({
    answer: function* () {
      yield 'HTTP/1.1 200 OK\r\n\r\n';
      for (;;) {
        yield ' ';
        yield { wait: 50 };
      }
    },
  });
  const env = { LECTERN_EMULATOR: server.origin, LECTERN_EMULATOR_TOKEN: 'x' };
  await elsewhere('emulator state --timeout 0.3', env, {
    exit: 8,
    stderr: 'no answer within 0.3 s',
  });
});

describe('emulator stop', () => {
  test('ends the emulator, and frees its port, record and data', async () => {
    const home = temporaryFolder();
    const first = await start(await keptPorts(), { home });
    await step('emulator stop --json', { home, json: { stopped: first.ready.url } });
    expect(recordsIn(home)).toEqual([]);
    expect((await first.ended).exit).toBe(0);
    const again = await start(['--port', new URL(first.ready.url).port], { home });
    expect(again.ready.world).toBe('kept');
  });

  test('prints a note and exits with 0 if none is running', async () => {
    await elsewhere(`
      emulator stop # no emulator is running
      LECTERN_EMULATOR=http://127.0.0.1:1 emulator stop # no emulator is running
      LECTERN_EMULATOR=http://${OPEN}:1 LECTERN_EMULATOR_TOKEN=any emulator stop`);
  });
});

describe('emulator env', () => {
  test('prints the public URL and writes a launch of the role to a file that only the user can read', async () => {
    const home = join(temporaryFolder(), "o'home");
    mkdirSync(home);
    await start(['--memory', '--public-url', 'http://emulator:8080'], { home });
    const { stdout } = await step('emulator env --launch instructor', { home });
    const file = join(home, 'emulators', 'launch-instructor-emulator_8080.json');
    expect(stdout).toBe(
      `export LECTERN_EMULATOR='http://emulator:8080'\nexport LECTERN_LAUNCH='${file.replace("'", String.raw`'\''`)}'\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      user: { groups: ['instructor'] },
    });
    for (const [format, text] of [
      ['pwsh', "$env:LECTERN_EMULATOR = 'http://emulator:8080'\n"],
      ['dotenv', 'LECTERN_EMULATOR=http://emulator:8080\n'],
      ['json', '{"LECTERN_EMULATOR":"http://emulator:8080"}'],
    ] as const) {
      await step(`emulator env --format ${format}`, { home, stdout: text });
    }
    await step('emulator stop', { home });
    expect(existsSync(file)).toBe(false);
  });

  test('without an emulator exits with 8, and rejects wrong flags', async () => {
    await elsewhere(`
      emulator env # exit 8: no emulator is running in this home
      emulator env --launch teacher # exit 2: --launch takes a role here
      emulator env --format yaml # exit 2: sh, pwsh, dotenv, json
      emulator env --json --format sh # exit 2: cannot be used together`);
  });
});

describe('the record of a killed emulator', () => {
  const dead = { pid: 1, data: null, started: '2026-01-01T00:00:00.000Z' };
  const url = 'http://127.0.0.1:1';
  const record = { ...dead, url, public_url: url, blob_url: url, control_token: 'x' };

  function homeWithIt(): string {
    const home = temporaryFolder();
    mkdirSync(join(home, 'emulators'));
    writeFileSync(join(home, 'emulators', '1.json'), JSON.stringify(record));
    writeFileSync(join(home, 'emulators', 'launch-student-127.0.0.1_1.json'), '{}');
    return home;
  }

  test('does not lead a change to another emulator', async () => {
    const home = homeWithIt();
    const { ready } = await start(['--memory'], { home });
    const stale = { ...record, started: '2999-01-01T00:00:00.000Z' };
    const file = join(home, 'emulators', '1.json');
    writeFileSync(file, JSON.stringify(stale));
    const stderr = `repeat the command for the emulator at ${ready.url}`;
    await step('emulator clock advance 1h', { home, exit: 8, stderr });
    writeFileSync(file, JSON.stringify(stale));
    await step('emulator clock show', { home, stderr: `at ${ready.url}` });
    await step('emulator clock advance 1h', { home });
  });

  test('that runs stays when a command is interrupted before it calls it', async () => {
    const home = temporaryFolder();
    await start(['--memory'], { home });
    await step('emulator state', {
      home,
      started: ({ kill }) => kill('SIGINT'),
      exit: 130,
    });
    expect(recordsIn(home)).toHaveLength(1);
  });
});
