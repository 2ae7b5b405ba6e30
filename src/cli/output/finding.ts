import type { Finding } from '../../validator/finding.ts';
import { withCommand } from './command-hints.ts';

/** A finding about a launch for `--json`: claims have paths, and no lines. */
export function findingJson({ code, severity, path, message, hint }: Finding) {
  return { code, severity, path, message, hint: withCommand(code, hint) };
}
