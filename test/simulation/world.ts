/**
 * A machine that a test owns: its clock, network, disk and processes, in one process of the test. What
 * happens depends on a list of troubles alone, so that a failure repeats, and fast-check shortens it.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client, TransportError } from '../../src/client/index.ts';
import type { StreamedBody, WireRequest, WireResponse } from '../../src/client/transport.ts';
import { type Ledger, LedgerError, openLedger } from '../../src/ledger/index.ts';
import type { Disk } from '../../src/ports.ts';
import { VirtualTime } from '../grades/virtual-time.ts';
import { MemoryDisk } from './memory-disk.ts';

/** `kill` ends a process at any step; the rest happens to one request, or to one write to the disk. */
export const TROUBLES = [
  'kill',
  'disk_full',
  'lost_before',
  'lost_after',
  'unconnected',
  'late',
  'status_401',
  'status_422',
  'status_429',
  'status_500',
  'status_503',
  'garbage',
  'lms_refuses',
  'somebody_else',
] as const;
export type TroubleKind = (typeof TROUBLES)[number];

/** `after` steps since the last trouble, it happens at the first step that it can happen to. */
export interface Trouble {
  readonly after: number;
  readonly kind: TroubleKind;
}

/** The service: what a request does, and its answer. With `lost_before` it does nothing. */
export type Service = (request: WireRequest, trouble: TroubleKind | undefined) => Answer;

export interface Answer {
  readonly status: number;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const STEP_MS = 7;
/** Longer than the deadline of a call. */
const LATE_MS = 90_000;

/** Files of simulated disks. */
export class Disks {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lectern-simulation-'));
  #made = 0;

  /** The path of a ledger that is empty, as if `openLedger` had made it. */
  async newLedger(): Promise<string> {
    const template = join(this.#folder, 'template', 'ledger.sqlite');
    if (this.#made === 0) await (await openLedger({ file: template })).close();
    const file = join(this.#folder, `ledger-${this.#made++}.sqlite`);
    copyFileSync(template, file);
    return file;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class World {
  readonly time = new VirtualTime();
  /** What all processes read and write, beside the ledger. */
  disk: Disk = new MemoryDisk(this.time.now);
  readonly #troubles: Trouble[];
  readonly #service: Service;
  readonly #file: string;
  #sinceTrouble = 0;
  /** The troubles that happened, in order. */
  readonly happened: TroubleKind[] = [];

  constructor(file: string, service: Service, troubles: readonly Trouble[]) {
    this.#file = file;
    this.#service = service;
    this.#troubles = [...troubles];
  }

  /** The trouble of this step, if it can be one of these. */
  trouble(possible: (kind: TroubleKind) => boolean): TroubleKind | undefined {
    this.#sinceTrouble += 1;
    const [next] = this.#troubles;
    if (next === undefined || this.#sinceTrouble < next.after || !possible(next.kind))
      return undefined;
    this.#troubles.shift();
    this.#sinceTrouble = 0;
    this.happened.push(next.kind);
    return next.kind;
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.#troubles.length = 0;
  }

  /** Runs a process until it ends or is killed; `undefined` if it was killed. */
  async run<Result>(
    main: (process: SimulatedProcess) => Promise<Result>,
  ): Promise<Result | undefined> {
    const ledger = await this.#open();
    const process = new SimulatedProcess(this, ledger, this.#service);
    try {
      return await main(process);
    } catch (error) {
      if (process.isAlive) throw error;
      return undefined;
    } finally {
      await this.time.waitingFor(ledger.close());
    }
  }

  #open(): Promise<Ledger> {
    return this.time.waitingFor(
      openLedger({ file: this.#file, now: this.time.now, who: 'simulated' }),
    );
  }

  /** What is on disk, read without trouble. */
  async read<Result>(look: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    const ledger = await this.#open();
    try {
      return await look(ledger);
    } finally {
      await ledger.close();
    }
  }
}

/** What a process has of its machine. A test replaces parts of it to make a defect. */
export type Parts = Pick<SimulatedProcess, 'ledger' | 'client' | 'clock' | 'disk'>;

/** The status that a trouble answers with, if it does. */
export const statusOf = (trouble = ''): number | undefined =>
  Number(/^status_(\d+)$/.exec(trouble)?.[1]) || undefined;

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('the disk is full');

/** What an operation of a process that was killed rejects with; it has no effect. */
class Killed extends Error {
  override readonly name = 'Killed';
}

const DISK: ReadonlySet<string> = new Set(['disk_full', 'kill']);
const NETWORK: ReadonlySet<string> = new Set(TROUBLES.filter((kind) => kind !== 'disk_full'));

export class SimulatedProcess {
  readonly #world: World;
  readonly #service: Service;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly client: Client;
  #end: (error: Error) => void = () => {};
  readonly #killed = new Promise<never>((_, reject) => {
    this.#end = reject;
  });
  isAlive = true;
  #asked = 0;

  constructor(world: World, ledger: Ledger, service: Service) {
    this.#world = world;
    this.#service = service;
    this.#killed.catch(() => {});
    this.ledger = this.#onDisk(ledger);
    this.disk = this.#onDisk(world.disk);
    this.client = createClient(
      { kind: 'launch_token', secret: 'token-1', origin: 'http://127.0.0.1' },
      { transport: this.#transport, clock: this.clock },
    );
  }

  readonly clock = {
    now: (): number => this.#world.time.now(),
    // No two moments are the same on a real clock.
    monotonic: (): number => this.#world.time.monotonic() + (this.#asked += 1) * 1e-6,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
      this.#alive(this.#world.time.sleep(ms, signal)),
    setTimer: (ms: number, act: () => void): (() => void) =>
      this.#world.time.setTimer(ms, () => this.isAlive && act()),
  };

  #alive<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([this.#killed, work]);
  }

  /** Takes a moment, in which the process may end; returns another trouble of this moment. */
  async #step(possible: ReadonlySet<string>): Promise<TroubleKind | undefined> {
    await this.#alive(this.#world.time.sleep(STEP_MS));
    const trouble = this.#world.trouble((kind) => possible.has(kind));
    if (trouble !== 'kill') return trouble;
    this.isAlive = false;
    this.#end(new Killed('the process was killed'));
    return this.#killed;
  }

  /** The store with a step before and after each of its operations. */
  #onDisk<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (typeof name !== 'string' || IN_MEMORY.has(name)) return member.bind(target);
        if (STREAMS.has(name)) {
          return (...args: unknown[]) => this.#read(member.apply(target, args));
        }
        return async (...args: unknown[]) => {
          if ((await this.#step(DISK)) === 'disk_full') {
            throw new LedgerError('full', 'ledger.sqlite', 'the disk is full');
          }
          const work = this.#world.time.waitingFor(Promise.resolve(member.apply(target, args)));
          const result: unknown = await this.#alive(work);
          await this.#step(KILL);
          return isStore(result) ? this.#onDisk(result) : result;
        };
      },
    });
  }

  async *#read<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    for await (const item of items) {
      await this.#step(KILL);
      yield item;
    }
  }

