import { ruleOfEach } from '../rule.ts';

/** "Requests with a JSON body send Content-Type: application/json." */
export const contentTypeMissing = ruleOfEach(
  'request.content_type',
  ['number', 'method', 'about', 'untyped'],
  "untyped IS NOT NULL AND credential IS NOT NULL AND credential <> 'unknown'",
  ({ number, method, about, untyped }) => {
    const what = `${method} ${about}`;
    const type = untyped === '' ? 'has no Content-Type' : `has the Content-Type ${untyped}`;
    return { subject: `${what} ${type}`, requests: [number], params: { what, type } };
  },
);
