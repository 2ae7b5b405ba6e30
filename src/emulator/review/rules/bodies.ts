import { exchangesWhere, type Rule } from '../rule.ts';

/** "Requests with a JSON body send Content-Type: application/json." */
export const contentTypeMissing: Rule = {
  code: 'request.content_type',
  *find({ exchanges }) {
    const names = ['number', 'method', 'about', 'untyped'] as const;
    const condition = "untyped IS NOT NULL AND credential IS NOT NULL AND credential <> 'unknown'";
    for (const { number, method, about, untyped } of exchangesWhere(exchanges, names, condition)) {
      const what = `${method} ${about}`;
      const type = untyped === '' ? 'has no Content-Type' : `has the Content-Type ${untyped}`;
      yield { subject: `${what} ${type}`, requests: [number], params: { what, type } };
    }
  },
};
