/**
 * Runs each test again for each mutant that it reaches, in one process. All mutants of a file are in it,
 * behind a switch: `mutant(7) ? changed : original` notes that mutant 7 is reached, and is true while 7
 * is tried.
 *
 * A mutant of code that runs while modules load is only seen by a process that has it from its start:
 * LECTERN_MUTANT names it, and each test runs once.
 */
import { appendFileSync } from 'node:fs';
import { TestRunner, type RunnerTestCase as Test } from 'vitest';
import { isAlive, readWords, type Word } from './words.ts';

const log = process.env.LECTERN_MUTATION_LOG ?? '';
const constant = Number(process.env.LECTERN_MUTANT ?? 0);
const chosen = new Set((process.env.LECTERN_MUTANTS ?? '').split(',').map(Number));

/** A mutant that tests of this time have not noticed counts as a survivor: slow tests rarely do. */
const MOST_MS = 4000;

/** The time of the processor: others may keep it busy. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What the files of a process share. */
class State {
  readonly words = readWords(log);
  #active = constant;
  #deadline = Infinity;
  #calls = 0;
  readonly #reached = new Set<number>();
  /** The time of the tests that each mutant has survived, as they take without it. */
  readonly #survivedMs = new Map<number, number>();

  /** The switch. A loop that does not end calls it too. */
  readonly mutant = (mutant: number): boolean => {
    this.#calls += 1;
    if (this.#calls % 1024 === 0 && cpuMs() > this.#deadline) throw new Error('no end');
    if (this.#active) return mutant === this.#active;
    this.#reached.add(mutant);
    return false;
  };

  begin(mutant: number, milliseconds: number): void {
    this.#active = mutant;
    this.#deadline = cpuMs() + milliseconds;
  }

  /** The mutants to try that were reached since the last call. */
  takeReached(): number[] {
    const reached = [...this.#reached].filter((mutant) => this.#isWanted(mutant));
    this.#reached.clear();
    return reached;
  }

  #isWanted(mutant: number): boolean {
    const isOpen = (this.#survivedMs.get(mutant) ?? 0) < MOST_MS;
    return isOpen && chosen.has(mutant) && isAlive(this.words.get(mutant));
  }

  survive(mutant: number, ms: number): void {
    this.#survivedMs.set(mutant, (this.#survivedMs.get(mutant) ?? 0) + ms);
    this.write('live', mutant);
  }

  write(word: Word, mutant: number): void {
    this.words.set(mutant, word);
    appendFileSync(log, `${word} ${mutant}\n`);
  }
}

const shared = globalThis as { lecternMutation?: State };
const state = (shared.lecternMutation ??= new State());

/** A test fails, passes and is run again as if it were retried: hooks and clean-up are those of a test. */
export default class MutationRunner extends TestRunner {
  /** What to try next with the test; 0 is no mutant. */
  #waiting: number[] = [];
  #killed = 0;
  #startedAt = 0;
  #plainMs = 0;

  /** What the end of the file before has reached is forgotten. */
  onBeforeCollect(): void {
    state.takeReached();
  }

  /** What test files call outside of their tests. */
  onCollected(): void {
    for (const mutant of constant ? [] : state.takeReached()) state.write('load', mutant);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (constant) return;
    for (const mutant of state.takeReached()) {
      if (!state.words.has(mutant)) state.write('load', mutant);
    }
    test.retry = Infinity;
    this.#waiting = [];
    this.#killed = 0;
    this.#plainMs = 0;
  }

  override onBeforeTryTask(test: Test): void {
    super.onBeforeTryTask(test);
    const [mutant = constant] = this.#waiting;
    if (mutant && !constant) state.write('try', mutant);
    this.#startedAt = cpuMs();
    const limitMs = constant ? 60_000 : 5000 + 5 * this.#plainMs;
    state.begin(mutant, mutant ? limitMs : Infinity);
  }

  onAfterRetryTask({ result, name }: Test): void {
    if (!result || constant) return;
    const isFailed = result.state === 'fail';
    const mutant = this.#waiting.shift();
    state.begin(0, Infinity);
    if (mutant) this.#judge(mutant, isFailed);
    else if (isFailed) this.#giveUp(name);
    else if (mutant === undefined) this.#begin();
    const isDone = this.#waiting.length === 0;
    result.state = isDone ? 'pass' : 'run';
    // Only a test with an error is retried.
    result.errors = isDone ? [] : [{ message: 'next' }];
  }

  #begin(): void {
    this.#plainMs = cpuMs() - this.#startedAt;
    const reached = state.takeReached();
    // Once more without one: a test that cannot be repeated says nothing about mutants.
    if (reached.length > 0) this.#waiting = [0, ...reached];
  }

  #judge(mutant: number, isFailed: boolean): void {
    if (!isFailed) return state.survive(mutant, this.#plainMs);
    state.write('kill', mutant);
    this.#killed = mutant;
    this.#waiting.unshift(0);
  }

  /** The test fails without a mutant: the one before has spoilt the process, or the test cannot be used. */
  #giveUp(name: string): void {
    if (this.#killed) {
      state.write('try', this.#killed);
      process.kill(process.pid, 'SIGKILL');
    }
    appendFileSync(log, `unusable test: ${name}\n`);
    this.#waiting = [];
  }
}
