import { describe } from 'vitest';
import { newLedger, postgresOfFile } from '../../ledger/postgres/support.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import type { Handler } from '../../support/service.ts';
import type { HereOptions, RunResult } from '../../support/lectern.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { bench, type Bench } from '../grade/bulk.ts';

export interface Machine {
  readonly home: string;
  readonly run: (args: readonly string[], options?: HereOptions) => Promise<RunResult>;
}

/** A service, a ledger, and machines that share both, each with a home of its own. */
export interface Team extends Bench {
  readonly ledger: string;
  readonly machine: () => Machine;
}

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
      const made = await bench(handler);
      const env = { LECTERN_LEDGER: ledger };
      const machine = (home = temporaryFolder()): Machine => ({
        home,
        run: (args, options) =>
          lectern(['-l', made.launch, ...args], {
            home,
            ...options,
            env: { ...env, ...options?.env },
          }),
      });
      return { ...made, ledger, machine, run: machine(made.home).run };
    };
    body(team, postgres);
  });
}

/** The last line of what a run with `--json` prints. */
export function summaryOf({ stdout }: RunResult) {
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
  return last.summary as Record<string, unknown> & {
    readonly run: number;
    readonly workers: { worker: number; who: string; host: string; sent: number }[];
  };
}

/** The object that an error with `--json` is. */
export function errorOf({ stderr }: RunResult) {
  return JSON.parse(stderr).error as {
    code: string;
    exit: number;
    message: string;
    hint: string | null;
  };
}
