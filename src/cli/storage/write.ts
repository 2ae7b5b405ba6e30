import { compactSize } from '../../json/index.ts';
import type { StoredRow } from '../../rows/row.ts';
import { type RowWrite, type WriteEvent, writeRow } from '../../rows/write.ts';
import type { Finding } from '../../validator/finding.ts';
import { findingWithCommand } from '../output/command-hints.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note, printDone } from '../ui.ts';
import { withHistoryHint } from './history-hint.ts';
import { imageLedger, type WriteOptions } from './images.ts';

/** A write, and what was probably not meant about it. */
export interface CheckedWrite extends RowWrite {
  /** Part of the outcome as `--json` prints it. */
  readonly findings: readonly Finding[];
}

/** Writes a row and prints the outcome; throws as `writeRow` does. */
export async function sendWrite(
  context: Context<WriteOptions>,
  target: RowTarget,
  write: CheckedWrite,
): Promise<void> {
  const { outcome, image } = await withHistoryHint(async () =>
    writeRow(target, write, {
      ledger: await imageLedger(context),
      onEvent: (event) => note(context, eventText(event, target)),
    }),
  );
  const bytes = write.after === undefined ? null : compactSize(write.after.text);
  if (context.options.json) {
    await printOutcome(context, target, { outcome, bytes, image, findings: write.findings });
    return;
  }
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  const isSettled = outcome === 'settled';
  const how = isSettled ? 'written: the response was lost, but the row reads as sent' : 'written';
  await note(context, `${target.label} ${how}${size}`);
  if (image !== undefined) {
    await note(context, `previous version saved; ${restoreHint(target, write.before, image)}`);
  }
}

function eventText({ kind, message }: WriteEvent, { label }: RowTarget): string {
  return kind === 'answer_lost'
    ? `${message}; reading the ${label} row again`
    : `the history lists this write as in doubt: ${message}`;
}

/** A version that is not a JSON object cannot be restored, only printed. */
function restoreHint({ name }: RowTarget, before: StoredRow | undefined, image: number): string {
  return before && 'fault' in before
    ? `print its bytes with: lectern storage history --show ${image}`
    : `restore with: lectern storage undo ${name ?? 'URL'} ${image}`;
}

/** The outcome of a write, as it is told. */
interface PrintedOutcome {
  readonly outcome: 'written' | 'settled' | 'unchanged';
  /** The compact size afterwards, where known. */
  readonly bytes: number | null;
  readonly image?: number | undefined;
  readonly findings?: readonly Finding[];
}

/** Prints the outcome of a write as `--json` has it. */
export async function printOutcome(
  runtime: Runtime,
  { label: row }: RowTarget,
  { outcome, bytes, image, findings = [] }: PrintedOutcome,
): Promise<void> {
  const done = `${row} ${outcome === 'unchanged' ? 'unchanged' : 'written'}`;
  await printDone(
    runtime,
    {
      row,
      outcome,
      bytes,
      before_image: image ?? null,
      findings: findings.map(findingWithCommand),
    },
    done,
  );
}
