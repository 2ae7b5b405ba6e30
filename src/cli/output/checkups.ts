import { column, type ItemOf } from './resource.ts';

/** The checks of `doctor`. */
export const CHECKUPS = {
  name: column((s) => s.text),
  state: column((s) => s.described(s.oneOf('ok', 'warning', 'wrong'), 'a warning may be intended')),
  detail: column((s) => s.text),
  hint: column((s) => s.nullable(s.text)),
};
export type CheckResult = ItemOf<typeof CHECKUPS>;
