import { type Code, readJson, violation } from '../../contract/index.ts';
import { locateAll } from '../../json/index.ts';
import type { ShapeFault } from '../../schema/check.ts';
import { type Finding, toFinding, toFindings } from '../../validator/finding.ts';
import { closest } from '../../validator/nearest.ts';

/** A JSON document of lectern's own that a user writes: a seed, a project file. */
export interface DocumentKind {
  readonly code: Extract<Code, 'seed.invalid' | 'project.invalid'>;
  /** Lists all faults of a document. */
  readonly check: (value: unknown) => readonly ShapeFault[];
}

/** The value of a document and all its faults; undefined if it is not JSON. */
export function readDocument(
  bytes: Uint8Array,
  { code, check }: DocumentKind,
): { value: unknown; findings: readonly Finding[] } {
  const read = readJson(bytes);
  if ('violation' in read) {
    return { value: undefined, findings: [unreadable(toFinding(read.violation))] };
  }
  const value: unknown = JSON.parse(read.text);
  const twice = read.duplicates.map(duplicateAt);
  const start = locateAll(read.text, ['']).get('');
  const faults = [...twice, ...check(value)].map((fault) => {
    const { path, message } = fault;
    const params = { fault: message, hint: hintOf(fault), ...(path === '' && start) };
    return violation(code, path, params);
  });
  return { value, findings: toFindings(faults, read.text) };
}

function duplicateAt(path: string): ShapeFault {
  return { path, message: 'duplicate name in an object', hint: 'keep one of them' };
}

function unreadable(finding: Finding): Finding {
  return { ...finding, message: finding.message.replace(/^malformed body: /, '') };
}

function hintOf({ hint, unknown }: ShapeFault): string {
  const near = unknown && closest(unknown.name, unknown.known);
  return near === undefined ? hint : `did you mean ${near}? ${hint}`;
}
