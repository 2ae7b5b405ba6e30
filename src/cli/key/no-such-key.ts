import { UsageError } from '../../errors.ts';
import { nearest } from '../../validator/nearest.ts';

/** What was typed might be a key itself, so it is not repeated. */
export function noSuchKey(typed: string, names: readonly string[]): UsageError {
  return new UsageError('no API key is saved under this name', nearest(typed, names));
}
