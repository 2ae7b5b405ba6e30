import { distance } from 'fastest-levenshtein';
import { CLAIM_TABLE, type ClaimGroup, claimRow, type ExplainContext } from './claims-table.ts';

/** Registered claims of signed tokens (RFC 7519), which the contract does not mention. */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ['sub', 'the subject of the token'],
  ['aud', 'the audience of the token'],
  ['exp', 'expiry of the token that contained the claims, in seconds since the epoch'],
  ['nbf', 'start of validity of the token that contained the claims'],
  ['iat', 'issue time of the token that contained the claims, in seconds since the epoch'],
  ['jti', 'ID of the token that contained the claims'],
  ['nonce', 'a value used once'],
]);

/** The claims that have members. */
export const CLAIM_OBJECTS = [
  ...new Set(CLAIM_TABLE.flatMap(({ path }) => path.split('.').slice(0, -1))),
];

/** The group of a claim, its sentence, and whether the contract names it. */
export function explainClaim(
  path: string,
  at: ExplainContext,
): { group: ClaimGroup; meaning: string; known: boolean } {
  const { group = 'other', words, until, replacedBy } = claimRow(path) ?? {};
  if (until !== undefined) {
    const meaning = `of an older contract; replaced on ${until} by ${replacedBy}`;
    return { group, meaning, known: true };
  }
  if (words !== undefined) {
    return { group, meaning: typeof words === 'string' ? words : words(at), known: true };
  }
  const registered = REGISTERED.get(path);
  const meaning = registered
    ? `not in the contract; in a signed token: ${registered}`
    : ['not in the contract', ...suggestion(path)].join('; ');
  return { group, meaning, known: false };
}

/** The known claim that a misspelt one most likely means. */
function suggestion(path: string): string[] {
  const named = CLAIM_TABLE.filter(({ words }) => words !== undefined).map((row) => row.path);
  const ranked = [...named, ...CLAIM_OBJECTS]
    .map((claim) => ({ claim, far: distance(path.toLowerCase(), claim.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  if (best === undefined || best.far > Math.max(1, Math.min(3, path.length >> 2))) return [];
  return [`did you mean ${best.claim}?`];
}
