import { rowLimit, type RowKind } from '../../contract/index.ts';

/** Top-level names of a row that differ between two states of it. */
export interface KeyChanges {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
}

/** A line for each kind of change: what goes first, since that is what is lost. */
export function keyChangeLines({ gone, added, changed }: KeyChanges): string[] {
  const lines = [
    names('goes', 'go', gone),
    names('is new', 'are new', added),
    names('changes', 'change', changed),
  ];
  const told = lines.filter((line) => line !== '');
  return told.length > 0 ? told : ['no key changes'];
}

function names(one: string, many: string, keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, MAX_NAMED).map((key) => JSON.stringify(key));
  const more = keys.length > MAX_NAMED ? `, … and ${keys.length - MAX_NAMED} more` : '';
  const verb = keys.length === 1 ? `1 key ${one}` : `${keys.length} keys ${many}`;
  return `${verb}: ${shown.join(', ')}${more}`;
}

const MAX_NAMED = 20;

/** The same in few words, for a cell: `-gone +new ~changed`. */
export function shortKeyChanges({ gone, added, changed }: KeyChanges): string {
  const signed = [
    ...gone.map((key) => `-${key}`),
    ...added.map((key) => `+${key}`),
    ...changed.map((key) => `~${key}`),
  ];
  const more = signed.length > MAX_NAMED ? ` … ${signed.length - MAX_NAMED} more` : '';
  return signed.slice(0, MAX_NAMED).join(' ') + more;
}

/** `120 bytes before, 90 after: 0.1 % of the 1 MB limit`, in compact bytes. */
export function sizeChange(before: number, after: number, kind: RowKind | undefined): string {
  return `${before} bytes before, ${after} after${kind === undefined ? '' : `: ${share(after, kind)}`}`;
}

/** The part of a row's limit that its compact bytes take. */
export function share(bytes: number, kind: RowKind): string {
  const limit = rowLimit(kind);
  return `${((bytes / limit.bytes) * 100).toFixed(1)} % of the ${limit.label} limit`;
}
