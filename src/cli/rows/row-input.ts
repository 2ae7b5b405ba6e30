import { bodyText, checkObjectText, decodeUtf8 } from '../../contract/index.ts';
import { toFindings } from '../../validator/finding.ts';
import type { UserInput } from '../input.ts';
import { refuseCertain } from '../findings.ts';
import { type Row, rowOf } from './row.ts';

/** Takes what the user handed in for a row, whatever its size; InvalidError where it is no JSON object. */
export function rowOfInput({ source, bytes }: UserInput): Row {
  const read = bodyText(bytes);
  const wrong = 'violation' in read ? read.violation : checkObjectText(read.text);
  refuseCertain(wrong ? toFindings([wrong]) : [], `${source} is no row`);
  return rowOf(decodeUtf8(bytes));
}
