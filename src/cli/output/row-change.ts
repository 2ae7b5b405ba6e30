import { ROW_SIZE, type RowKind } from '../../contract/index.ts';
import { countText } from './units.ts';
import { operationsText, type TextOperation } from '../../diff/index.ts';

/** Top-level names of a row that differ between two versions. */
export interface KeyChanges {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
}

/** One line for each kind of change, the removed keys first. */
export function keyChangeLines({ gone, added, changed }: KeyChanges): string[] {
  const lines = [names('removes', gone), names('adds', added), names('changes', changed)];
  const shown = lines.filter((line) => line !== '');
  return shown.length > 0 ? shown : ['no key changes'];
}

function names(verb: string, keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, MAX_NAMED).map((key) => JSON.stringify(key));
  const more = keys.length > MAX_NAMED ? `, … and ${keys.length - MAX_NAMED} more` : '';
  return `${verb} ${countText(keys.length, 'key')}: ${shown.join(', ')}${more}`;
}

const MAX_NAMED = 20;

/** The same in short, for a cell: `-gone +new ~changed`. */
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

/** The percentage of a row's limit that its compact bytes use. */
export function share(bytes: number, kind: RowKind): string {
  const limit = ROW_SIZE[kind];
  return `${((bytes / limit.bytes) * 100).toFixed(1)} % of the ${limit.label} limit`;
}

/** A JSON Patch, an operation on each line. */
export function patchLines(operations: readonly TextOperation[]): string {
  if (operations.length === 0) return '[]';
  const lines = operations.map((operation) => `  ${operationsText([operation]).slice(1, -1)}`);
  return `[\n${lines.join(',\n')}\n]`;
}

/** Pointers as a list; the empty pointer is shown as the row itself. */
export function pointersText(pointers: readonly string[]): string {
  return pointers.map((pointer) => (pointer === '' ? 'the root' : pointer)).join(', ');
}
