import { type Claims, readLaunch } from '../contract/index.ts';
import { compactJson, fromNative } from '../json/index.ts';
import { namesOf } from './launch/claim-path.ts';
import { kindOfLaunch } from './launch/kind.ts';
import {
  CLAIM_GROUPS,
  CLAIM_OBJECTS,
  type ClaimGroup,
  explainClaim,
} from './launch/known-claims.ts';
import { maskClaim } from './launch/secrets.ts';

export { maskClaims } from './launch/secrets.ts';
export type { ClaimGroup } from './launch/known-claims.ts';

/** One claim, explained. */
export interface ClaimEntry {
  /** For example `api.token`. */
  readonly path: string;
  /** A text unchanged, anything else as compact JSON; secrets are hidden by default. */
  readonly value: string;
  readonly meaning: string;
  /** Whether the contract names it. */
  readonly known: boolean;
  readonly secret: boolean;
}

/** The claims of one group. */
export interface ExplainedClaims {
  readonly group: ClaimGroup;
  readonly entries: readonly ClaimEntry[];
}

export interface ExplainOptions {
  readonly showSecrets?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: number | undefined;
}

/**
 * Explains a launch claim by claim ("Launch claims referred to in this interface"): who, where,
 * what may be called, until when, which version; a group without claims is left out.
 */
export function explainClaims(claims: Claims, options: ExplainOptions = {}): ExplainedClaims[] {
  const launch = readLaunch(claims);
  const explaining = { launch, kind: kindOfLaunch(launch), now: options.now };
  const explained = leavesOf(claims).map(({ path, value }) => {
    const { group, meaning, known } = explainClaim(path, explaining);
    const whole = valueText(value);
    const masked = valueText(maskClaim(path, value));
    const shown = options.showSecrets ? whole : masked;
    return { group, entry: { path, value: shown, meaning, known, secret: masked !== whole } };
  });
  return CLAIM_GROUPS.map((group) => ({
    group,
    entries: explained.filter((each) => each.group === group).map(({ entry }) => entry),
  })).filter(({ entries }) => entries.length > 0);
}

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

function leavesOf(claims: Claims): Leaf[] {
  return Object.entries(claims).flatMap(([name, value]): Leaf[] => {
    const isOpened = CLAIM_OBJECTS.includes(name) && namesOf(value).length > 0;
    if (!isOpened) return [{ path: name, value }];
    return Object.entries(value as Claims).map(([inner, each]) => ({
      path: `${name}.${inner}`,
      value: each,
    }));
  });
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  // 1e400 is Infinity by now, which JSON cannot express.
  if (typeof value === 'number') return String(value);
  try {
    return compactJson(fromNative(value));
  } catch {
    return '(cannot be shown)';
  }
}
