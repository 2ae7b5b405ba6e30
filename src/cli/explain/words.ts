import { CODES, ERRORS } from '../../contract/index.ts';
import { GLOSSARY } from './glossary.ts';

export const TABLE_NAMES = ['limits', 'errors', 'exit-codes', 'changes'] as const;

const statuses = ERRORS.map(({ status }) => String(status));

/** The words that lead to an explanation, apart from statuses that the contract does not list. */
export const EXPLAINED_WORDS: readonly string[] = [
  ...TABLE_NAMES,
  'all',
  'json',
  'schema',
  'openapi',
  'example-grades',
  ...new Set(statuses),
  ...Object.keys(CODES),
  // As one argument: in a shell, a term of several words has hyphens.
  ...GLOSSARY.map(({ term }) => term.replaceAll(' ', '-')),
];
