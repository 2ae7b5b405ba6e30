import type { WRITE_FLAGS } from './flags.ts';
import { placedMessage } from '../../contract/index.ts';
import { StateError } from '../../errors.ts';
import { compactSize, type ParsedJson } from '../../json/index.ts';
import { LedgerError } from '../../ledger/error.ts';
import {
  type ChangeOptions,
  changeRow,
  type NewRow,
  previewChange,
  type RowChange,
  type TriedWrite,
} from '../../rows/change.ts';
import { refuseOnLedgerError } from '../../rows/images.ts';
import type { Row, StoredRow } from '../../rows/row.ts';
import { type RowWrite, type WriteEvent, writeRow, type WriteResult } from '../../rows/write.ts';
import type { Payload } from '../../validator/body.ts';
import { type Finding, toFinding } from '../../validator/finding.ts';
import { readCheckedRow } from '../../validator/row.ts';
import { findingWithCommand } from '../output/command-hints.ts';
import type { Called, Context } from '../runtime.ts';
import type { RowTarget } from '../session/resolve-call.ts';
import { noteWarnings, note } from '../output/notes.ts';
import { refuseErrors, confirm } from '../ask.ts';
import type { Printed } from '../output/all-forms.ts';
import { dryRun } from '../output/dry-run.ts';
import type { Result } from '../output/result.ts';
import { imageLedger } from './images.ts';
import { showChange, showDiff } from './difference.ts';

interface ChangeView {
  /** false if the user has seen the change already. */
  readonly isShown?: boolean;
  /** Printed if nothing is to be sent. */
  readonly unchanged?: () => string;
}

/** Changes a row: shows the change, asks before the row is replaced, and returns the outcome. */
export async function runChange(
  context: Called<typeof WRITE_FLAGS>,
  target: RowTarget,
  change: RowChange,
  view: ChangeView = {},
): Promise<Result> {
  const { options } = context;
  const { isShown = true, unchanged = () => 'nothing was sent' } = view;
  const asks = change.method === 'PUT';
  const show = async (write: TriedWrite, isRepeated: boolean): Promise<void> => {
    if (!isShown) return;
    if (!isRepeated) await noteWarnings(context, write.findings);
    if (!write.after) return;
    if (asks && !('violation' in write.before)) {
      const { label } = target;
      await showDiff(context, [label, write.before], [`${label}, new`, write.after]);
    }
    await showChange(context, target, write.before, write.after);
  };
  if (options.dryRun) {
    const write = await previewChange(target, change);
    if (write === undefined) return {};
    await show(write, false);
    return dryRun({ ...write, url: target.url, findings: allFindings(target, write) });
  }
  const { outcome, before, write, image } = await withHistoryHint(async () =>
    changeRow(target, change, {
      ...(await changeOptions(context, target)),
      isReviewSlow: asks && !options.yes,
      review: async (tried, { isRepeated }) => {
        await show(tried, isRepeated);
        if (asks) await confirm(context, replaceQuestion(target, isRepeated));
      },
    }),
  );
  const findings = write ? allFindings(target, write) : [];
  if (outcome === 'unchanged') return unchangedRow(target, before, unchanged(), findings);
  return written(target, { outcome, before, after: write?.after, image, findings });
}

function replaceQuestion({ label }: RowTarget, isRepeated: boolean): string {
  return isRepeated
    ? `The ${label} row was changed elsewhere. Replace the new version?`
    : `Replace the whole ${label} row?`;
}

/** Sends a write without reading the row before, and returns the outcome. */
export async function runBlindWrite(
  context: Called<typeof WRITE_FLAGS>,
  target: RowTarget,
  write: Pick<RowWrite, 'command' | 'method' | 'body'>,
  findings: readonly Finding[],
): Promise<Result> {
  const unknown = { before: undefined, after: undefined };
  const result = await withHistoryHint(async () =>
    writeRow(target, { ...write, ...unknown }, await changeOptions(context, target)),
  );
  return written(target, { ...result, ...unknown, findings });
}

/** Reads a row that is to replace another; throws `InvalidError` if the service would refuse it. */
export function newRow(
  { kind, label }: RowTarget,
  source: string,
  content: Payload | ParsedJson,
): NewRow {
  const { findings, row } = readCheckedRow(content, { kind });
  refuseErrors(findings, `${source} is not a valid ${label} row`);
  // If it is not a JSON object, there is an error.
  return { row: row as Row, findings };
}

