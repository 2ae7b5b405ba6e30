import { CredentialMisuse, NoAnswer, Refusal } from '../../client/index.ts';
import { LedgerError } from '../../ledger/error.ts';
import { CredentialError, ExitError } from '../errors.ts';
import type { ErrorReport } from '../output/forms.ts';
import type { Sources } from '../stores.ts';

/** A report that names the variable or the project file which chose what the error is about. */
export function namingSource(
  error: unknown,
  report: ErrorReport,
  { key, token, launch, ledger }: Sources,
): ErrorReport {
  const failed = error instanceof ExitError && error.cause !== undefined ? error.cause : error;
  if (failed instanceof LedgerError) return withWayOut(report, 'ledger', ledger);
  if (!isOfCredential(failed)) return report;
  const credential = key ?? token;
  if (credential === undefined) return withWayOut(report, 'launch', launch);
  const named = withWayOut(report, undefined, credential);
  if (!(failed instanceof Refusal)) return named;
  const { status, code } = failed;
  const kind = key === undefined ? 'token' : 'key';
  // "missing or ended bearer token" is what a 401 means.
  const isEnded = status === 401 && kind === 'token' && code !== 'auth.unknown';
  const fate = isEnded ? 'has ended' : 'was refused';
  return { ...named, message: `the ${kind} of ${credential} ${fate}: ${report.message}` };
}

function isOfCredential(error: unknown): boolean {
  if (error instanceof Refusal) return error.status === 401 || error.status === 403;
  if (error instanceof NoAnswer) return error.unreached !== undefined;
  return error instanceof CredentialMisuse || error instanceof CredentialError;
}

function withWayOut(
  report: ErrorReport,
  what: 'launch' | 'ledger' | undefined,
  source: string | undefined,
): ErrorReport {
  if (source === undefined) return report;
  const isVariable = !source.includes('.');
  const way = isVariable
    ? `unset ${source} to use the saved one`
    : `pass --${what} NAME to use another one`;
  const hint = what === undefined ? way : `${source} names this ${what}: ${way}`;
  return { ...report, hint: report.hint === null ? hint : `${report.hint}; ${hint}` };
}
