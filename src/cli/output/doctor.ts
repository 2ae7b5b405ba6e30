import type { Table } from './table.ts';

/** One thing that was looked at, as `--json` prints it. */
export interface Checkup {
  readonly name: string;
  /** A warning may be as it should; what is wrong is not. */
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
  /** The way out; null where there is nothing to do. */
  readonly hint: string | null;
}

/** All that was looked at, a row each. */
export function doctorTable(checkups: readonly Checkup[]): Table {
  return {
    columns: ['what', 'state', 'detail'],
    rows: checkups.map(({ name, state, detail, hint }) => [
      name,
      state,
      hint === null ? detail : `${detail}; ${hint}`,
    ]),
  };
}
