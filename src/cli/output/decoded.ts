import type { ClaimEntry, ExplainedClaims } from '../../validator/claims-explained.ts';
import type { Finding } from '../../validator/finding.ts';
import type { DecodedLaunch } from '../../validator/launch.ts';
import type { Colors } from './colors.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from './escape.ts';
import { LAUNCH_KINDS } from './launch.ts';
import { paint, type Tone, toneOf } from './paint.ts';
import { permitLines } from './permits.ts';
import { wrapLines } from './wrap.ts';

const FORMS = {
  json: 'claims as JSON',
  token: 'a header.payload.signature token',
  base64: 'base64',
  url: 'a URL',
  form: 'a form body',
} as const;

/** The terminal that shows a decoded launch. */
interface View {
  /** Columns of the terminal; without a width, nothing is wrapped. */
  readonly width: number | undefined;
  readonly colors: Colors;
}

/** A one-line verdict on a launch, and what it can be used for. */
interface Verdict {
  readonly text: string;
  readonly tone: Tone;
}

/** A decoded launch for a terminal: the verdict, the findings, the claims by group, the permissions. */
export function decodedText(
  decoded: DecodedLaunch,
  verdict: Verdict,
  claims: readonly ExplainedClaims[],
  { width, colors }: View,
): string {
  const shown = (lines: readonly string[]): string => wrapLines(lines, width).join('\n');
  const sections = [
    shown([verdict.text]).replace(/^.*$/gm, (line) => paint(colors, verdict.tone, line)),
    ...gatherFindings(decoded.findings).map((lines) =>
      shown(lines).replace(/^\w+(?=:)/, (word) => paint(colors, toneOf(word), word)),
    ),
    shown(headLines(decoded)),
    ...claims.map(({ group, entries }) => shown([`${group}:`, ...entries.flatMap(claimLines)])),
    shown(permitLines(decoded.permissions)).replace(/\b(yes|no)\b(?= |$|:)/gm, (word) =>
      paint(colors, word === 'yes' ? 'good' : 'bad', word),
    ),
  ];
  return sections.join('\n\n');
}

function headLines({ kind, form, header, contract }: DecodedLaunch): string[] {
  const version = contract === null ? 'matches no known contract' : `matches contract ${contract}`;
  return [
    `a ${LAUNCH_KINDS[kind]}, read from ${FORMS[form]}; the signature was not verified`,
    ...(header === undefined ? [] : [`token header: ${escapeText(JSON.stringify(header))}`]),
    version,
  ];
}

function claimLines({ path, value, meaning, known }: ClaimEntry): string[] {
  return [
    `  ${known ? '' : '? '}${escapeText(path)}: ${escapeText(value)}`,
    `      ${escapeText(meaning)}`,
  ];
}

/**
 * The findings, a block for each; those with the same hint, such as one change of the contract,
 * share a block.
 */
function gatherFindings(findings: readonly Finding[]): string[][] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.severity}\t${finding.hint}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((alike) => {
    const { severity, code, hint } = alike[0] as Finding;
    const lines = alike.map(
      (each, at) => `${at === 0 ? `${severity}:` : ' '} ${findingWords(each)}`,
    );
    return lines.concat(`    ${escapeText(withCommand(code, hint))}`);
  });
}

function findingWords({ message, code, path }: Finding): string {
  return `${escapeText(message)} [${code}${path && ` at ${escapeText(path)}`}]`;
}
