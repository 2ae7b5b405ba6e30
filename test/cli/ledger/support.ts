import { describe } from 'vitest';
import { rolesSql } from '../../../src/ledger/postgres/schema/schema.ts';
import { newLedger, postgresOfFile, run as sql } from '../../ledger/postgres/support.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import type { Handler } from '../../support/service.ts';
import type { RunResult } from '../../support/lectern.ts';
import { bench, type Bench, readLines } from '../grade/bulk.ts';

/** A service, a ledger, and machines that share both, each with a home of its own. */
export interface Team extends Bench {
  readonly ledger: string;
  /** A login with the rights of a role, and an environment that uses it. */
  readonly loginOf: (role: 'worker' | 'reader') => Promise<Login>;
}

export interface Login {
  readonly login: string;
  readonly env: { readonly LECTERN_LEDGER: string };
}

/** Plans a run of the grades in a file. */
export const PLAN = 'grade submit --from grades.csv --yes --json --no-send';

/** Tests on a PostgreSQL server of their file. */
export function onPostgres(
  name: string,
  body: (
    team: (handler?: Handler) => Promise<Team>,
    postgres: ReturnType<typeof postgresOfFile>,
  ) => void,
): void {
  describe.skipIf(NO_POSTGRES)(`${name} ${NO_POSTGRES ?? ''}`, () => {
    const postgres = postgresOfFile();
    const team = async (handler?: Handler): Promise<Team> => {
      const ledger = await newLedger(postgres);
      const loginOf = async (role: string): Promise<Login> => {
        const database = new URL(ledger).pathname.slice(1);
        const login = `${database}_${role}`;
        await sql(ledger, await rolesSql(database));
        await sql(ledger, `CREATE ROLE ${login} LOGIN IN ROLE lectern_${role}`);
        return { login, env: { LECTERN_LEDGER: changed(ledger, { username: login }) } };
      };
      return Object.assign(await bench(handler, {}, { LECTERN_LEDGER: ledger }), {
        ledger,
        loginOf,
      });
    };
    body(team, postgres);
  });
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