  readonly #transport = (request: WireRequest) => {
    const cancelled = new AbortController();
    return {
      response: this.#exchange(request, cancelled.signal),
      cancel: () => cancelled.abort(),
    };
  };

  async #whole({ chunks }: StreamedBody): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of chunks()) parts.push(part);
    return Buffer.concat(parts);
  }

  async #exchange(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const trouble = await this.#step(NETWORK);
    if (trouble === 'unconnected') throw new TransportError('connection refused', false);
    const sent =
      request.body && 'chunks' in request.body ? await this.#whole(request.body) : request.body;
    const {
      status,
      body = '',
      headers = {},
    } = this.#service({ ...request, ...(sent && { body: sent }) }, trouble);
    if (trouble === 'lost_before' || trouble === 'lost_after')
      throw new TransportError('connection reset', true);
    try {
      if (trouble === 'late') await this.clock.sleep(LATE_MS, signal);
      await this.#step(KILL);
    } catch (error) {
      throw new TransportError('cancelled', true, { cause: error });
    }
    const bytes = new TextEncoder().encode(trouble === 'garbage' ? '<html>' : body);
    return { status, headers, body: streamOf(bytes) };
  }
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const KILL: ReadonlySet<string> = new Set(['kill']);
/** Members of a ledger or a claim that touch no disk; a release is the system's when a process ends. */
const IN_MEMORY: ReadonlySet<string> = new Set(['done', 'release', 'close', 'awayMs', 'now']);
const STREAMS: ReadonlySet<string> = new Set(['pages', 'rows', 'attempts', 'chunks']);

/** A claim, whose operations write too. */
function isStore(value: unknown): value is object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.values(value).some((member) => typeof member === 'function');
}
