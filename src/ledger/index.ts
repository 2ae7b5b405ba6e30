/** Every grade attempt, bulk run and before-image of a row, durable. */
export { LedgerError, RunClaimedError } from './error.ts';
export type * from './ledger.ts';
export { openLedger } from './sqlite/open.ts';
