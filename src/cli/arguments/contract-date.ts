import { parseInstant } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';

/** How help explains `--contract DATE`. */
export const CONTRACT_HELP = 'check against the contract of this date (YYYY-MM-DD)';

/** Reads the value of `--contract`. */
export function contractDate(date: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(parseInstant(date))) return date;
  throw new UsageError(
    `--contract ${JSON.stringify(date)} is not a valid date`,
    'use YYYY-MM-DD; lectern explain changes lists the dated contracts',
  );
}
