import type { ContractChange, ErrorRow } from '../../contract/index.ts';
import type { LimitRow } from '../explain/limits.ts';
import type {
  ExplainedCode,
  ExplainedExit,
  ExplainedStatus,
  Reference,
} from '../explain/reference.ts';

/*
 * Everything here is Markdown that reads well as it is, so that the terminal and the reference page
 * show the same text.
 */

/** The whole reference. */
export function referenceLines(reference: Reference): string[] {
  const { contract, limits, errors, exit_codes, changes, codes } = reference;
  return [
    '# Reference',
    '',
    `What the contract of ${contract} limits and refuses, and how lectern says so. This is what \`lectern explain\` prints.`,
    '',
    ...limitLines(limits),
    '',
    ...errorLines(errors),
    '',
    ...exitLines(exit_codes),
    '',
    ...changeLines(changes),
    '',
    '## Finding codes',
    '',
    'An error is certain to be refused, a warning is not. Each has an example, what is said of it, and the way out.',
    ...codes.flatMap((code) => ['', ...codeLines(code)]),
  ];
}

export function limitLines(limits: readonly LimitRow[]): string[] {
  return [
    '## Limits',
    '',
    'The contract does not say whether KB and MB are of 1000 or 1024. Above the larger number a refusal is certain; up to the smaller one nothing is in doubt.',
    '',
    ...limits.map(({ limit, value, bytes, safe_bytes }) =>
      bytes === undefined
        ? `- ${limit}: ${value}`
        : `- ${limit}: ${value} (at most ${bytes} bytes; ${safe_bytes} are safe)`,
    ),
  ];
}

export function errorLines(errors: readonly ErrorRow[]): string[] {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort();
  return [
    '## Errors',
    '',
    'What a status means in each part of the interface, and the exit code that follows. A refusal by the LMS is none of them: it is a 200 with an attempt that is `failed` (exit 9).',
    ...statuses.flatMap((status) => [
      '',
      `### ${status}`,
      '',
      ...causeLines(errors.filter((row) => row.status === status)),
    ]),
  ];
}

function causeLines(errors: readonly ErrorRow[]): string[] {
  return errors.map(({ area, cause, exit }) => `- ${area}: ${cause} (exit ${exit})`);
}

export function exitLines(exits: readonly ExplainedExit[]): string[] {
  return ['## Exit codes', '', ...exits.map(({ exit, meaning }) => `- ${exit}: ${meaning}`)];
}

export function changeLines(changes: readonly ContractChange[]): string[] {
  return [
    '## Contract changes',
    '',
    'Newest first.',
    ...changes.flatMap(({ date, changes: each }) => [
      '',
      `### ${date}`,
      '',
      ...each.map((change) => `- ${change}`),
    ]),
  ];
}

export function statusLines({ status, meaning, errors, codes }: ExplainedStatus): string[] {
  return [
    `## ${status}`,
    '',
    ...(meaning === undefined ? [] : [`- ${meaning}`]),
    ...causeLines(errors),
    ...codes.flatMap((code) => ['', ...codeLines(code)]),
  ];
}

export function codeLines({ code, severity, status, rule, ...said }: ExplainedCode): string[] {
  const answered = status === null ? '' : `, answered with ${status}`;
  return [
    `### ${code}`,
    '',
    `${severity}${answered}: ${rule}`,
    '',
    `    ${said.example}`,
    // The contract gives one refusal no message.
    ...(said.message === '' ? [] : [`    → ${said.message}`]),
    `    → ${said.hint}`,
  ];
}
