import type { CheckResult } from '../json-forms/others.ts';
import { errorReportOf } from '../report.ts';

export function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail, hint: null };
}

export function warning(name: string, detail: string, hint: string): CheckResult {
  return { name, state: 'warning', detail, hint };
}

export function failed(name: string, detail: string, hint: string | null): CheckResult {
  return { name, state: 'wrong', detail, hint };
}

/** Runs a check; an error becomes a failed result. */
export async function runCheck(
  name: string,
  look: () => Promise<CheckResult>,
): Promise<CheckResult> {
  try {
    return await look();
  } catch (error) {
    const report = errorReportOf(error);
    return failed(name, report?.message ?? String(error), report?.hint ?? null);
  }
}
