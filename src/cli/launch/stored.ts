import type { Check } from '../output/checks.ts';
import { flagWord, kindOfLaunch, type Launch, type RowName } from '../../contract/index.ts';
import { listPermissions } from '../../validator/index.ts';
import { NotFoundError } from '../../errors.ts';
import { LedgerError } from '../../ledger/error.ts';
import { newestImage } from '../../rows/images.ts';
import { parseStoredRow } from '../../rows/row.ts';
import { bytesText, countText, shortTime } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import type { UsedLaunch } from '../session/launch.ts';

/** A result with the newest previous version of an empty row, if this machine has one with data. */
export async function withPrevious(
  context: Context,
  launch: Launch,
  check: Omit<Check, 'previous'>,
): Promise<Check> {
  return { ...check, previous: await newestPrevious(context, launch, check) };
}

async function newestPrevious(
  context: Context,
  launch: Launch,
  { claim, state }: Pick<Check, 'claim' | 'state'>,
): Promise<Check['previous']> {
  const label = rowOf(claim);
  const url = label && launch.storage[label];
  if (label === undefined || url === undefined || state !== EMPTY) return null;
  try {
    const ledger = await context.ledger();
    const { id } = await newestImage(ledger, { label, url }, EMPTY_ROW);
    const image = await ledger.image(id);
    if (image === undefined) return null;
    return { id, time: new Date(image.time).toISOString(), bytes: image.bytes };
  } catch (error) {
    // The check is about the service: without its ledger it says less.
    if (error instanceof NotFoundError || error instanceof LedgerError) return null;
    throw error;
  }
}

export const EMPTY = 'empty now';

const EMPTY_ROW = parseStoredRow(new TextEncoder().encode('{}'));

function rowOf(claim: string): RowName | undefined {
  return claim.startsWith('storage.') ? (claim.slice('storage.'.length) as RowName) : undefined;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** Which rows have data, as a sentence; undefined if a row could not be read, or there are none. */
export function storedText(checks: readonly Check[]): string | undefined {
  const of = (noun: string): Check[] =>
    checks.filter(({ claim, url }) => claim.startsWith(noun) && url !== null);
  const rows = of('storage.');
  if (rows.length === 0 || !rows.every(({ bytes }) => bytes !== null)) return undefined;
  const full = rows.filter(({ state }) => state === 'has data');
  const unknown = 'empty now: never written, or emptied';
  if (full.length > 0) {
    const names = full.map(({ claim }) => rowOf(claim)).join(', ');
    const others = full.length === rows.length ? '' : `; the others are ${unknown}`;
    return `${full.length} of ${countText(rows.length, 'row')} ${full.length === 1 ? 'has' : 'have'} data: ${names}${others}`;
  }
  const all = rows.length === 1 ? 'the row is' : `all ${NUMBERS[rows.length]} rows are`;
  const files = of('files.').some(({ state }) => state === 'has data');
  return `${all} ${unknown}${files ? '; there are files' : ''}`;
}

/**
 * For each empty row with a previous version on this machine: which, how to see it, and how to restore
 * it where the launch may write the row.
 */
export function previousTexts(
  { now }: Context,
  { name, launch }: Pick<UsedLaunch, 'name' | 'launch'>,
  checks: readonly Check[],
): readonly string[] {
  const from = flagWord('-l', name);
  const permissions = listPermissions(launch, kindOfLaunch(launch));
  const isWritable = (row: RowName | undefined): boolean =>
    permissions.some((each) => each.action === 'write_row' && each.row === row && each.allowed);
  return checks.flatMap(({ claim, previous }) => {
    if (previous === null) return [];
    const { id, time, bytes } = previous;
    const row = rowOf(claim);
    return [
      `${row} had data: the newest previous version on this machine is ${id} (${shortTime(Date.parse(time), now())}, ${bytesText(bytes)})`,
      `  compare: lectern storage diff ${row} --image ${id} ${from}`,
      ...(isWritable(row) ? [`  restore: lectern storage undo ${row} ${id} ${from}`] : []),
    ];
  });
}
