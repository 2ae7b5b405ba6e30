import { readObject, type Violation } from '../../contract/index.ts';
import type { Row, StoredRow } from '../../rows/row.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';
import type { UserInput } from '../input/read.ts';

/** Reads a row of any size from the user's input; InvalidError if it is not a JSON object. */
export function rowOfInput({ source, bytes }: UserInput): Row {
  const read = readObject(bytes);
  return 'violation' in read ? refuse(source, read.violation) : read;
}

/** Reads a row from a stored version; throws as `rowOfInput` does. */
export function rowOfStored(source: string, stored: StoredRow): Row {
  return 'violation' in stored ? refuse(source, stored.violation) : stored;
}

function refuse(source: string, wrong: Violation): never {
  throw new InvalidError(`${source} is not a row`, { findings: [toFinding(wrong)] });
}
