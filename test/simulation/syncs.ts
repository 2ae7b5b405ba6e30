/** Syncs of a folder and a row's files, with changes on both sides: what may be true afterwards. */
import { join } from 'node:path';
import { NoAnswer, Refusal } from '../../src/client/index.ts';
import { baselineAfter, prepareSync, runSync } from '../../src/transfer/sync.ts';
import type { Sync, SyncResult } from '../../src/transfer/sync.ts';
import type { Baseline, Direction } from '../../src/transfer/sync-plan.ts';
import type { FileSet } from '../../src/transfer/file-set.ts';
import { FOLDER, MemoryDisk } from './memory-disk.ts';
import {
  type Disks,
  isDiskFull,
  type Parts,
  type Service,
  statusOf,
  type Trouble,
  World,
} from './world.ts';

export interface SyncHistory {
  readonly commands: readonly {
    readonly direction: Direction;
    readonly withDelete: boolean;
    /** What changes before it, on either side. */
    readonly edits: readonly Edit[];
  }[];
  readonly troubles: readonly Trouble[];
}

interface Edit {
  readonly side: 'folder' | 'row';
  readonly key: string;
  readonly isRemoved: boolean;
}

type Baselines = ReadonlyMap<string, Baseline>;
/** What a sync leaves for the next one. A test replaces it to make a defect. */
export type Finish = (sync: Sync, results: readonly SyncResult[]) => Promise<Baselines>;

const finish: Finish = async (sync, results) => baselineAfter(sync, results);

const ORIGIN = 'http://127.0.0.1';

/** Plays a history, and a sync without trouble at its end; returns what is wrong. */
export async function playSyncs(
  disks: Disks,
  { commands, troubles }: SyncHistory,
  defect: (parts: Parts) => Parts = (parts) => parts,
  finished: Finish = finish,
): Promise<string[]> {
  const faults: string[] = [];
  const hold = (isTrue: boolean, what: string): void => void (isTrue || faults.push(what));
  const row = new FilesOfRow();
  let baseline: Baselines = new Map();
  const world = new World(await disks.newLedger(), row.answer, troubles);
  const disk = new MemoryDisk(world.time.now);
  row.now = world.time.now;
  world.disk = disk;
  let texts = 0;
  // All are as long, so that a size does not show a change.
  const newText = (): string => `text ${String(++texts).padStart(4, '0')}`;
  row.newText = newText;
  return world.time.until(play());

  async function edit({ side, key, isRemoved }: Edit): Promise<void> {
    await world.time.sleep(10);
    if (side === 'row') row.put(key, isRemoved ? undefined : newText());
    else if (isRemoved) await disk.remove(join(FOLDER, key));
    else disk.write(join(FOLDER, key), Buffer.from(newText()));
  }

  async function play(): Promise<string[]> {
    for (const { direction, withDelete, edits } of commands) {
      for (const each of edits) await edit(each);
      await syncOnce(direction, withDelete);
    }
    world.calm();
    const direction = commands.at(-1)?.direction ?? 'up';
    const results = await syncOnce(direction, true);
    const isDone = results?.every(({ status }) => status === 'done') === true;
    hold(isDone, 'a sync without trouble was not done');
    hold(isSame(disk.texts(), row.texts()), 'both sides differ after a sync');
    return faults;
  }

  async function syncOnce(direction: Direction, withDelete: boolean) {
    const before = { folder: disk.texts(), row: row.texts() };
    row.began();
    let results: SyncResult[] | undefined;
    await world
      .run(async (process) => {
        const { client, clock, disk: own } = defect(process);
        const { signal } = new AbortController();
        const fileSet: FileSet = { client, url: `${ORIGIN}/files`, disk: own, clock, signal };
        const options = { direction, folder: FOLDER, withDelete, concurrency: 1, baseline };
        const sync = await prepareSync(fileSet, options);
        const ended = await runSync(sync, { concurrency: 1 });
        // A batch turns the end of the process into the result of an item.
        if (!process.isAlive) return;
        results = ended;
        const next = await finished(sync, ended);
        if (process.isAlive) baseline = next;
      })
      .catch((error: unknown) => {
        if (!(error instanceof NoAnswer || error instanceof Refusal || isDiskFull(error)))
          throw error;
      });
    check(direction, withDelete, before, results ?? []);
    return results;
  }

  function check(
    direction: Direction,
    withDelete: boolean,
    before: { folder: Map<string, string>; row: Map<string, string> },
    results: readonly SyncResult[],
  ): void {
    const folder = disk.texts();
    const known = new Set([...before.folder.values(), ...row.everStored]);
    hold(
      [...folder.values()].every((text) => known.has(text)),
      'a file of the folder is half of one',
    );
    if (direction === 'up') hold(isSame(folder, before.folder), 'an upload changed the folder');
    else hold(row.effects.length === 0, 'a download changed the row');
    for (const key of before.folder.keys()) {
      const isKept = folder.has(key) || (withDelete && !before.row.has(key));
      hold(direction === 'up' || isKept || row.isChangedByOthers, `${key} of the folder is gone`);
    }
    const removed = row.effects.filter(({ text }) => text === undefined).map(({ key }) => key);
    hold(
      removed.every((key) => withDelete && !before.folder.has(key)),
      'a file of the row was deleted',
    );
    const keys = row.effects.map(({ key }) => key);
    hold(new Set(keys).size === keys.length, 'a file was sent twice');
    for (const { item, status } of results) {
      const hasEffect = keys.includes(item.key);
      const isUnsent = status === 'failed' || status === 'not_done';
      hold(!(isUnsent && hasEffect), `${item.action} of ${item.key} took effect unsaid`);
      if (item.action === 'upload' && status === 'done')
        hold(hasEffect, `${item.key} was not uploaded`);
    }
  }
}

