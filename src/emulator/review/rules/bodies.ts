import { isObject } from '../../../contract/index.ts';
import { aboutOf } from '../exchange.ts';
import type { Rule } from '../rule.ts';
import { isStranger, parsed } from '../seen-request.ts';

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
const MAX_CHARACTERS = 100;

/** "Requests with a JSON body send Content-Type: application/json." */
export const contentTypeMissing: Rule = {
  code: 'request.content_type',
  at: ['row', 'file', 'grade'],
  see: ({ number, request, target, caller }, { state, report }) => {
    const { method, headers, body } = request;
    const given = String(headers['content-type'] ?? '');
    if (JSON_TYPE.test(given) || isStranger(caller)) return;
    if (!(body instanceof Uint8Array) || !isObject(parsed(body))) return;
    const shown = state.redact(given.slice(0, MAX_CHARACTERS));
    const type = given === '' ? 'has no Content-Type' : `has the Content-Type ${shown}`;
    const what = `${method} ${aboutOf(target)}`;
    report(`${what} ${type}`, [number], { what, type });
  },
};
