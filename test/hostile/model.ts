/**
 * A model of rows, file sets, gradebook and ledger, so simple that it can be seen to be right, beside
 * the real service and the real command line. Each operation is done to both; then they are compared.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import * as library from '../../src/index.ts';
import type { Served } from '../../src/emulator/index.ts';
import { binary, startBinary } from '../support/binary.ts';
import { serveSeeded } from '../support/emulator.ts';
import { lectern, type Running, type RunResult, temporaryFolder } from '../support/lectern.ts';
import { json, launchFor, startService } from '../support/service.ts';
import { atEnd } from '../support/scope.ts';

type Row = Readonly<Record<string, unknown>>;
type Grade = readonly [member: string, score: number];
/** Returns a number from 0 up to, not including, 1. */
type Random = () => number;

const ROW = 'member';
const MEMBERS = ['member-111', 'member-112', 'member-113', 'member-114', 'member-115'];
const KEYS = ['a.txt', 'b.txt', 'c.txt', 'slow.txt'];
const INCREMENTS = 8;

/** One course with one home, and another home that changes things without the first one's knowledge. */
export class Model {
  readonly #random: Random;
  readonly #home = temporaryFolder();
  readonly #otherHome = temporaryFolder();
  readonly #data = temporaryFolder();
  readonly #folder = temporaryFolder();
  #served!: Served;
  #claims!: Parameters<typeof library.openRow>[1];
  /** The row as it must be, and as it was before the last write from the first home. */
  #row: Row = {};
  #rowBefore: Row | undefined;
  /** The files of the row by their keys. */
  #files = new Map<string, string>();
  /** The score of each member in the gradebook. */
  readonly #scores = new Map<string, number>();
  #gradeFiles = 0;
  #onHeld: (() => void) | undefined;
  #release: (() => void) | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  async start(): Promise<void> {
    await this.#serve();
    atEnd(() => this.#served.close());
    const { claims } = await this.#served.control('POST launch', { role: 'instructor' });
    this.#claims = claims;
    for (const home of [this.#home, this.#otherHome]) {
      const input = JSON.stringify(claims);
      await this.#expectExit(0, lectern(['launch', 'save', 'course', '-'], { home, input }));
    }
    for (const name of ['one', 'two']) mkdirSync(join(this.#folder, name));
  }

  /** Does one operation at random; `begins` is called with its name. */
  async step(begins: (name: string) => void): Promise<void> {
    const all = Object.entries(this.#operations);
    const [name, operation] = all[this.#upTo(all.length)] as (typeof all)[number];
    begins(name);
    await operation();
    await this.#check();
  }

  readonly #operations: Readonly<Record<string, () => Promise<void>>> = {
    /** A project file, an environment or a home of somebody else: nothing of ours changes or leaves. */
    stranger: async () => {
      const elsewhere = await startService(json(403, {}));
      const { token } = this.#claims.api as { token: string };
      const cwd = temporaryFolder();
      const launch = join(cwd, 'launch.json');
      writeFileSync(launch, JSON.stringify(launchFor(elsewhere.origin)));
      const home = temporaryFolder();
      const [options, expected] = this.#pick([
        [{ home: this.#home, env: { LECTERN_TOKEN: token } }, 3],
        [{ home: this.#home, env: { LECTERN_LAUNCH: launch } }, 5],
        [{ home }, 5],
      ]);
      if (options.home === home) {
        await this.#expectExit(0, lectern(['launch', 'save', 'course', launch], { home }));
      } else writeFileSync(join(cwd, 'lectern.json'), '{"launch": "launch.json"}');
      const args = this.#pick([
        ['storage', 'put', 'context', '-', '--yes'],
        ['storage', 'patch', 'context', '--add', '/theirs=1'],
        ['grade', 'submit', '--score', '0', '--member', 'm-1'],
      ]);
      await this.#expectExit(expected, lectern(args, { ...options, cwd, input: '{"theirs":1}' }));
      expect(JSON.stringify(elsewhere.requests.map(({ headers }) => headers))).not.toContain(token);
      if (expected === 3) expect(elsewhere.requests).toEqual([]);
    },

    put: async () => {
      const row = this.#newRow();
      await this.#expectExit(0, this.#run(['storage', 'put', ROW, '-', '--yes'], row));
      this.#wrote(row);
    },

    patch: async () => {
      const value = this.#upTo(1000);
      await this.#expectExit(0, this.#run(['storage', 'patch', ROW, '--add', `/p:=${value}`]));
      this.#wrote({ ...this.#row, p: value });
    },

    undo: async () => {
      if (this.#rowBefore === undefined) return;
      await this.#expectExit(0, this.#run(['storage', 'undo', ROW, '--yes']));
      this.#wrote(this.#rowBefore);
    },

    'two patches of other keys at once': async () => {
      const [x, y] = [this.#upTo(1000), this.#upTo(1000)];
      const patches = [`/x:=${x}`, `/y:=${y}`].map((add) =>
        binary(['storage', 'patch', ROW, '--add', add], { home: this.#home }),
      );
      for (const patch of patches) await this.#expectExit(0, patch);
      this.#row = { ...this.#row, x, y };
      this.#rowBefore = undefined;
    },

    'increments by the library, many at once': async () => {
      const client = library.createClient(library.credentialOf(this.#claims));
      const row = library.openRow(client, this.#claims, ROW);
      const ledger = await library.openLedger({ file: join(this.#folder, 'ledger', 'l.sqlite') });
      const one = () =>
        library.updateRow(row, (state) => ({ ...state, n: Number(state.n ?? 0) + 1 }), { ledger });
      await Promise.all(Array.from({ length: INCREMENTS }, one));
      ledger.close();
      await client.close();
      this.#row = { ...this.#row, n: Number(this.#row.n ?? 0) + INCREMENTS };
      this.#rowBefore = undefined;
    },

    'a put from another machine': async () => {
      const row = this.#newRow();
      const put = lectern(['storage', 'put', ROW, '-', '--yes'], {
        home: this.#otherHome,
        input: JSON.stringify(row),
      });
      await this.#expectExit(0, put);
      this.#row = row;
      this.#rowBefore = undefined;
    },

    'a put that is killed': async () => {
      const [before, row] = [this.#row, this.#newRow()];
      const put = startBinary(['storage', 'put', ROW, '-', '--yes'], { home: this.#home });
      put.stdin.end(JSON.stringify(row));
      await Promise.race([put.ended, sleep(this.#upTo(200))]);
      put.kill('SIGKILL');
      await put.ended;
      this.#row = await this.#readRow();
      expect([before, row]).toContainEqual(this.#row);
      this.#rowBefore = undefined;
    },

    upload: async () => {
      const [key, text] = [this.#pick(KEYS), this.#text()];
      const file = join(this.#folder, key);
      writeFileSync(file, text);
      await this.#expectExit(0, this.#run(['files', 'upload', ROW, file]));
      this.#files.set(key, text);
    },

    'rm of a file': async () => {
      const key = this.#pick(KEYS);
      await this.#expectExit(0, this.#run(['files', 'rm', ROW, key, '--yes']));
      this.#files.delete(key);
    },

    'sync up': () => this.#syncUp('one'),
    'sync down': () => this.#syncDown('two'),

    'a sync down while another machine replaces a file': async () => {
      const folder = join(this.#folder, 'two');
      const text = this.#text();
      await this.#replaceElsewhere('a.txt', text);
      await this.#replaceElsewhere('slow.txt');
      await this.#during(['files', 'sync', ROW, folder], 'slow.txt', async () => {
        await expect.poll(() => contentsOf(folder)['a.txt']).toBe(text);
        await this.#replaceElsewhere('a.txt');
      });
      await this.#syncDown('two');
    },

    'a sync up while another machine replaces a file': async () => {
      const folder = join(this.#folder, 'one');
      const text = this.#text();
      writeFileSync(join(folder, 'a.txt'), text);
      writeFileSync(join(folder, 'slow.txt'), this.#text());
      await this.#during(['files', 'sync', folder, ROW], 'slow.txt', async () => {
        await expect.poll(async () => (await this.#readFiles())['a.txt']).toBe(text);
        await this.#replaceElsewhere('a.txt');
      });
      await this.#syncUp('one');
    },

    'two syncs at once': async () => {
      for (const name of ['one', 'two']) {
        writeFileSync(join(this.#folder, name, 'b.txt'), this.#text());
      }
      const syncs = ['one', 'two'].map((name) =>
        binary(['files', 'sync', join(this.#folder, name), ROW], { home: this.#home }),
      );
      for (const { exit, stderr } of await Promise.all(syncs))
        expect([0, 9], stderr).toContain(exit);
      await this.#syncUp('one');
      await this.#syncDown('two');
    },

    grade: async () => {
      const member = this.#pick(MEMBERS);
      const score = this.#score();
      await this.#expectExit(
        0,
        this.#run(['grade', 'submit', '--member', member, '--score', `${score}`]),
      );
      this.#scores.set(member, score);
    },

    'a grade whose answer is lost': async () => {
      const member = this.#pick(MEMBERS);
      const score = this.#score();
      await this.#served.control('POST fault', { path: '/scores', close: 'after' });
      await this.#expectExit(
        10,
        this.#run(['grade', 'submit', '--member', member, '--score', `${score}`]),
      );
      this.#scores.set(member, score);
    },

    'a file of grades, only if higher': async () => {
      const grades = MEMBERS.map((member) => [member, this.#score()] as const);
      const { exit, stderr } = await this.#run([...this.#submit(grades), '--only-if-higher']);
      expect(exit, stderr).toBe(0);
      const book = await this.#gradebook();
      for (const member of MEMBERS) {
        const [score, before] = [book.get(member), this.#scores.get(member)];
        // A grade that was in doubt and never came has no score, and is not sent below it.
        if (score === undefined && before === undefined) continue;
        expect(score, `the grade of ${member}`).toBeGreaterThanOrEqual(before ?? 0);
        this.#scores.set(member, score ?? 0);
      }
    },

    'a file of grades, twice at once': async () => {
      const grades = MEMBERS.map((member) => [member, this.#score()] as const);
      const submit = this.#submit(grades);
      const { exit, stderr } = await this.#during(submit, '/scores', async () => {
        await this.#expectExit(3, binary(submit, { home: this.#home }));
      });
      expect(exit, stderr).toBe(0);
      await this.#expectSentOnce(grades);
    },

    'a file of grades, killed and submitted again': async () => {
      const grades = MEMBERS.map((member) => [member, this.#score()] as const);
      const submit = this.#submit(grades);
      await this.#during([...submit, '--concurrency', '1'], '/scores', async ({ kill, ended }) => {
        kill('SIGKILL');
        await ended;
      });
      await this.#expectExit(3, this.#run(submit));
      const runs = await this.#run(['grade', 'runs', '--json']);
      const [run] = JSON.parse(runs.stdout) as { run: number }[];
      // The grade that was held took effect, but its answer was lost.
      await this.#expectExit(10, this.#run(['grade', 'resume', `${run?.run}`, '--yes']));
      // The grade after it may be in doubt without a request: its intent was stored meanwhile.
      const report = await this.#run(['grade', 'report', '--in-doubt', '--json']);
      const doubted = (JSON.parse(report.stdout) as { member: string }[]).slice(1);
      await this.#expectSentOnce(
        grades,
        doubted.map(({ member }) => member),
      );
    },

    'a restart of the service': async () => {
      await this.#served.close();
      await this.#serve();
    },
  };

  async #serve(): Promise<void> {
    this.#served = await serveSeeded({
      data: this.#data,
      pid: process.pid,
      controlToken: 'control',
      sleep: () => this.#hold(),
    });
  }

  /** Compares everything with the service. */
  async #check(): Promise<void> {
    expect(await this.#readRow()).toEqual(this.#row);
    expect(await this.#readFiles()).toEqual(Object.fromEntries(this.#files));
    expect(Object.fromEntries(await this.#gradebook())).toEqual(Object.fromEntries(this.#scores));
  }

  #wrote(row: Row): void {
    this.#rowBefore = this.#row;
    this.#row = row;
  }

  async #readRow(): Promise<Row> {
    return JSON.parse((await this.#run(['storage', 'get', ROW, '--raw'])).stdout) as Row;
  }

  async #readFiles(): Promise<Readonly<Record<string, string>>> {
    const folder = temporaryFolder();
    const download = this.#run(['files', 'download', ROW, '--all', '--to', folder]);
    await this.#expectExit(0, download);
    return contentsOf(folder);
  }

  async #gradebook(): Promise<Map<string, number>> {
    const { attempts } = await this.#served.control('GET state');
    const scores = new Map<string, number>();
    for (const { annotations, score } of attempts) scores.set(annotations.member, score);
    return scores;
  }

  /** Every grade of a file was submitted, but those that may not have been, and none twice. */
  async #expectSentOnce(grades: readonly Grade[], unsent: readonly string[] = []): Promise<void> {
    const { attempts } = await this.#served.control('GET state');
    const comment = `file ${this.#gradeFiles}`;
    const sent = attempts.filter(({ data }) => data.comment === comment);
    const members = sent.map(({ annotations }) => annotations.member).sort();
    const mayMiss = (member: string): boolean =>
      unsent.includes(member) && !members.includes(member);
    expect(members).toEqual(MEMBERS.filter((member) => !mayMiss(member)));
    for (const [member, score] of grades) {
      if (members.includes(member)) this.#scores.set(member, score);
    }
  }

  /** Writes a file of grades, and returns the command that submits it. */
  #submit(grades: readonly Grade[]): string[] {
    this.#gradeFiles += 1;
    const file = join(this.#folder, 'grades.csv');
    const lines = grades.map(([member, score]) => `${member},${score},file ${this.#gradeFiles}\n`);
    writeFileSync(file, `member,score,comment\n${lines.join('')}`);
    return ['grade', 'submit', '--from', file, '--yes'];
  }

  async #syncUp(name: string): Promise<void> {
    const folder = join(this.#folder, name);
    await this.#expectExit(0, this.#run(['files', 'sync', folder, ROW, '--delete', '--yes']));
    this.#files = new Map(Object.entries(contentsOf(folder)));
  }

  async #syncDown(name: string): Promise<void> {
    const folder = join(this.#folder, name);
    await this.#expectExit(0, this.#run(['files', 'sync', ROW, folder, '--delete', '--yes']));
    expect(contentsOf(folder)).toEqual(Object.fromEntries(this.#files));
  }

  async #replaceElsewhere(key: string, text = this.#text()): Promise<void> {
    const file = join(temporaryFolder(), key);
    writeFileSync(file, text);
    const home = this.#otherHome;
    await this.#expectExit(0, lectern(['files', 'upload', ROW, file], { home }));
    this.#files.set(key, text);
  }

  #run(args: readonly string[], input?: Row): Promise<RunResult> {
    const options = input === undefined ? {} : { input: JSON.stringify(input) };
    return lectern(args, { home: this.#home, ...options });
  }

  async #expectExit(expected: number, running: Promise<RunResult>): Promise<void> {
    const { exit, stderr } = await running;
    expect(exit, stderr).toBe(expected);
  }

  /** Runs a command, and does something while the first of its requests that matches is held. */
  async #during(
    args: readonly string[],
    path: string,
    change: (running: Running) => Promise<void>,
  ): Promise<RunResult> {
    const held = new Promise<void>((resolve) => void (this.#onHeld = resolve));
    await this.#served.control('POST fault', { path, delay_ms: 60_000 });
    const running = startBinary(args, { home: this.#home });
    running.stdin.end();
    const early = running.ended.then(({ exit, stderr }) => {
      throw new Error(
        `${args.join(' ')} ended with ${exit} before a request of ${path}: ${stderr}`,
      );
    });
    await Promise.race([held, early]);
    await change(running);
    this.#release?.();
    return running.ended;
  }

  #hold(): Promise<void> {
    this.#onHeld?.();
    return new Promise((resolve) => void (this.#release = resolve));
  }

  #upTo(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#upTo(items.length)] as Item;
  }

  #newRow(): Row {
    return { id: this.#upTo(1_000_000), text: this.#text(), list: [this.#upTo(10), null, 1.5] };
  }

  /** Always as long, so that a size does not show a change. */
  #text(): string {
    return String(this.#upTo(1_000_000_000)).padStart(9, '0');
  }

  #score(): number {
    return this.#upTo(101) / 100;
  }
}

function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
