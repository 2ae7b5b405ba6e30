import { CODES, type Code } from '../../../contract/index.ts';
import { bearerOf } from '../../http/messages.ts';
import { isTokenForm } from '../../state/tokens.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';
import { endedTokenOf } from './credentials.ts';

const NOT_OF_THE_CONTRACT = 'the contract has no such request: compare its method and its body';
const FORM_REFUSED =
  'POST every entry of fields first and the file last, with as many bytes as were declared';

/**
 * A refusal by the service, grouped by its code. The rules before this one in the list say more about
 * some of them.
 */
export const refused: Rule = {
  code: 'request.refused',
  at: ['row', 'files', 'file', 'provision', 'grade', 'signed'],
  on: 'refusal',
  see: (seen, { state, report, isReported }) => {
    const { number, status, code = '', message, place, isProcessed } = seen;
    if (!isProcessed || status >= 500 || isReported() || isUsual(seen)) return;
    const known = code in CODES ? CODES[code as Code].hint({}) : NOT_OF_THE_CONTRACT;
    const hint = place === 'signed' ? FORM_REFUSED : known;
    report(code, [number], { status, code, message: state.redact(message), hint });
  },
};

/** Whether a tool by the contract may get the answer. */
function isUsual(seen: SeenRequest): boolean {
  const { code, request, status, caller, facts } = seen;
  // A browser's preflight is no call of the tool.
  if (request.method === 'OPTIONS') return true;
  // An ended token shows by a 401 only, and an absent file by a 404.
  if (endedTokenOf(seen) !== undefined) return true;
  if (code === 'file.not_found' && request.method === 'GET') return true;
  // The tool's clock may differ from the emulator's; that of its own delay has a rule.
  if (facts.expired !== undefined) return true;
  // Of a launch from before a reset, or of an emulator that used this address before.
  return status === 401 && caller.credential === 'unknown' && isTokenForm(bearerOf(request) ?? '');
}
