import { type Code, rowLimit } from '../../../contract/index.ts';
import type { RowNames } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { Token } from '../../state/records.ts';
import { isStaffMember } from '../../state/world.ts';
import type { RowWriteFact } from '../../service/call.ts';
import { namesIn, pointersChanged, pointersDropped, pointersOverwritten } from '../row-keys.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';

const NEAR = 0.8;

/** "Over 80 % of its limit": the next write may be refused. */
export const rowNearLimit: Rule = {
  code: 'request.row_near_limit',
  at: ['row'],
  see: ({ number, facts: { row, written } }, { report }) => {
    if (row === undefined || written === undefined) return;
    const { bytes, label } = rowLimit(row.kind);
    if (written.size <= NEAR * bytes) return;
    const percent = Math.floor((written.size / bytes) * 100);
    report(row.key, [number], { kind: row.kind, size: written.size, percent, label });
  },
};

/** When a request was handled, by its `begun` and `ended`. */
type Moment = Pick<SeenRequest, 'number' | 'begun' | 'ended'>;

interface Author {
  /** The ID of the launch. */
  readonly by: string;
  /** The member, where the launch has one. */
  readonly person: string;
}

interface Known extends Author, Moment {}

/** Who made the writes of a row; `unknown` if several launches did. */
type Writers =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly latest: Known }
  | { readonly kind: 'unknown' };

/** Who read and wrote a row. */
interface History {
  writers: Writers;
  /** Whether launches may have read the row that are not in `known`. */
  isPartial: boolean;
  /** The request after which a launch knew the whole row. */
  readonly known: Map<string, Known>;
  /** The latest author of each value, by pointer, while others knew the row. */
  readonly wrote: Map<string, Known>;
}

const MAX_READERS = 100;
const MAX_POINTERS = 500;

/**
 * "PUT overwrites every key": it drops or overwrites what others wrote after its caller last read
 * the row. Names in objects are compared at any depth; an array counts as one value.
 */
export const keysDropped: Rule<History> = {
  code: 'request.keys_dropped',
  at: ['row'],
  keeps: 5000,
  mayCite: ({ writers, wrote }) => {
    const latest = writers.kind === 'one' ? [writers.latest.number] : [];
    return latest.concat(Array.from(wrote.values(), ({ number }) => Math.floor(number)));
  },
  see: (seen, { state, memory, report }) => {
    const { number, request, caller, status, isLost, facts } = seen;
    const { row, written, isUnwritten } = facts;
    const { token } = caller;
    if (row === undefined || token === undefined) return;
    const isRead = request.method === 'GET' && status === 200 && !isLost;
    if (written === undefined && !(isRead && canWrite(state, row, token))) return;
    const isNew = written === undefined ? isUnwritten === true : written.before === undefined;
    const known = memory.get(row.key);
    const history = known ?? newHistory(isNew);
    const made = knownFrom(seen, token);
    if (written !== undefined) {
      const reportLost = (lost: readonly Lost[], code: Code): void => {
        if (lost.length === 0) return;
        // A change between two requests is shown at the first of them.
        const before = lost.map((each) => Math.floor(each.number));
        report(row.key, [...new Set(before), number], { kind: row.kind, keys: shown(lost) }, code);
      };
      if (written.pointers === undefined) {
        reportLost(droppedBy(history, made, written), 'request.keys_dropped');
        reportLost(overwrittenBy(history, made, written), 'request.value_overwritten');
      }
      noteWrite(history, made, written);
    }
    if (written === undefined || written.pointers === undefined) noteReader(history, made);
    if (known === undefined) memory.set(row.key, history);
  },
};

function knownFrom({ number, begun, ended }: Moment, token: Token): Known {
  const { launchId, member } = token;
  return { by: launchId, person: member || launchId, number, begun, ended };
}

/** "Students: read the shared context and location rows; a write returns 403." */
function canWrite({ world }: EmulatorState, { kind }: RowNames, { kind: of, member }: Token) {
  if (of === 'provision' || (kind !== 'context' && kind !== 'location')) return true;
  const person = world.members.get(member);
  return person !== undefined && isStaffMember(person);
}

function newHistory(isNew: boolean): History {
  return {
    writers: { kind: isNew ? 'none' : 'unknown' },
    isPartial: !isNew,
    known: new Map(),
    wrote: new Map(),
  };
}

function noteReader(history: History, reader: Known): void {
  const { known } = history;
  known.set(reader.by, reader);
  if (known.size <= MAX_READERS) return;
  const [oldest] = known.keys();
  known.delete(oldest as string);
  history.isPartial = true;
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

/** The values of others that a PUT dropped. */
function droppedBy(history: History, made: Known, { before, after }: RowWriteFact): Lost[] {
  const { writers, isPartial, wrote } = history;
  const since = lastKnown(history, made);
  if (since === undefined && isPartial) return [];
  if (since === undefined && writers.kind === 'none') return [];
  if (since === undefined && writers.kind === 'one') {
    const { by, number } = writers.latest;
    if (by === made.by) return [];
    return pointersDropped(namesIn(before), before, after).map((pointer) => ({ pointer, number }));
  }
  if (wrote.size === 0) return [];
  const ofOthers = [...wrote].filter(([, write]) => write.by !== made.by && isAfter(write, since));
  const pointers = ofOthers.map(([pointer]) => pointer);
  return lostOf(ofOthers, pointersDropped(pointers, before, after));
}

/** The values that another person wrote since the caller read the row, and that a PUT overwrote. */
function overwrittenBy(history: History, made: Known, { before, after }: RowWriteFact): Lost[] {
  const { wrote } = history;
  if (wrote.size === 0) return [];
  const since = lastKnown(history, made);
  if (since === undefined) return [];
  const ofOthers = [...wrote].filter(
    ([, write]) => write.person !== made.person && isAfter(write, since),
  );
  const pointers = ofOthers.map(([pointer]) => pointer);
  return lostOf(ofOthers, pointersOverwritten(pointers, before, after));
}

function lostOf(wrote: readonly [string, Known][], pointers: readonly string[]): Lost[] {
  const lost = new Set(pointers);
  return wrote
    .filter(([pointer]) => lost.has(pointer))
    .map(([pointer, { number }]) => ({ pointer, number }));
}

/**
 * Whether a write certainly came after a read. Of two overlapping requests, such as one with a late
 * answer, the order is unknown.
 */
function isAfter(write: Moment, read: Moment | undefined): boolean {
  if (read === undefined) return true;
  if (write.number < read.number) return false;
  // After a restart the monotonic clock starts again.
  const overlaps = write.begun < read.ended && read.ended <= write.ended;
  return !overlaps;
}

/** Only matters if somebody else knows the row, or has written it. */
function noteWrite(
  history: History,
  write: Known,
  { before, after, pointers }: RowWriteFact,
): void {
  const { writers, known, wrote } = history;
  const isOwn =
    writers.kind === 'none' || (writers.kind === 'one' && writers.latest.by === write.by);
  const isShared = known.size > (known.has(write.by) ? 1 : 0);
  history.writers = isOwn ? { kind: 'one', latest: write } : { kind: 'unknown' };
  if (isOwn && !isShared) return;
  for (const pointer of pointers ?? pointersChanged(before, after)) wrote.set(pointer, write);
  for (const [oldest] of wrote) {
    if (wrote.size <= MAX_POINTERS) return;
    wrote.delete(oldest);
  }
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
