import { UsageError } from '../../errors.ts';

/** How help explains `--contract DATE`. */
export const CONTRACT_HELP = 'lint against the contract of that date (YYYY-MM-DD)';

/** Reads the value of `--contract`. */
export function contractDate(date: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date))) return date;
  throw new UsageError(
    `--contract ${JSON.stringify(date)} is no date`,
    'write it as YYYY-MM-DD; lectern explain changes lists the dated contracts',
  );
}
