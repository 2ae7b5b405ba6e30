import type { Database } from './database.ts';
import { LedgerError, RunClaimedError } from './error.ts';
import type {
  CredentialKind,
  NewRun,
  RowFilter,
  RowRecord,
  RunClaim,
  RunDraft,
  RunLedger,
  RunRecord,
  RunRow,
  RunSummary,
  State,
} from './ledger.ts';
import { takeLock, type Lock } from './lock.ts';
import { OUTCOME_COLUMNS, toOutcome, type OutcomeColumns } from './outcomes.ts';
import { byPages, oneOf } from './pages.ts';
import type { Writer } from './writer.ts';
