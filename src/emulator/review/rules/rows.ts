import { type Code, ROW_SIZE, type RowKind } from '../../../contract/index.ts';
import { exchangesWhere, type Found, type Rule, ruleOfEach } from '../rule.ts';
import type { StoredExchange } from '../stored-exchange.ts';

const NEAR = 0.8;

const kindOf = (row: string | null): RowKind => row?.split('/', 1)[0] as RowKind;

/** "Over 80 % of its limit": the next write may be refused. */
export const rowNearLimit = ruleOfEach(
  'request.row_near_limit',
  ['number', 'row', 'size'],
  `row IS NOT NULL AND size > ${NEAR * Math.min(ROW_SIZE['context'].cautiousBytes, ROW_SIZE['member'].cautiousBytes)}`,
  ({ number, row, size }, { chosen }) => {
    const kind = kindOf(row);
    const { bytes, cautiousBytes, label } = ROW_SIZE[kind];
    const share = (size ?? 0) / (chosen.kilobytes.length > 0 ? cautiousBytes : bytes);
    const params = { kind, size: size ?? 0, percent: Math.floor(share * 100), label };
    return share > NEAR ? { subject: row ?? '', requests: [number], params } : undefined;
  },
);

interface Author {
  /** The ID of the launch. */
  readonly by: string;
  /** The member, where the launch has one. */
  readonly person: string;
}

/** When a request was handled. */
interface Moment {
  readonly number: number;
  readonly begun: number;
  readonly ended: number;
}

interface Known extends Author, Moment {}

/** The launch that wrote a row; `unknown` for several. */
type Writers =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly latest: Known }
  | { readonly kind: 'unknown' };

/** The reads and writes of a row. */
interface History {
  writers: Writers;
  /** Whether launches may have read the row that are not in `known`. */
  readonly isPartial: boolean;
  /** The request after which a launch knew the whole row. */
  readonly known: Map<string, Known>;
  /** The latest author of each value, by pointer, while others knew the row. */
  readonly wrote: Map<string, Known>;
}

/** The reads and writes of the rows that more than one session has written. */
const OF_SHARED_ROWS = `row IN (
  SELECT row FROM exchanges WHERE judged AND row IS NOT NULL
  GROUP BY row HAVING count(DISTINCT iif(wrote IS NULL, NULL, launch)) > 1 OR count(meanwhile) > 0
)`;

const USE = ['number', 'method', 'row', 'first', 'launch', 'caller', 'begun', 'ms'] as const;

/**
 * "PUT overwrites every key": it drops or overwrites what others wrote after its caller last read
 * the row. Names in objects are compared at any depth; an array counts as one value.
 */
export const keysDropped: Rule = {
  code: 'request.keys_dropped',
  *find({ exchanges }) {
    const histories = new Map<string, History>();
    const names = [...USE, 'wrote', 'dropped', 'meanwhile'] as const;
    for (const each of exchangesWhere(exchanges, names, OF_SHARED_ROWS)) {
      const row = each.row ?? '';
      const history = histories.get(row) ?? newHistory(each.first === 1);
      histories.set(row, history);
      yield* lostBy(history, each);
      note(history, each);
    }
  },
};

type Use = Pick<StoredExchange, (typeof USE)[number] | 'wrote' | 'dropped' | 'meanwhile'>;

/** What a PUT dropped or overwrote. */
function* lostBy(history: History, { number, method, row, ...each }: Use): Generator<Found> {
  if (method !== 'PUT') return;
  const made = knownFrom({ number, ...each });
  const [wrote, dropped] = [listOf(each.wrote), listOf(each.dropped)];
  const found = (lost: readonly Lost[], code: Code): Found[] => {
    // A change between two requests is shown at the first of them.
    const before = new Set(lost.map((one) => Math.floor(one.number)));
    const params = { kind: kindOf(row), keys: shown(lost) };
    return lost.length === 0
      ? []
      : [{ subject: row ?? '', requests: [...before, number], params, code }];
  };
  yield* found(droppedBy(history, made, dropped), 'request.keys_dropped');
  yield* found(overwrittenBy(history, made, wrote, dropped), 'request.value_overwritten');
}

function note(history: History, each: Use): void {
  const made = knownFrom(each);
  if (each.wrote !== null) noteWrite(history, made, listOf(each.wrote), listOf(each.dropped));
  if (each.wrote === null || each.method === 'PUT') history.known.set(made.by, made);
  if (each.meanwhile === null) return;
  const other = { number: each.number + 0.5, begun: made.ended, ended: made.ended };
  noteWrite(history, { ...other, by: OTHERS, person: OTHERS }, [each.meanwhile], []);
}

const OTHERS = 'another session';