const isSame = (one: Map<string, string>, other: Map<string, string>): boolean =>
  one.size === other.size && [...one].every(([key, text]) => other.get(key) === text);

/** The files of a row ("Files of a row"), which somebody else writes too. */
class FilesOfRow {
  now: () => number = () => 0;
  newText: () => string = () => '';
  readonly #files = new Map<string, { text: string; modified: number }>();
  /** What the present sync did; `text` is undefined for a deletion. */
  effects: { key: string; text: string | undefined }[] = [];
  isChangedByOthers = false;
  readonly everStored = new Set<string>();
  #forms = 0;
  readonly #declared = new Map<string, string>();

  began(): void {
    this.effects = [];
    this.isChangedByOthers = false;
  }

  texts(): Map<string, string> {
    return new Map([...this.#files].map(([key, { text }]) => [key, text]));
  }

  put(key: string, text: string | undefined): void {
    if (text === undefined) return void this.#files.delete(key);
    this.everStored.add(text);
    this.#files.set(key, { text, modified: this.now() });
  }

  readonly answer: Service = ({ method, url, body }, trouble) => {
    const status = statusOf(trouble);
    if (status !== undefined) return { status, body: '{}' };
    if (trouble === 'lost_before') return { status: 0 };
    if (trouble === 'somebody_else') {
      this.isChangedByOthers = true;
      // Between an upload and the read of its record, only another size shows that the file was replaced.
      const isUploaded = url.endsWith('/a') && this.effects.at(-1)?.key === 'a';
      this.put('a', this.newText() + (isUploaded ? '!' : ''));
    }
    const [, kind = '', rest = ''] = /^http:\/\/[^/]+\/(\w+)\/?(.*)$/.exec(url) ?? [];
    if (kind === 'upload') return this.#upload(rest, String(Buffer.from(body as Uint8Array)));
    if (kind === 'bytes') {
      const [key = '', modified] = rest.split('?');
      const file = this.#files.get(key);
      const isThere = file !== undefined && String(file.modified) === modified;
      return isThere ? { status: 200, body: file.text } : { status: 404, body: '' };
    }
    if (method === 'PUT') {
      this.#declared.set(String(++this.#forms), rest);
      const form = { url: `${ORIGIN}/upload/${this.#forms}`, fields: { a: 'b' } };
      return { status: 200, body: JSON.stringify(form) };
    }
    if (method === 'DELETE') {
      if (this.#files.delete(rest)) this.effects.push({ key: rest, text: undefined });
      return { status: 204 };
    }
    const items = [...this.#files].map(([key, { text, modified }]) => ({
      key,
      size: text.length,
      modified,
      url: `${ORIGIN}/bytes/${key}?${modified}`,
    }));
    if (rest === '') return { status: 200, body: JSON.stringify(items) };
    const found = items.find(({ key }) => key === rest);
    return found ? { status: 200, body: JSON.stringify(found) } : { status: 404, body: '{}' };
  };

  #upload(form: string, body: string) {
    const key = this.#declared.get(form) ?? '';
    const text = /text \d{4}!?/.exec(body)?.[0];
    this.put(key, text);
    this.effects.push({ key, text });
    return { status: 204 };
  }
}
