import {
  checkManifest,
  checkToolFiles,
  shorten,
  refusedManifestKeys,
  type ToolFiles,
  describeType,
  violation,
} from '../contract/index.ts';
import { checkOddities, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';

/** A hosted tool, as a folder or a zip of it. */
export interface HostedTool extends ToolFiles {
  /** The text of the manifest, if there is one. The contract does not give its name. */
  readonly manifest?: string | undefined;
}

/**
 * Checks a hosted tool before it is uploaded ("Limits: hosted tool upload", "Versioning: contract
 * changes"): the size zipped and whole, the reserved file at its root, and the keys for which a
 * manifest is refused. Line and column are those in the manifest.
 *
 * @example
 * expect(validateHostedTool({ files: [{ path: 'index.html', size: 512 }] })).toEqual([]);
 */
export function validateHostedTool({ manifest, ...tool }: HostedTool): Finding[] {
  const findings = toFindings(checkToolFiles(tool));
  return manifest === undefined ? findings : [...findings, ...validateManifest(manifest)];
}

export function validateManifest(text: string): Finding[] {
  const body = readBody(text);
  if ('violation' in body) {
    const { reason = '', line = 1, column = 1 } = body.violation.params;
    const unreadable = violation('hosted_tool.manifest_unreadable', '', { reason, line, column });
    // A reader that ignores the mark finds a manifest.
    const rest = withoutMark(text);
    return [...toFindings([unreadable]), ...(rest === text ? [] : validateManifest(rest))];
  }
  const { value } = body;
  if (!(value instanceof Map)) {
    const reason = `it is ${describeType(value)}, not an object`;
    return toFindings([violation('hosted_tool.manifest_unreadable', '', { reason })]);
  }
  return toFindings([...checkManifest(value), ...checkOddities(body)], text);
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** Checks the text of a JSON file at the tool's root that may be the manifest, or something else. */
export function validatePossibleManifest(file: string, given: string): Finding[] {
  const text = withoutMark(given);
  const body = readBody(text);
  if ('violation' in body || !(body.value instanceof Map)) return [];
  const violations = refusedManifestKeys(body.value).map((key) =>
    violation('hosted_tool.maybe_manifest_key', `/${key}`, { file: shorten(file), key }),
  );
  return toFindings(violations, text);
}
