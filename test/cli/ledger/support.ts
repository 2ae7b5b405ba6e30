import { describe } from 'vitest';
import { rolesSql } from '../../../src/ledger/postgres/schema/schema.ts';
import { newLedger, postgresOfFile, run as sql } from '../../ledger/postgres/support.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import type { Handler } from '../../support/service.ts';
import type { RunResult } from '../../support/lectern.ts';
import { bench, readLines } from '../grade/bulk.ts';

export type Team = Awaited<ReturnType<typeof teamOf>>;

/** Plans a run of the grades in a file. */
export const PLAN = 'grade submit --from grades.csv --yes --json --no-send';

/** Tests on a PostgreSQL server of their file. */
export function onPostgres(
  name: string,
  body: (team: (handler?: Handler) => Promise<Team>, postgres: Postgres) => void,
): void {
  describe.skipIf(NO_POSTGRES)(`${name} ${NO_POSTGRES ?? ''}`, () => {
    const postgres = postgresOfFile();
    body((handler) => teamOf(postgres, handler), postgres);
  });
}

type Postgres = ReturnType<typeof postgresOfFile>;

/** A service, a ledger, and machines that share both, each with a home of its own. */
async function teamOf(postgres: Postgres, handler?: Handler) {
  const ledger = await newLedger(postgres);
  /** A login with the rights of a role, and an environment that uses it. */
  const loginOf = async (role: 'worker' | 'reader') => {
    const database = new URL(ledger).pathname.slice(1);
    const login = `${database}_${role}`;
    await sql(ledger, await rolesSql(database));
    await sql(ledger, `CREATE ROLE ${login} LOGIN IN ROLE lectern_${role}`);
    return { login, env: { LECTERN_LEDGER: changed(ledger, { username: login }) } };
  };
  const made = await bench(handler, {}, { LECTERN_LEDGER: ledger });
  return Object.assign(made, { ledger, loginOf });
}

/** An address with other parts. */
export function changed(
  url: string,
  parts: Partial<Record<'username' | 'password' | 'pathname' | 'port' | 'search', string>>,
): string {
  return Object.assign(new URL(url), parts).href;
}

/** The summary of a run on a shared ledger. */
export function summaryOf(result: RunResult) {
  return readLines(result).summary as Record<string, unknown> & {
    readonly workers: { worker: number; who: string; host: string; sent: number }[];
  };
}
