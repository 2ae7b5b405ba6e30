import type { ParsedJson } from '../../json/index.ts';
import type { Payload } from '../../validator/body.ts';
import { type Finding, toFinding } from '../../validator/finding.ts';
import { readCheckedRow } from '../../validator/row.ts';
import type { Context } from '../runtime.ts';
import { noteWarnings, refuseErrors } from '../shared/findings.ts';
import type { RowTarget } from '../session/row.ts';
import { confirm, printDryRun } from '../ui.ts';
import type { WriteOptions } from './images.ts';
import { bytesOf, readStored, type Row, type StoredRow } from '../../rows/row.ts';
import type { RowLock } from '../../rows/row-lock.ts';
import { showChange } from './show-change.ts';
import { withHistoryHint } from './history-hint.ts';
import { sendWrite } from './write.ts';

/** What is to become the whole row, and how messages call where it comes from. */
export interface Replacement {
  readonly command: string;
  readonly source: string;
  /** Not read again where it was read before. */
  readonly content: Payload | ParsedJson;
  /** What is there, where it has just been read. */
  readonly before?: StoredRow;
}

/**
 * Replaces a row wholesale, with care: what the service would refuse is refused here, what would be
 * lost is shown, and somebody agrees to it. Used by `put`, `copy` and `undo`, within `withRowLock`.
 */
export async function replaceRow(
  context: Context<WriteOptions>,
  target: RowTarget,
  lock: RowLock,
  { command, source, content, before: known }: Replacement,
): Promise<void> {
  const { findings, row } = readCheckedRow(content, { kind: target.kind });
  refuseErrors(findings, `${source} is not a valid ${target.label} row`);
  await noteWarnings(context, findings);
  const seen = known ?? (await readStored(target));
  // What is not a JSON object has been refused.
  const after = row as Row;
  await showChange(context, target, seen, after);
  const body = after.text;
  if (context.options.dryRun) {
    const { url } = target;
    await printDryRun(context, {
      method: 'PUT',
      url,
      body,
      findings: [...findings, ...replacedFindings(target, seen)],
    });
    return;
  }
  const before = await agreedTo(context, target, lock, seen, after);
  const write = { command, method: 'PUT', body, before, after } as const;
  const all = [...findings, ...replacedFindings(target, before)];
  await sendWrite(context, target, { ...write, findings: all });
}

/**
 * What is there when somebody agrees to its being replaced. A question may wait for hours: what has
 * been written meanwhile is shown and asked about anew, and is never replaced unseen.
 */
async function agreedTo(
  context: Context<WriteOptions>,
  target: RowTarget,
  lock: RowLock,
  seen: StoredRow,
  after: Row,
): Promise<StoredRow> {
  let before = seen;
  let question = `Replace the whole ${target.label} row?`;
  for (;;) {
    await confirm(context, question);
    if (context.options.yes) return before;
    await withHistoryHint(() => lock.acquire());
    const now = await readStored(target);
    if (Buffer.from(bytesOf(now)).equals(bytesOf(before))) return now;
    lock.release();
    before = now;
    question = `The ${target.label} row was changed elsewhere meanwhile. Replace the new version?`;
    await showChange(context, target, before, after);
  }
}

/** What a write replaces without anyone having understood it. */
function replacedFindings({ label }: RowTarget, before: StoredRow): Finding[] {
  if (!('fault' in before)) return [];
  return [
    {
      ...toFinding(before.violation),
      severity: 'warning',
      // The place is one in the row as it was, and not in what is sent.
      line: null,
      column: null,
      message: `the previous ${label} row is not a JSON object: ${before.fault}`,
      hint: 'undo cannot restore it; lectern storage history --show ID prints its bytes',
    },
  ];
}
