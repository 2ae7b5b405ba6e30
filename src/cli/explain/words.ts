import { CODES, ERRORS } from '../../contract/index.ts';

/** The tables that can be explained. */
export const TABLE_NAMES = ['limits', 'errors', 'exit-codes', 'changes'] as const;

const statuses = ERRORS.map(({ status }) => String(status));

/** The words that lead to an explanation, apart from statuses that the contract does not list. */
export const EXPLAINED_WORDS: readonly string[] = [
  ...TABLE_NAMES,
  'json',
  ...new Set(statuses),
  ...Object.keys(CODES),
];
