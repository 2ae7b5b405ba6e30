import type { Checkup } from '../output/doctor.ts';
import { reportOf } from '../report.ts';

export function ok(name: string, detail: string): Checkup {
  return { name, state: 'ok', detail, hint: null };
}

export function warning(name: string, detail: string, hint: string): Checkup {
  return { name, state: 'warning', detail, hint };
}

export function wrong(name: string, detail: string, hint: string | null): Checkup {
  return { name, state: 'wrong', detail, hint };
}

/** Looks at something, and makes of its failure what is to be told. */
export async function lookAt(name: string, look: () => Promise<Checkup>): Promise<Checkup> {
  try {
    return await look();
  } catch (error) {
    const report = reportOf(error);
    return wrong(name, report?.message ?? String(error), report?.hint ?? null);
  }
}
