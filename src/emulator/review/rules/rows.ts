import { rowLimit } from '../../../contract/index.ts';
import type { RowNames } from '../../state/rows.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { Token } from '../../state/records.ts';
import { isStaffMember } from '../../state/world.ts';
import type { RowWriteFact } from '../../service/facts.ts';
import { namesIn, pointersChanged, pointersDropped } from '../row-keys.ts';
import type { Rule } from '../rule.ts';
import type { SeenRequest } from '../seen-request.ts';

const NEAR = 0.8;

/** "Over 80 % of its limit": the next write may be refused. */
export const rowNearLimit: Rule = {
  code: 'request.row_near_limit',
  at: ['row'],
  see: ({ number, facts: { row, written } }, { tell }) => {
    if (row === undefined || written === undefined) return;
    const { bytes, label } = rowLimit(row.kind);
    if (written.size <= NEAR * bytes) return;
    const percent = Math.floor((written.size / bytes) * 100);
    tell(row.key, [number], { kind: row.kind, size: written.size, percent, label });
  },
};

/** When something was seen, by `begun` and `ended` of its request. */
type Moment = Pick<SeenRequest, 'number' | 'begun' | 'ended'>;

interface Write extends Moment {
  /** The ID of the launch. */
  readonly by: string;
}

/** Who read and wrote a row. */
interface History {
  /** The latest write, where one launch made all; null where there were several, or nobody knows. */
  sole: Write | 'nobody' | null;
  /** Of a launch that is not among the readers nothing is known. */
  isPartial: boolean;
  /** The request after which a launch knew the whole row. */
  readonly known: Map<string, Moment>;
  /** Who added or changed a value last, by pointers, while others knew the row. */
  readonly wrote: Map<string, Write>;
}

const MAX_READERS = 100;
const MAX_POINTERS = 500;

/**
 * "PUT overwrites every key": it drops what others wrote after its caller had last read the row. What
 * is compared are the names in objects, however deep; an array is one value.
 */
export const keysDropped: Rule<History> = {
  code: 'request.keys_dropped',
  at: ['row'],
  keeps: 5000,
  see: (seen, { state, memory, tell }) => {
    const { number, request, caller, status, isLost, facts } = seen;
    const { row, written, isUnwritten } = facts;
    const { token } = caller;
    if (row === undefined || token === undefined) return;
    const by = token.launchId;
    const isRead = request.method === 'GET' && status === 200 && !isLost;
    if (written === undefined && !(isRead && canWrite(state, row, token))) return;
    const isNew = written === undefined ? isUnwritten === true : written.before === undefined;
    const known = memory.get(row.key);
    const history = known ?? newHistory(isNew);
    if (written !== undefined) {
      const dropped = written.pointers === undefined ? droppedBy(history, by, written) : [];
      if (dropped.length > 0) {
        // What somebody else changed between two requests shows in the first of them.
        const before = dropped.map((each) => Math.floor(each.number));
        const requests = [...new Set(before), number];
        tell(row.key, requests, { kind: row.kind, keys: shown(dropped) });
      }
      const { begun, ended } = seen;
      noteWrite(history, { by, number, begun, ended }, written);
    }
    if (written === undefined || written.pointers === undefined) noteReader(history, by, seen);
    if (known === undefined) memory.set(row.key, history);
  },
};

/** "Students: read the shared context and location rows; a write returns 403." */
function canWrite({ world }: EmulatorState, { kind }: RowNames, { kind: of, member }: Token) {
  if (of === 'provision' || (kind !== 'context' && kind !== 'location')) return true;
  const person = world.members.get(member);
  return person !== undefined && isStaffMember(person);
}

function newHistory(isNew: boolean): History {
  return {
    sole: isNew ? 'nobody' : null,
    isPartial: !isNew,
    known: new Map(),
    wrote: new Map(),
  };
}

function momentOf({ number, begun, ended }: Moment): Moment {
  return { number, begun, ended };
}

function noteReader(history: History, by: string, seen: Moment): void {
  const { known } = history;
  known.set(by, momentOf(seen));
  if (known.size <= MAX_READERS) return;
  const [oldest] = known.keys();
  known.delete(oldest as string);
  history.isPartial = true;
}

/** What of others is gone by a PUT, and the numbers of the requests that wrote it. */
function droppedBy(
  { sole, isPartial, known, wrote }: History,
  by: string,
  { before, after }: RowWriteFact,
): { pointer: string; number: number }[] {
  const since = known.get(by);
  if (since === undefined && isPartial) return [];
  if (since === undefined && sole !== null) {
    if (sole === 'nobody' || sole.by === by) return [];
    const { number } = sole;
    return pointersDropped(namesIn(before), before, after).map((pointer) => ({ pointer, number }));
  }
  if (wrote.size === 0) return [];
  const ofOthers = [...wrote].filter(([, write]) => write.by !== by && isAfter(write, since));
  const pointers = ofOthers.map(([pointer]) => pointer);
  const dropped = new Set(pointersDropped(pointers, before, after));
  return ofOthers
    .filter(([pointer]) => dropped.has(pointer))
    .map(([pointer, { number }]) => ({ pointer, number }));
}

/**
 * Whether a write came surely after a read. Of two requests at the same time, such as one that is
 * answered late, nobody knows which of them took effect first.
 */
function isAfter(write: Write, read: Moment | undefined): boolean {
  if (read === undefined) return true;
  if (write.number < read.number) return false;
  // The clock of these two begins anew with a restart.
  const isBoth = write.begun < read.ended && read.ended <= write.ended;
  return !isBoth;
}

/** What was written matters only where somebody else knows the row, or has written it. */
function noteWrite(
  history: History,
  write: Write,
  { before, after, pointers }: RowWriteFact,
): void {
  const { sole, known, wrote } = history;
  const isOwn = sole === 'nobody' || sole?.by === write.by;
  const isShared = known.size > (known.has(write.by) ? 1 : 0);
  history.sole = isOwn ? write : null;
  if (isOwn && !isShared) return;
  for (const pointer of pointers ?? pointersChanged(before, after)) wrote.set(pointer, write);
  for (const [oldest] of wrote) {
    if (wrote.size <= MAX_POINTERS) return;
    wrote.delete(oldest);
  }
}

const SHOWN_KEYS = 5;
const SHOWN_CHARACTERS = 60;

function shown(dropped: readonly { pointer: string }[]): string {
  const keys = dropped
    .slice(0, SHOWN_KEYS)
    .map(({ pointer }) => JSON.stringify(pointer.slice(0, SHOWN_CHARACTERS)));
  const more = dropped.length - keys.length;
  return more > 0 ? `${keys.join(', ')} and ${more} more` : keys.join(', ');
}
