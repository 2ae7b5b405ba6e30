import type { GradeLedger } from '../ledger.ts';
import { Connection } from './connection.ts';
import { rolesSql } from './grants.ts';
import { importLedger, type Imported } from './import.ts';
import { openSharedLedger, PATIENCE_MS, type SharedLedgerOptions } from './open.ts';
import { prune, type Pruned, type PruneOptions } from './prune.ts';
import { checkServer, initSchema, migrateSchema, type SchemaChange } from './schema.ts';
import { type LedgerStatus, ledgerStatus } from './status.ts';

/** A PostgreSQL database that is to hold a ledger, or does. All throws are `LedgerError`s. */
export interface LedgerServer {
  /** The server and database, without user and password. */
  readonly place: string;
  /** The ledger, opened at the first call. */
  readonly open: () => Promise<GradeLedger>;
  /** Makes the schema; `sql` is for who administers the database: the roles and their rights. */
  readonly init: () => Promise<SchemaChange & { readonly sql: string }>;
  readonly migrate: () => Promise<SchemaChange>;
  readonly status: () => Promise<LedgerStatus>;
  readonly prune: (options: PruneOptions) => Promise<Pruned>;
  /** Takes a local ledger over. */
  readonly importFrom: (local: GradeLedger) => Promise<Imported>;
  readonly close: () => Promise<void>;
}

/** Connects to nothing yet: that is done when something is asked for. */
export function ledgerServer(options: SharedLedgerOptions): LedgerServer {
  const { patienceMs = PATIENCE_MS } = options;
  let connection: Connection | undefined;
  let ledger: Promise<GradeLedger> | undefined;
  const connect = (): Connection => (connection ??= new Connection({ ...options, patienceMs }));
  const change = async (work: (to: Connection) => Promise<SchemaChange>): Promise<SchemaChange> => {
    await checkServer(connect());
    return work(connect());
  };
  return {
    place: options.address.shown,
    open: () => (ledger ??= openSharedLedger(options)),
    init: async () => ({
      ...(await change(initSchema)),
      sql: rolesSql(options.address.database),
    }),
    migrate: () => change(migrateSchema),
    status: () => ledgerStatus(connect()),
    prune: (chosen) => prune(connect(), chosen),
    importFrom: (local) => importLedger(connect(), local, options.host),
    close: async () => {
      await (await ledger?.catch(() => undefined))?.close();
      await connection?.close();
    },
  };
}
