import type { Finding } from '../../validator/finding.ts';

/** What was found in one payload. */
export interface Checked {
  /** The file or folder as it was named, the key itself, or `-` for standard input. */
  readonly source: string;
  readonly findings: readonly Finding[];
  /** The file that a finding is about, where that is not the source: a file of a hosted tool. */
  readonly files?: ReadonlyMap<Finding, string>;
}

/** Whether the service would take the payload; where it is strict, also without a doubt. */
export function isValid({ findings }: Checked, strict: boolean): boolean {
  return strict ? findings.length === 0 : findings.every(({ severity }) => severity !== 'error');
}
