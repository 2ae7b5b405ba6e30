import type { Explained } from '../output/explained.ts';
import type { ExplainedCode, ExplainedStatus, Reference } from '../output/others-forms.ts';
import {
  CODES,
  type Code,
  type CodeRow,
  CONTRACT_CHANGES,
  CONTRACT_VERSION,
  ERRORS,
  exampleOf,
} from '../../contract/index.ts';
import { EXIT_CODES, exitMeaning, exitOfRefusal } from '../exit-codes.ts';
import type { Finding } from '../../validator/finding.ts';
import { eventsAsCommands, withCommand } from '../output/command-hints.ts';
import { LIMITS } from './limits.ts';

export const EXPLAINED_EXITS: readonly Explained<'exit-codes'>[] = EXIT_CODES.map(
  ({ code, meaning }) => ({
    exit: code,
    meaning,
  }),
);

/** The contract's table of errors, with the exit code that each leads to. */
export const EXPLAINED_ERRORS: readonly Explained<'errors'>[] = ERRORS.map(
  ({ area, status, cause, reading }) => {
    const explained = { area, status, cause, exit: exitOfRefusal(status) };
    return reading === undefined ? explained : Object.assign(explained, { reading });
  },
);

/** Everything, in the order of the reference page. */
export async function wholeReference(): Promise<Reference> {
  return {
    contract: CONTRACT_VERSION,
    limits: LIMITS,
    errors: EXPLAINED_ERRORS,
    exit_codes: EXPLAINED_EXITS,
    changes: CONTRACT_CHANGES,
    codes: await explainCodes(() => true),
  };
}

/** The codes that `isMeant` picks, each with its example. */
export async function explainCodes(
  isMeant: (code: Code, row: CodeRow) => boolean,
): Promise<ExplainedCode[]> {
  const { findExample } = await import('./find-example.ts');
  const meant = (Object.entries(CODES) as [Code, CodeRow][]).filter(([code, row]) =>
    isMeant(code, row),
  );
  return Promise.all(
    meant.map(async ([code, { severity, status = null, rule }]) => {
      const findings = await findExample(code);
      const { message, hint } = findings.find((each) => each.code === code) as Finding;
      return {
        code,
        severity,
        status,
        rule,
        example: eventsAsCommands(exampleOf(code).given),
        message,
        hint: withCommand(code, hint),
      };
    }),
  );
}

/** What an HTTP status means in each area, and the codes that are answered with it. */
export async function explainStatus(status: number): Promise<ExplainedStatus> {
  const errors = EXPLAINED_ERRORS.filter((row) => row.status === status);
  const codes = await explainCodes((_, row) => row.status === status);
  return errors.length > 0
    ? { status, errors, codes }
    : { status, meaning: meaningOf(status), errors, codes };
}

/** What lectern makes of a status that the contract does not list ("Errors": not shown). */
function meaningOf(status: number): string {
  if (status < 300)
    return 'a success if the endpoint responds with it, otherwise an unusable response';
  if (status < 400)
    return 'a redirect; redirects are never followed: a read exits with 8, a write with 10';
  if (status < 500) {
    const exit = exitOfRefusal(status);
    return `a refusal not listed in the contract: exit ${exit}, ${exitMeaning(exit)}`;
  }
  return 'no usable response: a read exits with 8; a write exits with 10, since it may have taken effect';
}
