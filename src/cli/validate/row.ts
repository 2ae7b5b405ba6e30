import type { RowKind } from '../../contract/index.ts';
import { validateRow } from '../../validator/row.ts';
import type { Context } from '../runtime.ts';
import { checkPayloads } from './payloads.ts';
import type { ReportOptions } from './report.ts';

/** What `row` and `patch` are told of the row. */
export interface RowFlags extends ReportOptions {
  readonly kind?: RowKind;
  /** The part of the limit, from 0 to 1. */
  readonly warnAt?: number;
}

export async function runRow(context: Context<RowFlags>, files: readonly string[]): Promise<void> {
  await checkPayloads(context, 'row', files, (bytes) => validateRow(bytes, context.options));
}
