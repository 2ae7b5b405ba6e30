import type { Finding } from '../finding.ts';
import type { Permission } from './permissions.ts';

/** A one-line verdict on a launch, and what it can be used for. */
export function launchVerdict({
  findings,
  permissions,
}: {
  readonly findings: readonly Finding[];
  readonly permissions: readonly Permission[];
}): {
  text: string;
  tone: 'good' | 'doubt' | 'bad';
} {
  const count = (severity: string): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const counts = [
    ...(errors > 0 ? [`${errors} error${errors === 1 ? '' : 's'}`] : []),
    ...(warnings > 0 ? [`${warnings} warning${warnings === 1 ? '' : 's'}`] : []),
  ];
  const tone = errors > 0 ? 'bad' : warnings > 0 ? 'doubt' : 'good';
  const head = counts.length === 0 ? 'sound' : counts.join(', ');
  return { text: `${head}: this launch can ${abilities(permissions)}`, tone };
}

function abilities(permissions: readonly Permission[]): string {
  const may = (action: Permission['action']): boolean =>
    permissions.some((each) => each.action === action && each.allowed);
  const isRequest = may('provision') && !may('submit_own_grade') && !may('submit_other_grade');
  const all = [
    rowAbility(permissions),
    isRequest ? 'report its course as ready' : gradeAbility(may),
  ];
  return all.join(' and ');
}

function rowAbility(permissions: readonly Permission[]): string {
  const rows = permissions.filter(({ row = '' }) => !row.startsWith('parent_'));
  const allowed = (action: string): string[] =>
    rows.flatMap((each) => (each.action === action && each.allowed ? [each.row ?? ''] : []));
  const [read, written] = [allowed('read_row'), allowed('write_row')];
  if (read.length === 0) return 'read no row';
  const which = read.length === 4 ? 'its rows' : `its rows ${read.join(', ')}`;
  if (written.length === read.length) return `read and write ${which}`;
  const writes = written.length === 0 ? 'write none' : `write ${written.join(', ')}`;
  return `read ${which}, ${writes},`;
}

function gradeAbility(may: (action: Permission['action']) => boolean): string {
  if (may('submit_other_grade')) return 'submit grades of any student';
  if (may('submit_own_grade')) return "submit its own member's grade";
  return 'submit no grade';
}
