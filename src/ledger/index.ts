/** Every grade attempt, bulk run and before-image of a row, durable. */
export { LedgerError, type LedgerFault, RunClaimedError } from './error.ts';
export type * from './ledger.ts';
export { STATES } from './ledger.ts';
export { type LedgerOptions, openLedger } from './open.ts';
