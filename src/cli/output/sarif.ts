import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CODES, type Code, type CodeRow } from '../../contract/index.ts';
import { withCommand } from './command-hints.ts';
import { type Checked, located, REPORT_KIND, SARIF_MAX_RESULTS } from './validate.ts';

type Located = ReturnType<typeof located>[number];
type Fingerprint = Readonly<Record<string, string>>;

/**
 * The results as a SARIF 2.1.0 log, with everything that code scanning needs: a rule with help for
 * each code, and for each result a file with a region, and a fingerprint. `kind` separates the
 * results of several runs on one commit.
 */
export function sarifLog(results: readonly Checked[], kind: string, version: string) {
  const shown = located(results).slice(0, SARIF_MAX_RESULTS);
  const codes = [...new Set(shown.map(({ finding }) => finding.code))];
  const fingerprints = fingerprintsOf(shown, kind);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0' as const,
    runs: [
      {
        tool: { driver: { name: 'lectern', semanticVersion: version, rules: codes.map(ruleOf) } },
        automationDetails: { id: `lectern/${kind}/` },
        columnKind: 'utf16CodeUnits',
        results: shown.map((each, index) => resultOf(each, codes, fingerprints[index])),
      },
    ],
  };
}

function ruleOf(code: Code) {
  const { severity, rule }: CodeRow = CODES[code];
  const help = `Rule of the contract: ${rule}. For an example and a hint: lectern explain ${code}`;
  return {
    id: code,
    name: code,
    shortDescription: { text: `${code} (${rule})` },
    fullDescription: { text: rule },
    help: { text: help, markdown: help.replace(`lectern explain ${code}`, '`$&`') },
    defaultConfiguration: { level: severity },
    // A term of code scanning.
    properties: {
      'problem.severity': severity === 'note' ? 'recommendation' : severity,
      precision: 'very-high',
    },
  };
}

function resultOf(
  { file, finding }: Located,
  codes: readonly Code[],
  partialFingerprints: Fingerprint | undefined,
) {
  const { code, severity, message, hint, path } = finding;
  // A finding about the whole file is shown at its start: a result without a line is refused.
  const [line, column] = [finding.line ?? 1, finding.column ?? 1];
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    partialFingerprints,
    level: severity,
    message: { text: `${message}; ${withCommand(code, hint)}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, startColumn: column, endLine: line, endColumn: column + 1 },
        },
        ...(path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path }] }),
      },
    ],
  };
}

/**
 * Identifies a result across runs: by its code and file, and its number among those of the same
 * code and file. Code scanning uses only `primaryLocationLineHash`, which its uploader computes
 * from the line of a file and compares; it is given only if there is no such file.
 */
function fingerprintsOf(found: readonly Located[], kind: string): Fingerprint[] {
  const counts = new Map<string, number>();
  return found.map(({ file, finding }) => {
    const id = `${finding.code}\n${uriOf(file)}`;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
    const isOfFile = file !== '-' && kind !== REPORT_KIND;
    return { [isOfFile ? 'lectern/v1' : 'primaryLocationLineHash']: `${hash}:${count}` };
  });
}

/** A path as a URI: relative to the current folder, which in a check of a repository is its root. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(/[\\/]/).map(encodeURIComponent).join('/');
}
