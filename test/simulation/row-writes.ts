/** Writes of a row by several commands, and by somebody else: what may be true afterwards. */
import { NoAnswer, Refusal } from '../../src/client/index.ts';
import { NotFoundError, UntouchedError } from '../../src/errors.ts';
import type { ImageContent, Ledger } from '../../src/ledger/index.ts';
import { changeRow } from '../../src/rows/change.ts';
import { newestImage } from '../../src/rows/images.ts';
import { parseStoredRow, type Row } from '../../src/rows/row.ts';
import { updateRow } from '../../src/rows/update.ts';
import {
  type Disks,
  isDiskFull,
  type Parts,
  type Service,
  statusOf,
  type Trouble,
  World,
} from './world.ts';

export interface RowHistory {
  readonly commands: readonly ('patch' | 'put' | 'undo')[];
  readonly troubles: readonly Trouble[];
}

/** What one command did, as the service saw it and as the command said. */
interface Done {
  readonly command: RowHistory['commands'][number];
  /** The contents that it replaced at the service, one for each effect. */
  readonly replaced: string[];
  said: 'done' | 'not_done' | 'in_doubt' | 'nothing';
}

const URL = 'http://127.0.0.1/rows/member';

/** Plays a history; returns what is wrong afterwards. */
export async function playRows(
  disks: Disks,
  { commands, troubles }: RowHistory,
  defect: (parts: Parts) => Parts = (parts) => parts,
): Promise<string[]> {
  const all = commands.map((command): Done => ({ command, replaced: [], said: 'nothing' }));
  const row: StoredText = { text: '{"first":1}', writer: undefined, isTheirsLost: false };
  const world = new World(await disks.newLedger(), rowService(row), troubles);
  return world.time.until(play());

  async function play(): Promise<string[]> {
    for (const [index, command] of commands.entries()) {
      const done = all[index] as Done;
      row.writer = done;
      const work = world.run(async (process) => {
        await write(defect(process), command, index);
        done.said = 'done';
      });
      done.said = await work.then(() => done.said, outcomeOf);
    }
    return world.read(async (ledger) => faultsOf(row, all, await imagesOf(ledger)));
  }
}

async function write(parts: Parts, command: RowHistory['commands'][number], index: number) {
  const { ledger, client, clock } = parts;
  const row = { client, url: URL, label: 'member' };
  const options = { ledger, clock };
  if (command === 'patch') {
    return updateRow(row, (value) => ({ ...value, [`key-${index}`]: index }), options);
  }
  return changeRow(
    row,
    {
      method: 'PUT',
      command: `storage ${command}`,
      plan: async (before) => {
        const text = `{"put":${index}}`;
        const stored = command === 'put' ? parseStoredRow(Buffer.from(text)) : undefined;
        const after = stored ?? (await newestImage(ledger, row, before)).stored;
        return { row: after as Row, findings: [] };
      },
    },
    options,
  );
}

/** What a command says of its write with an error. */
function outcomeOf(error: unknown): Done['said'] {
  if (error instanceof NoAnswer) return error.inDoubt ? 'in_doubt' : 'not_done';
  const isNothing = [Refusal, UntouchedError, NotFoundError].some((kind) => error instanceof kind);
  if (isNothing || isDiskFull(error)) return 'not_done';
  throw error;
}

/** The model: what is wrong at the end of a history. */
function faultsOf({ isTheirsLost }: StoredText, all: readonly Done[], images: ImageContent[]) {
  const faults: string[] = [];
  const hold = (isTrue: boolean, what: string): void => void (isTrue || faults.push(what));
  const before = images.map((image) => Buffer.from(image.before).toString());
  for (const [index, { replaced, said }] of all.entries()) {
    hold(replaced.length <= 1, `write ${index} was sent ${replaced.length} times`);
    hold(said !== 'not_done' || replaced.length === 0, `write ${index} took effect unsaid`);
    hold(
      replaced.every((content) => before.includes(content)),
      `the content before write ${index} is lost`,
    );
  }
  const effects = all.reduce((sum, { replaced }) => sum + replaced.length, 0);
  const written = images.filter(({ outcome }) => outcome === 'written').length;
  const undone = images.filter(({ outcome }) => outcome === 'refused' || outcome === 'not_done');
  hold(written <= effects, 'a previous version is of a write that had no effect');
  hold(images.length - undone.length >= effects, 'a previous version is of a write that had one');
  hold(!isTheirsLost, 'a patch lost a key that somebody else wrote');
  return faults;
}

/** The row at the service, and the command that writes now. */
interface StoredText {
  text: string;
  writer: Done | undefined;
  isTheirsLost: boolean;
}

/** One row ("Storage rows"), which somebody else writes too. */
function rowService(row: StoredText): Service {
  let theirs = 0;
  const writeTheirs = (): void => {
    theirs += 1;
    row.text = JSON.stringify({ ...JSON.parse(row.text), theirs });
  };
  return ({ method, body }, trouble) => {
    const status = statusOf(trouble);
    if (status !== undefined) return { status, body: '{}' };
    if (trouble === 'lost_before') return { status: 0 };
    const before = row.text;
    const isPatch = row.writer?.command === 'patch';
    if (trouble === 'somebody_else' && (method === 'GET' || isPatch)) writeTheirs();
    if (method === 'GET') return { status: 200, body: row.text };
    row.writer?.replaced.push(before);
    const theirsBefore = theirsOf(row.text);
    const sent = Buffer.from(body as Uint8Array).toString();
    row.text = method === 'PUT' ? sent : patched(row.text, sent);
    if (isPatch) row.isTheirsLost ||= theirsOf(row.text) !== theirsBefore;
    return { status: 204 };
  };
}

/** What somebody else wrote last and no command has replaced since. */
const theirsOf = (text: string): unknown => (JSON.parse(text) as { theirs?: number }).theirs;

/** Operations at the root of a row, such as a new key is. */
function patched(text: string, body: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  const { patch } = JSON.parse(body) as { patch: { op: string; path: string; value: unknown }[] };
  for (const { op, path, value } of patch) {
    if (op === 'remove') delete row[path.slice(1)];
    else row[path.slice(1)] = value;
  }
  return JSON.stringify(row);
}

async function imagesOf(ledger: Ledger): Promise<ImageContent[]> {
  const images = await Promise.all((await ledger.images()).map(({ id }) => ledger.image(id)));
  return images.filter((image) => image !== undefined);
}
