import { findingWithCommand } from '../output/command-hints.ts';
import { NoAnswer, type NoAnswerReason, Refusal } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import { compactSize } from '../../json/index.ts';
import type { WriteOutcome } from '../../ledger/ledger.ts';
import type { Finding } from '../../validator/finding.ts';
import { ExitError } from '../errors.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note, printDone } from '../ui.ts';
import { keepImage, settleImage, type WriteOptions } from './images.ts';
import { readsLike, readStored, type Row, type Stored } from './row.ts';

/** A write of a row, checked and agreed to. */
export interface RowWrite {
  /** As the history calls it, such as `storage put`. */
  readonly command: string;
  readonly method: 'PUT' | 'PATCH';
  /** JSON, sent as it stands. */
  readonly body: string;
  /** What was there when it was just read; undefined where it was not. */
  readonly before: Stored | undefined;
  /** The row afterwards; undefined where only the service can tell. */
  readonly after: Row | undefined;
  /** What was probably not meant; part of the outcome as `--json` prints it. */
  readonly findings: readonly Finding[];
}

/**
 * Sends a write with care: the row as it was is kept first, and an answer that got lost is settled
 * by reading the row again. Prints the outcome; throws as the client does where there was none, and
 * `ExitError` (8) once the row was found untouched.
 */
export async function sendWrite(
  context: Context<WriteOptions>,
  target: RowTarget,
  write: RowWrite,
): Promise<void> {
  const image = await keepBefore(context, target, write);
  const settled = await send(context, target, write).catch(async (error: unknown) => {
    await settleImage(context, image, outcomeOf(error));
    throw error;
  });
  await settleImage(context, image, 'written');
  const bytes = write.after === undefined ? null : compactSize(write.after.text);
  if (context.options.json) {
    const outcome = settled ? 'settled' : 'written';
    await printOutcome(context, target, { outcome, bytes, image, findings: write.findings });
    return;
  }
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  const how = settled ? 'written: the answer was lost, but the row reads as sent' : 'written';
  await note(context, `${target.label} ${how}${size}`);
  if (image !== undefined) {
    await note(context, `kept as it was before; ${wayBack(target, write.before, image)}`);
  }
}

/** What is no JSON object can be looked at, and the service would not take it back. */
function wayBack({ name }: RowTarget, before: Stored | undefined, image: number): string {
  return before && 'fault' in before
    ? `to see its bytes: lectern storage history --show ${image}`
    : `to bring that back: lectern storage undo ${name ?? 'URL'} ${image}`;
}

/** The outcome of a write, as it is told. */
interface ToldOutcome {
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
  { outcome, bytes, image, findings = [] }: ToldOutcome,
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

async function keepBefore(
  context: Context<WriteOptions>,
  target: RowTarget,
  { command, before, after }: RowWrite,
): Promise<number | undefined> {
  if (before === undefined) return undefined;
  return keepImage(context, target, { command, before, after });
}

/** True where the answer got lost and reading the row again settled that it was written. */
async function send(
  context: Context<WriteOptions>,
  target: RowTarget,
  write: RowWrite,
): Promise<boolean> {
  const { client, url } = target;
  const body = new TextEncoder().encode(write.body);
  try {
    if (write.method === 'PUT') await client.putRow(url, body);
    else await client.patchRow(url, body);
    return false;
  } catch (error) {
    if (!(error instanceof NoAnswer && error.inDoubt && LOST.has(error.reason))) throw error;
    await settle(context, target, write, error);
    return true;
  }
}

/** What a write came to that was not done for certain. */
function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof Refusal) return 'refused';
  const isUntouched = error instanceof ExitError && error.exit === EXIT.unreachable;
  return isUntouched || (error instanceof NoAnswer && !error.inDoubt) ? 'not_done' : 'in_doubt';
}

/** The answer is missing, as opposed to one that came and is of no use (a redirect, a 5xx). */
const LOST: ReadonlySet<NoAnswerReason> = new Set([
  'connection',
  'timeout',
  'too-large',
  'interrupted',
]);

/** Returns when the row reads as it was to be written; else throws what is known now. */
async function settle(
  context: Context<WriteOptions>,
  target: RowTarget,
  write: RowWrite,
  lost: NoAnswer,
): Promise<void> {
  await note(context, `${lost.message}; reading the ${target.label} row again`);
  const found = await readAgain(target);
  if (found instanceof Error) {
    throw inDoubt(lost, `and the row cannot be read: ${found.message}`);
  }
  if (write.after !== undefined && readsLike(found, write.after)) return;
  if (write.before !== undefined && readsLike(found, write.before)) throw asBefore(lost);
  const known = write.before !== undefined && write.after !== undefined;
  throw inDoubt(
    lost,
    known
      ? 'and the row reads neither as before nor as sent'
      : 'and how the row should read is not known',
  );
}

/** The first interrupt must not stop this reading: it is what tells whether the write took effect. */
async function readAgain({ url, drainingClient }: RowTarget): Promise<Stored | Error> {
  try {
    return await readStored({ url, client: await drainingClient() });
  } catch (error) {
    if (error instanceof Refusal || error instanceof NoAnswer) return error;
    throw error;
  }
}

/**
 * The row reads as it did before. Who interrupts looks sooner than the service may have written; else
 * there was time for it, though none can promise that it is over.
 */
function asBefore(lost: NoAnswer): Error {
  if (lost.reason === 'interrupted') return inDoubt(lost, 'and the row reads as before so far');
  return new ExitError(
    EXIT.unreachable,
    `no_answer.${lost.reason}`,
    `no usable answer: ${lost.message}; the row reads as it did before: look again before sending it anew`,
  );
}

function inDoubt(lost: NoAnswer, finding: string): NoAnswer {
  const { reason } = lost;
  return new NoAnswer(`${lost.message}, ${finding}`, { reason, inDoubt: true }, { cause: lost });
}
