import { checkRowSize, type RowKind } from '../../contract/index.ts';
import { compactJson, type JsonObject, parseJson } from '../../json/index.ts';
import type { SeenRowChange } from '../review/seen-request.ts';
import type { EmulatorState } from '../state/state.ts';

const NAME = 'written_by_another_session';
/**
 * With this many names the oldest one is changed instead, so that a row that is read all day stays
 * small.
 */
const MAX_NAMES = 10;

/**
 * Adds a name to a row, or changes its value, as staff or another part of the tool may do at any
 * time. Undefined if the row has no room for it.
 */
export function changeUnseen(
  { store, clock, rowVersions }: EmulatorState,
  { key, kind }: { readonly key: string; readonly kind: RowKind },
): SeenRowChange | undefined {
  const before = store.row(key);
  const text = before === undefined ? '{}' : new TextDecoder().decode(before);
  const row = parseJson(text).value as JsonObject;
  const own = [...row.keys()].filter((each) => each.startsWith(NAME));
  const name = own.length < MAX_NAMES ? `${NAME}_${own.length + 1}` : (own[0] as string);
  // The changed name becomes the last one.
  const others = [...row].filter(([each]) => each !== name);
  const after = Buffer.from(compactJson(new Map([...others, [name, row.get(name) !== true]])));
  if (checkRowSize(kind, after.length).length > 0) return undefined;
  store.putRow(key, after);
  const version = { at: clock.now(), by: 'chaos', launchId: '', body: after } as const;
  rowVersions.add(key, version, before);
  return { name, before, after, size: after.length };
}
