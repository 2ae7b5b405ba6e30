import type { Code } from '../../contract/index.ts';
import type { Finding } from '../../validator/finding.ts';

/**
 * The flag or command that solves the problem of a code. The contract's hints do not mention the
 * command line; these are added wherever lectern prints one.
 */
const COMMANDS: Partial<Readonly<Record<string, string>>> & Partial<Record<Code, string>> = {
  'row.too_large_for_member': '--kind ROW',
  'row.unprovisioned': 'lectern provision context|location',
  'patch.no_wrapper': 'lectern storage patch accepts a bare array and wraps it',
  'patch.against_unreadable': 'lectern storage get ROW --raw',
  'file.not_found': 'lectern files ls ROW',
  'file.listing_unreadable': 'lectern files ls ROW --json',
  'grade.score_range': '--points 42.5/50',
  'grade_url.member_absent': '--url URL',
  'grade_url.member_twice': '--url URL',
  'grades.column_unknown': '--map NAME=COLUMN',
  'grades.member_twice': '--last-wins',
  'grades.points_of_what': '--max-score POINTS',
  'grades.member_missing': '--skip-unknown',
  'grades.member_unknown': '--skip-unknown',
  'grades.ungraded': '--skip-ungraded',
  'launch.grade_member_absent': '--url URL',
  'launch.grade_member_twice': '--url URL',
  'launch.expires_passed': 'lectern launch check',
  'launch.carrier_expired': 'lectern launch check',
  'local.exists': '--overwrite, --output FILE; for a sync --exclude KEY',
  'local.name': '--output FILE',
  'local.same_file': '--output FILE',
};

/** A hint with the command or flag that solves the problem, if there is one. */
export function withCommand(code: string, hint: string): string {
  const command = Object.hasOwn(COMMANDS, code) ? COMMANDS[code] : undefined;
  // The hint may have the whole command line already.
  return command === undefined || hint.includes('--') ? hint : `${hint} (${command})`;
}

export function findingWithCommand<Found extends { readonly code: string; readonly hint: string }>(
  finding: Found,
): Found {
  return { ...finding, hint: withCommand(finding.code, finding.hint) };
}

/** A finding about a launch for `--json`: claims have paths, and no lines. */
export function claimFindingJson({ code, severity, path, message, hint }: Finding) {
  return { code, severity, path, message, hint: withCommand(code, hint) };
}

/** The events of an example as the commands that make an emulator bring them about. */
export function eventsAsCommands(given: string): string {
  return given
    .replaceAll(/^later: (\S+)$/gm, 'lectern emulator clock advance $1')
    .replaceAll(
      /^lost: (\S+) (\S+)$/gm,
      'lectern emulator fault --method $1 --path $2 --close after',
    );
}
