import type { ClaimEntry, ExplainedClaims } from '../../validator/claims-explained.ts';
import type { Finding } from '../../validator/finding.ts';
import type { DecodedLaunch } from '../../validator/launch.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from './escape.ts';
import { LAUNCH_KINDS } from './launch.ts';
import { wrapLines } from './wrap.ts';

const FORMS = {
  json: 'claims as JSON',
  token: 'a header.payload.signature token',
  base64: 'base64',
  url: 'a URL',
  form: 'a form body',
} as const;

/** A launch, and whether it permits each command. */
interface ShownLaunch extends DecodedLaunch {
  readonly permits: readonly ShownPermit[];
}

interface ShownPermit {
  readonly command: string;
  readonly allowed: boolean;
  readonly reason: string;
}

/** A decoded launch for a person: claims by group, findings, permits; wrapped to `width` columns. */
export function decodedText(
  decoded: ShownLaunch,
  claims: readonly ExplainedClaims[],
  width?: number,
): string {
  const sections = [
    headLines(decoded),
    ...claims.map(({ group, entries }) => [`${group}:`, ...entries.flatMap(claimLines)]),
    findingLines(decoded.findings),
    permitLines(decoded.permits),
  ];
  return sections.map((lines) => wrapLines(lines, width).join('\n')).join('\n\n');
}

function headLines({ kind, form, header, contract }: DecodedLaunch): string[] {
  const agreed = contract === null ? 'older than all that are known' : contract;
  return [
    `a ${LAUNCH_KINDS[kind]}, read from ${FORMS[form]}; no signature was checked`,
    ...(header === undefined ? [] : [`token header: ${escapeText(JSON.stringify(header))}`]),
    `newest contract that it agrees with: ${agreed}`,
  ];
}

function claimLines({ path, value, meaning, known }: ClaimEntry): string[] {
  return [
    `  ${known ? '' : '? '}${escapeText(path)}: ${escapeText(value)}`,
    `      ${escapeText(meaning)}`,
  ];
}

function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['findings: none'];
  return [
    'findings:',
    ...findings.flatMap(({ severity, path, message, hint, code }) => [
      `  ${severity}: ${escapeText(message)} [${code}${path && ` at ${escapeText(path)}`}]`,
      `      ${escapeText(withCommand(code, hint))}`,
    ]),
  ];
}

function permitLines(permits: readonly ShownPermit[]): string[] {
  const sorted = [...permits].sort((a, b) => Number(b.allowed) - Number(a.allowed));
  const verdicts = groupBy(sorted, ({ allowed, reason }) => `${allowed ? 'yes' : 'no'}: ${reason}`);
  const lines = ['permits:'];
  for (const [verdict, group] of verdicts) {
    lines.push(`  ${escapeText(verdict)}`);
    for (const folded of foldCommands(group.map(({ command }) => command))) {
      lines.push(`      ${folded}`);
    }
  }
  return lines;
}

/** `storage get member` and its like in few lines: `storage get|diff|put member|member_location`. */
function foldCommands(commands: readonly string[]): string[] {
  const words = commands.map((command) => {
    const [noun = '', verb = '', ...rest] = command.split(' ');
    return { noun, verb, rest: rest.join(' ') };
  });
  const byRest = groupBy(words, ({ noun, rest }) => `${noun}\t${rest}`);
  const folded = [...byRest].map(([key, group]) => {
    const [noun, rest = ''] = key.split('\t');
    return { head: `${noun} ${group.map(({ verb }) => verb).join('|')}`, rest };
  });
  return [...groupBy(folded, ({ head }) => head)].map(([head, group]) =>
    `${head} ${alternatives(group.map(({ rest }) => rest))}`.trim(),
  );
}

function alternatives(rests: readonly string[]): string {
  const given = rests.filter((rest) => rest !== '').join('|');
  return given !== '' && rests.includes('') ? `[${given}]` : given;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
