/**
 * Checks each answer of an emulator in this process against the OpenAPI documents, in every test. The
 * documents are made at the first answer: most tests have none.
 */
import { subscribe } from 'node:diagnostics_channel';
import { afterEach, expect } from 'vitest';
import type { PublishedAnswer } from '../../src/emulator/app.ts';
import type { Answers as HeldAnswers } from './answers.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** How many answers of a test were checked against the documents. */
    answers?: number;
  }
}

class CheckedAnswers {
  readonly faults: string[] = [];
  count = 0;
  readonly #waiting: PublishedAnswer[] = [];
  #check = (answer: PublishedAnswer): void => void this.#waiting.push(answer);

  constructor() {
    subscribe('lectern:emulator:answer', (message) => this.#check(message as PublishedAnswer));
  }

  async checkWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const { Answers, faultsOf } = await import('./answers.ts');
    const { openapi } = await import('../../src/emulator/openapi/index.ts');
    const made = new Map<string, HeldAnswers[]>();
    const documentsOf = ({ chosen, choices }: PublishedAnswer['state']): HeldAnswers[] => {
      const key = JSON.stringify(choices);
      const parts = ['service', 'control'] as const;
      const documents =
        made.get(key) ?? parts.map((part) => new Answers(openapi(part, { chosen })));
      made.set(key, documents);
      return documents;
    };
    this.#check = (answer) => {
      const { method, origin, target } = answer.request;
      const documents = documentsOf(answer.state);
      for (const fault of faultsOf(answer, documents)) {
        this.faults.push(`${method} ${origin} ${target}, ${answer.reply.status}: ${fault}`);
      }
      this.count += documents.reduce((sum, each) => sum + each.takeCount(), 0);
    };
    for (const answer of this.#waiting.splice(0)) this.#check(answer);
  }
}

// The files of a worker share their modules, and each of them loads this file.
const CHECKED = Symbol.for('lectern.test.checkedAnswers');
const shared = globalThis as { [CHECKED]?: CheckedAnswers };
const checked = (shared[CHECKED] ??= new CheckedAnswers());

afterEach(async ({ task }) => {
  await checked.checkWaiting();
  task.meta.answers = checked.count;
  checked.count = 0;
  expect(checked.faults.splice(0), 'answers that the OpenAPI documents do not allow').toEqual([]);
});
