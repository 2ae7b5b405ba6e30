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
  FILE_KEY_MAX_CHARACTERS,
  FILE_SIZE,
  FILES_PER_ROW,
  FILES_TOTAL,
  GROUPED_LOCATIONS_MAX_LEVELS,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  LAUNCH_TOKEN_IDLE_MS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  PROVISION_RETRY_MS,
  PROVISION_TOKEN_MS,
  ROW_KINDS,
  ROW_SIZE,
  type SizeLimit,
} from '../../contract/index.ts';
import { EXIT_CODES, exitMeaning, exitOfRefusal } from '../exit-codes.ts';
import type { Finding } from '../../validator/finding.ts';
import { eventsAsCommands, withCommand } from '../output/command-hints.ts';
import { EXPORTS, flagsOfExport } from '../../grades/exports.ts';

const size = (limit: string, { label, bytes, cautiousBytes }: SizeLimit): Explained<'limits'> => ({
  limit,
  value: label,
  bytes,
  safe_bytes: cautiousBytes,
});

const hours = (ms: number): string => `${ms / 3_600_000} hours`;

/** "Limits", whole. */
export const LIMITS: readonly Explained<'limits'>[] = [
  ...ROW_KINDS.map((kind) => size(`JSON object of a ${kind} row, as compact JSON`, ROW_SIZE[kind])),
  { limit: 'files per row', value: String(FILES_PER_ROW) },
  ...ROW_KINDS.map((kind) => size(`total file size of a ${kind} row`, FILES_TOTAL[kind])),
  size('one file; the upload must match the declared size', FILE_SIZE),
  {
    limit: 'file key',
    value: `1 to ${FILE_KEY_MAX_CHARACTERS} characters: letters, digits, ".", "_", "-", the first a letter or digit`,
  },
  {
    limit: 'idle lifetime of a launch token',
    value: `${hours(LAUNCH_TOKEN_IDLE_MS)} without a call; each successful call restarts it`,
  },
  {
    limit: 'lifetime of the token of a provision request',
    value: `${hours(PROVISION_TOKEN_MS)}, fixed`,
  },
  {
    limit: 'provisioning',
    value: `requested once, and again after about ${hours(PROVISION_RETRY_MS)} without a finish call`,
  },
  { limit: 'signed download URL of a file', value: 'valid for a few minutes, until its expires' },
  size('hosted tool, zipped', HOSTED_TOOL_ZIPPED),
  size('hosted tool, unpacked', HOSTED_TOOL_WHOLE),
  {
    limit: 'message of a locations answer',
    value: `plain text, truncated at ${LOCATIONS_MESSAGE_MAX_CHARACTERS} characters`,
  },
  { limit: 'grouped locations', value: `nested up to ${GROUPED_LOCATIONS_MAX_LEVELS} levels` },
  { limit: 'request rate', value: 'not shown in the contract' },
];

/** The exports of gradebooks that are recognised, each with the command that sends a usual one. */
export const GRADEBOOKS: readonly Explained<'grades'>[] = EXPORTS.map((one) => ({
  gradebook: one.name,
  identifiers: [...one.members],
  score: one.explained.score,
  maximum: one.explained.maximum,
  no_grade: one.explained.noGrade,
  command: `lectern grade submit --from FILE ${flagsOfExport(one)}`,
}));

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
