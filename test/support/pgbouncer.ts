import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { NO_POSTGRES, POSTGRES_OWNER } from './postgres.ts';

/** Debian has it where no PATH of a user leads. */
const BINARY = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((file) => existsSync(file));

/** Why there is no PgBouncer for tests; undefined where there is. In CI there has to be one. */
export const NO_PGBOUNCER =
  NO_POSTGRES ??
  (BINARY !== undefined || process.env.CI ? undefined : 'no PgBouncer: install pgbouncer');

/** Lines of its configuration that differ from test to test. */
export interface PoolerSettings {
  readonly pool_mode: 'session' | 'transaction';
  readonly default_pool_size?: number;
  readonly query_wait_timeout?: number;
}

/**
 * Starts a PgBouncer of the test's own in front of a server; the URL through it. It lets in whom `users`
 * names, by name and password, without a password where none are given.
 */
export async function pooled(
  url: string,
  settings: PoolerSettings,
  users?: Readonly<Record<string, string>>,
): Promise<string> {
  const { hostname, port, username } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-pooler-'));
  const through = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: through,
    unix_socket_dir: '',
    auth_type: users ? 'scram-sha-256' : 'trust',
    auth_file: join(folder, 'users.txt'),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]`;
  const known = Object.entries(users ?? { [username]: '' });
  const files = {
    'pooler.ini': `${databases}\n${lines.join('\n')}\n`,
    'users.txt': known.map(([name, password]) => `"${name}" "${password}"\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o644 });
  }
  if (POSTGRES_OWNER.uid !== undefined) chownSync(folder, POSTGRES_OWNER.uid, POSTGRES_OWNER.gid);
  const pooler = spawn(BINARY ?? 'pgbouncer', [join(folder, 'pooler.ini')], {
    ...POSTGRES_OWNER,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    pooler.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await untilUp(pooler);
  return Object.assign(new URL(url), { port: String(through) }).href;
}

/** Its log is read to the end: it would wait where the pipe is full. */
function untilUp(pooler: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    pooler.once('error', reject);
    pooler.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000);
      if (log.includes('process up')) resolve();
    });
    pooler.once('close', () => reject(new Error(`PgBouncer did not start: ${log}`)));
  });
}
