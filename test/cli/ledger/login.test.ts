import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newLedger, postgresOfFile, run as sql } from '../../ledger/postgres/support.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { LOCALHOST_PEM } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { errorOf } from './support.ts';

const PASSWORD = 'CANARY-password-%:\\7f';

const OTHERS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** Why these are left out; they need a server with settings of its own. */
const CANNOT = NO_POSTGRES ?? (process.env.LECTERN_TEST_PG && 'LECTERN_TEST_PG names the server');

const PEM = readFileSync(LOCALHOST_PEM, 'utf8');
const CERTIFICATE =
  /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----\n/.exec(PEM)?.[0] ?? '';

describe.skipIf(CANNOT)(`a login with TLS and a password ${CANNOT ?? ''}`, () => {
  const postgres = postgresOfFile(
    {
      listen_addresses: '127.0.0.1,127.0.0.2',
      // As long as a login may take.
      authentication_timeout: '600',
      ssl: 'on',
      ssl_cert_file: 'server.pem',
      ssl_key_file: 'server.pem',
    },
    {
      'server.pem': PEM,
      'pg_hba.conf': `host all owner 127.0.0.1/32 trust
        hostssl all all 127.0.0.0/8 scram-sha-256`,
    },
  );

  /** A ledger with a login that has a password, and what is said of it on either stream. */
  async function secured() {
    const admin = await newLedger(postgres);
    const name = new URL(admin).pathname.slice(1);
    await sql(admin, `CREATE ROLE ${name}_x LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_read_all_data`);
    const home = temporaryFolder();
    const authority = join(home, 'authority.pem');
    writeFileSync(authority, CERTIFICATE);
    const outputs: string[] = [];
    const address = (more: { host?: string; password?: string; ca?: boolean } = {}): string => {
      const url = new URL(admin);
      url.username = `${name}_x`;
      url.hostname = more.host ?? '127.0.0.1';
      if (more.password !== undefined) url.password = encodeURIComponent(more.password);
      url.searchParams.set('sslmode', 'require');
      if (more.ca !== false) url.searchParams.set('sslrootcert', authority);
      return url.href;
    };
    const run = async (args: string[], env: Record<string, string> = {}, input = '') => {
      const options = { home, input, env: { LECTERN_KEYCHAIN: 'off', ...env } };
      const result = await lectern(args, options);
      outputs.push(result.stdout, result.stderr);
      return result;
    };
    const hidden = (): void => {
      expect(outputs.join('')).not.toMatch(/CANARY/);
    };
    return { admin, home, authority, said: outputs, address, run, hidden };
  }

  const STATUS = ['ledger', 'status', '--json'];

  test('verifies the certificate and the host', async () => {
    const { authority, address, run, hidden } = await secured();
    const password = PASSWORD;
    const status = await run(STATUS, { LECTERN_LEDGER: address({ password }) });
    expect([status.exit, JSON.parse(status.stdout).tls]).toEqual([0, 'TLSv1.3']);
    const byEnvironment = { PGSSLROOTCERT: authority };
    const unknown = address({ password, ca: false });
    expect((await run(STATUS, { LECTERN_LEDGER: unknown, ...byEnvironment })).exit).toBe(0);
    for (const [ledger, words] of [
      [unknown, /self-signed certificate/],
      [address({ password, host: '127.0.0.2' }), /for another host.*127\.0\.0\.2/],
    ] as const) {
      const refused = await run(STATUS, { LECTERN_LEDGER: ledger });
      expect([refused.exit, errorOf(refused).code]).toEqual([8, 'ledger.tls']);
      expect(errorOf(refused).message).toMatch(words);
      expect(errorOf(refused).hint).toContain('sslrootcert');
    }
    hidden();
  });

  test('accepts the password from any source, and prints it nowhere', async () => {
    const { admin, home, said, address, run, hidden } = await secured();
    const env = (more: Record<string, string>) => ({ LECTERN_LEDGER: address(), ...more });
    const wrong = 'CANARY-wrong';
    expect((await run([...STATUS, '--verbose'], env({ PGPASSWORD: PASSWORD }))).exit).toBe(0);
    const none = await run(STATUS, env({}));
    expect([none.exit, errorOf(none).message]).toEqual([4, expect.stringContaining('password')]);
    // A connection that is left open would keep the process from ending.
    await expect.poll(() => sql(admin, OTHERS)).toEqual([{ count: 0 }]);
    const cases = [{ PGPASSWORD: wrong }, { LECTERN_LEDGER: address({ password: wrong }) }];
    for (const each of cases) {
      for (const args of [STATUS, ['grade', 'runs', '--verbose']]) {
        expect((await run(args, env(each))).exit).toBe(4);
      }
    }
    const escaped = PASSWORD.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
    writeFileSync(join(home, '.pgpass'), `*:*:*:*:${escaped}\n`, { mode: 0o600 });
    expect((await run(STATUS, env({}))).exit).toBe(0);
    chmodSync(join(home, '.pgpass'), 0o644);
    const ignored = await run(STATUS, env({}));
    expect(ignored.exit).toBe(4);
    expect(errorOf(ignored).message).toMatch(
      /password.*other users can read .*\.pgpass.*chmod 600 .*\.pgpass/,
    );
    const given = errorOf(await run(STATUS, env({ PGPASSWORD: wrong })));
    expect(given.message).not.toContain('pgpass');
    chmodSync(join(home, '.pgpass'), 0o600);
    expect((await run(STATUS, env({}))).exit).toBe(0);
    writeFileSync(join(home, '.pgpass'), '', { mode: 0o600 });

    const save = ['ledger', 'save', 'team', '--url', address()];
    expect((await run([...save, '--verbose'], {}, `${PASSWORD}\n`)).exit).toBe(0);
    expect((await run([...STATUS, '--ledger', 'team'])).exit).toBe(0);
    const shown = terminal([...save, '--force'], { home, env: { LECTERN_KEYCHAIN: 'off' } });
    await shown.shows('Password');
    shown.type(`${wrong}${KEYS.enter}`);
    expect(await shown.exit).toBe(0);
    said.push(shown.bytes());
    expect((await run([...STATUS, '--ledger', 'team'])).exit).toBe(4);
    for (const args of [['ledger', 'list'], ['ledger', 'list', '--json'], ['doctor']])
      await run(args);
    hidden();
  });
});
