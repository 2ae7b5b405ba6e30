import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newLedger, postgresOfFile, run as sql } from '../../ledger/postgres/support.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { LOCALHOST_PEM } from '../../support/service.ts';
import { type Expected, type Given, stepsAt } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';

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
    const address = (more: { host?: string; password?: string; ca?: boolean } = {}): string => {
      const url = new URL(admin);
      url.username = `${name}_x`;
      url.hostname = more.host ?? '127.0.0.1';
      if (more.password !== undefined) url.password = encodeURIComponent(more.password);
      url.searchParams.set('sslmode', 'require');
      if (more.ca !== false) url.searchParams.set('sslrootcert', authority);
      return url.href;
    };
    const { step, atTerminal } = stepsAt({ home, env: { LECTERN_KEYCHAIN: 'off' } });
    /** No output has a password. */
    const run = (line: string, env: Record<string, string> = {}, more: Given & Expected = {}) =>
      step(line, { ...more, env, lacks: 'CANARY' });
    return { admin, home, authority, address, run, atTerminal };
  }

  const STATUS = 'ledger status --json';

  test('verifies the certificate and the host', async () => {
    const { authority, address, run } = await secured();
    const password = PASSWORD;
    await run(STATUS, { LECTERN_LEDGER: address({ password }) }, { json: { tls: 'TLSv1.3' } });
    const unknown = address({ password, ca: false });
    await run(STATUS, { LECTERN_LEDGER: unknown, PGSSLROOTCERT: authority });
    for (const [ledger, message] of [
      [unknown, /self-signed certificate/],
      [address({ password, host: '127.0.0.2' }), /for another host.*127\.0\.0\.2/],
    ] as const) {
      const error = { code: 'ledger.tls', message, hint: /sslrootcert/ };
      await run(STATUS, { LECTERN_LEDGER: ledger }, { exit: 8, error });
    }
  });

  test('accepts the password from any source, and prints it nowhere', async () => {
    const { admin, home, address, run, atTerminal } = await secured();
    const wrong = 'CANARY-wrong';
    const status = (env: Record<string, string>, exit = 0, message = /./) => {
      const error = exit === 0 ? undefined : { message };
      return run(STATUS, { LECTERN_LEDGER: address(), ...env }, { exit, ...(error && { error }) });
    };
    await run(`${STATUS} --verbose`, { LECTERN_LEDGER: address(), PGPASSWORD: PASSWORD });
    await status({}, 4, /password/);
    // A connection that is left open would keep the process from ending.
    await expect.poll(() => sql(admin, OTHERS)).toEqual([{ count: 0 }]);
    for (const env of [{ PGPASSWORD: wrong }, { LECTERN_LEDGER: address({ password: wrong }) }]) {
      await status(env, 4);
      await run('grade runs --verbose', { LECTERN_LEDGER: address(), ...env }, { exit: 4 });
    }
    const pgpass = join(home, '.pgpass');
    const escaped = PASSWORD.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
    writeFileSync(pgpass, `*:*:*:*:${escaped}\n`, { mode: 0o600 });
    await status({});
    chmodSync(pgpass, 0o644);
    await status({}, 4, /password.*other users can read .*\.pgpass.*chmod 600 .*\.pgpass/);
    await status({ PGPASSWORD: wrong }, 4, /^(?!.*pgpass)/);
    writeFileSync(pgpass, '', { mode: 0o600 });

    const save = `ledger save team --url ${address()}`;
    await run(`${save} --verbose`, {}, { input: `${PASSWORD}\n` });
    await run(`${STATUS} --ledger team`);
    const keys = { Password: `${wrong}${KEYS.enter}` };
    expect((await atTerminal(`${save} --force`, { keys })).bytes).not.toContain('CANARY');
    await run(`${STATUS} --ledger team # exit 4`);
    await run('ledger list\nledger list --json\ndoctor');
  });
});
