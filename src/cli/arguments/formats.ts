import { UsageError } from '../../errors.ts';
import type { FlagSpec } from './flags.ts';

const FORMATS = ['text', 'json', 'sarif', 'github', 'junit'] as const;

export type Format = (typeof FORMATS)[number];

/** `--format` of every command that prints findings. */
export const FORMAT_FLAG = {
  help: 'output format; sarif is for code scanning, github for its workflows, junit for other CI',
  choices: FORMATS,
  // The name that text had in lectern 0.1.
  deprecatedValues: { table: 'text' },
} satisfies FlagSpec;

/** The format that the flags select; with `--json` standard output is JSON and nothing else. */
export function formatOf({
  format,
  json,
}: {
  readonly format?: Format | undefined;
  readonly json?: boolean | undefined;
}): Format {
  if (json && format !== undefined && format !== 'json' && format !== 'sarif') {
    throw new UsageError(
      `--json and --format ${format} cannot be used together`,
      'use one of them',
    );
  }
  return format ?? (json ? 'json' : 'text');
}