function knownFrom({
  number,
  launch,
  caller,
  begun,
  ms,
}: Pick<Use, 'number' | 'launch' | 'caller' | 'begun' | 'ms'>): Known {
  const by = launch ?? '';
  return { by, person: caller ?? by, number, begun, ended: begun + ms };
}

function listOf(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

function newHistory(isNew: boolean): History {
  return {
    writers: { kind: isNew ? 'none' : 'unknown' },
    isPartial: !isNew,
    known: new Map(),
    wrote: new Map(),
  };
}

/**
 * When the caller last knew the whole row. If the launch has not read it, another launch of the
 * same person counts; of two tabs that both read it, each knows its own version.
 */
function lastKnown({ known }: History, { by, person }: Known): Known | undefined {
  const ofPerson = [...known.values()].filter((each) => each.person === person);
  return known.get(by) ?? ofPerson.reduce<Known | undefined>(later, undefined);
}

function later(a: Known | undefined, b: Known): Known {
  return a === undefined || b.number > a.number ? b : a;
}

/** A value that a PUT dropped or overwrote, and the number of the request that wrote it. */
interface Lost {
  readonly pointer: string;
  readonly number: number;
}

/** Whether one pointer is the other, or below it. */
const isWithin = (pointer: string, parent: string): boolean =>
  pointer === parent || pointer.startsWith(`${parent}/`);

/** The values of others that a PUT dropped. */
function droppedBy(history: History, made: Known, dropped: readonly string[]): Lost[] {
  const { writers, isPartial } = history;
  const since = lastKnown(history, made);
  if (since === undefined) {
    if (isPartial || writers.kind === 'none') return [];
    if (writers.kind === 'one') {
      const { person, number } = writers.latest;
      if (person === made.person) return [];
      const names = dropped.filter((pointer) => pointer.lastIndexOf('/') === 0);
      return names.map((pointer) => ({ pointer, number }));
    }
  }
  // A launch that has read the row has its own version; before that, a person knows what she wrote.
  const author = history.known.has(made.by) ? 'by' : 'person';
  return writtenSince(history, since, (write) => write[author] !== made[author]).filter(
    ({ pointer }) => dropped.some((each) => isWithin(pointer, each)),
  );
}

/** The values that another person wrote since the caller read the row, and that a PUT overwrote. */
function overwrittenBy(
  history: History,
  made: Known,
  wrote: readonly string[],
  dropped: readonly string[],
): Lost[] {
  const since = lastKnown(history, made);
  if (since === undefined) return [];
  return writtenSince(history, since, (write) => write.person !== made.person).filter(
    ({ pointer }) =>
      !dropped.some((each) => isWithin(pointer, each)) &&
      [...wrote, ...dropped].some((each) => isWithin(pointer, each) || isWithin(each, pointer)),
  );
}

function writtenSince(
  { wrote }: History,
  since: Known | undefined,
  isMeant: (write: Known) => boolean,
): Lost[] {
  return [...wrote]
    .filter(([, write]) => isMeant(write) && isAfter(write, since))
    .map(([pointer, { number }]) => ({ pointer, number }));
}

/**
 * Whether a write certainly came after a read. Of two overlapping requests, such as one with a late
 * answer, the order is unknown.
 */
function isAfter(write: Moment, read: Moment | undefined): boolean {
  if (read === undefined) return true;
  if (write.number < read.number) return false;
  const overlaps = write.begun < read.ended && read.ended <= write.ended;
  return !overlaps;
}

/** Only matters if another launch knows the row, or has written it. */
function noteWrite(
  history: History,
  write: Known,
  pointers: readonly string[],
  dropped: readonly string[],
): void {
  const { writers, known, wrote } = history;
  const isOwn =
    writers.kind === 'none' || (writers.kind === 'one' && writers.latest.by === write.by);
  const isShared = known.size > (known.has(write.by) ? 1 : 0);
  history.writers = isOwn ? { kind: 'one', latest: write } : { kind: 'unknown' };
  for (const pointer of wrote.keys()) {
    if (dropped.some((each) => isWithin(pointer, each))) wrote.delete(pointer);
  }
  if (isOwn && !isShared) return;
  for (const pointer of pointers) wrote.set(pointer, write);
}

const SHOWN_KEYS = 5;
const SHOWN_CHARACTERS = 60;

function shown(lost: readonly Lost[]): string {
  const keys = lost
    .slice(0, SHOWN_KEYS)
    .map(({ pointer }) => JSON.stringify(pointer.slice(0, SHOWN_CHARACTERS)));
  const more = lost.length - keys.length;
  return more > 0 ? `${keys.join(', ')} and ${more} more` : keys.join(', ');
}
