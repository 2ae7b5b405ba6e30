import { CODES, type Code } from '../../../contract/index.ts';
import { ruleOfEach } from '../rule.ts';
import { OF_ENDED_TOKEN } from './credentials.ts';

const NOT_OF_THE_CONTRACT = 'the contract has no such request: compare its method and its body';
const FORM_REFUSED =
  'POST every entry of fields first and the file last, with as many bytes as were declared';

/** The refusals that a tool by the contract may get. */
const USUAL = [
  // A browser's preflight is no call of the tool.
  "method = 'OPTIONS'",
  // An ended token shows by a 401 only, and an absent file by a 404.
  `(${OF_ENDED_TOKEN})`,
  "(outcome = 'file.not_found' AND method = 'GET')",
  // The tool's clock may differ from the emulator's; that of its own delay has a rule.
  'expired',
  // Of a launch from before a reset, or of an emulator that used this address before.
  '(status = 401 AND stray)',
].join(' OR ');

const REFUSED = `outcome IS NOT NULL AND processed AND status BETWEEN 400 AND 499
  AND place <> 'unknown' AND NOT (${USUAL})`;

/** A refusal by the service, grouped by its code. The rules before it say more about some of them. */
export const refused = ruleOfEach(
  'request.refused',
  ['number', 'status', 'outcome', 'error', 'place'],
  REFUSED,
  ({ number, status, outcome, error, place }, _state, reported) => {
    if (reported.has(number)) return undefined;
    const code = outcome ?? '';
    const known = code in CODES ? CODES[code as Code] : undefined;
    const hint = place === 'signed' ? FORM_REFUSED : (known?.hint({}) ?? NOT_OF_THE_CONTRACT);
    const params = { status, code, message: error ?? '', hint, ...(known && { rule: known.rule }) };
    return { subject: code, requests: [number], params };
  },
);
