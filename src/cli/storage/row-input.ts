import { checkObject } from '../../contract/index.ts';
import { decodeUtf8 } from '../../json/index.ts';
import { toFindings } from '../../validator/finding.ts';
import type { UserInput } from '../input/read.ts';
import { refuseErrors } from '../shared/findings.ts';
import { type Row, rowOf } from '../../rows/row.ts';

/** Takes what the user handed in for a row, whatever its size; InvalidError where it is no JSON object. */
export function rowOfInput({ source, bytes }: UserInput): Row {
  const wrong = checkObject(bytes);
  refuseErrors(wrong ? toFindings([wrong]) : [], `${source} is no row`);
  return rowOf(decodeUtf8(bytes));
}