/** How a command writes a row: with its ledger, its clock and its interrupt. */
export async function changeOptions(
  context: Called<typeof WRITE_FLAGS>,
  target: RowTarget,
): Promise<ChangeOptions> {
  const { label } = target;
  const ledger = await refuseOnLedgerError(target, () => imageLedger(context));
  return {
    ledger,
    locks: ledger ?? (await lockLedger(context, target)),
    clock: context,
    signal: context.interrupt,
    onWait: () =>
      note(context, `waiting for another lectern process that is writing the ${label} row`),
    onEvent: (event) => note(context, eventText(event, target)),
  };
}

/** Without before-images the ledger still locks the row, unless it cannot be opened. */
async function lockLedger(
  context: Context,
  target: RowTarget,
): Promise<ChangeOptions['locks'] | undefined> {
  try {
    return await refuseOnLedgerError(target, () => context.ledger());
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
}

/** If a before-image cannot be stored, the error names the flag that writes without one. */
export async function withHistoryHint<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StateError && error.cause instanceof LedgerError)) throw error;
    const hint = 'use --no-history to write without keeping the previous version';
    throw new StateError(error.message, hint, { cause: error.cause });
  }
}

function eventText({ kind, message }: WriteEvent, { label }: RowTarget): string {
  return kind === 'answer_lost'
    ? `${message}; reading the ${label} row again`
    : `the history lists this write as in doubt: ${message}`;
}

/** The findings of a write, and whether it replaces a row that is not a JSON object. */
function allFindings({ label }: RowTarget, { before, findings }: TriedWrite): Finding[] {
  if (!('violation' in before)) return [...findings];
  return [
    ...findings,
    {
      ...toFinding(before.violation),
      severity: 'warning',
      // The position is one in the previous row, not in what is sent.
      line: null,
      column: null,
      message: `the previous ${label} row is not a JSON object: ${placedMessage(before.violation)}`,
      hint: 'undo cannot restore it; lectern storage history --show ID prints its bytes',
    },
  ];
}

interface Written extends WriteResult {
  /** The row before and after; undefined if it was not read. */
  readonly before: StoredRow | undefined;
  readonly after: Row | undefined;
  readonly findings: readonly Finding[];
}

function written(target: RowTarget, { outcome, before, after, image, findings }: Written): Result {
  const bytes = sizeOf(after);
  const how =
    outcome === 'settled' ? 'written: the response was lost, but the row reads as sent' : 'written';
  return {
    json: resultJson(target, { outcome, bytes, before_image: image ?? null }, findings),
    notes: [
      `${target.label} ${how}${bytes === null ? '' : `, ${bytes} bytes`}`,
      image === undefined
        ? undefined
        : `previous version saved; ${restoreHint(target, before, image)}`,
    ],
    done: `${target.label} written`,
  };
}

/** The result if there was nothing to send; `text` says why. */
export function unchangedRow(
  target: RowTarget,
  row: StoredRow,
  text: string,
  findings: readonly Finding[] = [],
): Result {
  const result = { outcome: 'unchanged', bytes: sizeOf(row), before_image: null } as const;
  return { json: resultJson(target, result, findings), notes: [text] };
}

type Outcome = Printed<'storage put'>;

function resultJson(
  { label: row }: RowTarget,
  result: Pick<Extract<Outcome, { outcome: unknown }>, 'outcome' | 'bytes' | 'before_image'>,
  findings: readonly Finding[],
): Outcome {
  return { row, ...result, findings: findings.map(findingWithCommand) };
}

/** In compact bytes; null if unknown or not a JSON object. */
function sizeOf(row: StoredRow | undefined): number | null {
  return row === undefined || 'violation' in row ? null : compactSize(row.text);
}

/** A version that is not a JSON object cannot be restored, only printed. */
function restoreHint(
  { argument }: RowTarget,
  before: StoredRow | undefined,
  image: number,
): string {
  return before && 'violation' in before
    ? `print its bytes with: lectern storage history --show ${image}`
    : `restore with: lectern storage undo ${argument} ${image}`;
}
