import { bodyText, checkObjectText, type Code, violation } from '../../contract/index.ts';
import { locateAll, parseJson } from '../../json/index.ts';
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
  const read = bodyText(bytes);
  const unread = 'violation' in read ? read.violation : checkObjectText(read.text);
  // JSON other than an object is reported with the other faults of its shape.
  if ('violation' in read || unread?.code === 'body.syntax') {
    return {
      value: undefined,
      findings: unread === undefined ? [] : [unreadable(toFinding(unread))],
    };
  }
  const value: unknown = JSON.parse(read.text);
  const twice = parseJson(read.text).duplicates.map(duplicateAt);
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
  const message = finding.message.replace(/^malformed body: /, '');
  const isComment = message.includes("'/'") || message.includes('"/"');
  return { ...finding, message, hint: isComment ? NO_COMMENTS : finding.hint };
}

const NO_COMMENTS = 'JSON has no comments: remove them';

function hintOf({ hint, unknown }: ShapeFault): string {
  const near = unknown && closest(unknown.name, unknown.known);
  return near === undefined ? hint : `did you mean ${near}? ${hint}`;
}
