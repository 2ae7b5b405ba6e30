import { CODES, type Code } from '../../../contract/index.ts';
import { ruleOfEach } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';
import { OF_ENDED_TOKEN } from './credentials.ts';

const NOT_OF_THE_CONTRACT = 'the contract has no such request: compare its method and its body';
const FORM_REFUSED =
  'POST every entry of fields first and the file last, with as many bytes as were declared';
const DOWNLOAD_REFUSED = 'read the file record again, and use its url as it is';
const GRADE_NOT_FOUND =
  'take the URL from grade.submit, and its member from user.member of a launch';

/** The way out of a refusal whose code the contract does not have. */
function hintOf({ place, method, outcome }: Pick<StoredExchange, 'place' | 'method' | 'outcome'>) {
  if (place === 'signed') return method === 'GET' ? DOWNLOAD_REFUSED : FORM_REFUSED;
  return place === 'grade' && outcome === 'not_found' ? GRADE_NOT_FOUND : NOT_OF_THE_CONTRACT;
}

/** The refusals that a tool by the contract may get. */
const USUAL = [
  // A browser's preflight is no call of the tool.
  "method = 'OPTIONS'",
  // An ended token shows by a 401 only, and an absent file by a 404.
  `(${OF_ENDED_TOKEN})`,
  "(outcome = 'file.not_found' AND method = 'GET')",
  // Rules of their own find these.
  "(outcome = 'request.content_type' AND untyped IS NOT NULL)",
  "outcome IN ('grade.unknown_field', 'grade.launch_id')",
  // The tool's clock may differ from the emulator's; that of its own delay has a rule.
  'expired',
  // Of a launch from before a reset, or of an emulator that used this address before.
  '(status = 401 AND stray)',
].join(' OR ');

const REFUSED = `outcome IS NOT NULL AND processed
  AND (status BETWEEN 400 AND 499 OR outcome = 'method_not_allowed')
  AND place <> 'unknown' AND NOT (${USUAL})`;

/** A refusal by the service, grouped by its code. The rules before it say more about some of them. */
export const refused = ruleOfEach(
  'request.refused',
  ['number', 'method', 'status', 'outcome', 'error', 'place'],
  REFUSED,
  (each, _state, reported) => {
    const { number, status, outcome, error } = each;
    if (reported.has(number)) return undefined;
    const code = outcome ?? '';
    const known = code in CODES ? CODES[code as Code] : undefined;
    const [message, hint] = [error ?? '', known?.hint({}) ?? hintOf(each)];
    const params = { status, code, message, hint, ...(known && { rule: known.rule }) };
    // Only a code of the contract has one cause.
    return { subject: known ? code : `${code} ${message}`, requests: [number], params };
  },
);
