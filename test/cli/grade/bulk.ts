import { expect } from 'vitest';
import type { Printed } from '../../../src/cli/output/all-forms.ts';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  lectern,
  type HereOptions,
  type Running,
  type RunResult,
  start as startLectern,
  temporaryFolder,
} from '../../support/lectern.ts';
import { type Expected, type Given, patterns, step, wordsOf } from '../../support/steps.ts';
import {
  answerJson,
  attemptRecord,
  type Handler,
  launchFile,
  type SeenRequest,
  startService,
} from '../../support/service.ts';

/** The record that a service answers a submission with. */
export function attemptFor(request: SeenRequest, more: Record<string, unknown> = {}) {
  const { score, max_score = null, comment = '' } = JSON.parse(request.body.toString());
  const member = memberOf(request);
  const good = attemptRecord();
  return {
    ...good,
    id: `attempt-of-${member}`,
    score,
    max_score,
    data: { ...good.data, comment },
    annotations: { ...good.annotations, member },
    ...more,
  };
}

/** The member that a submission is for. */
export function memberOf({ target }: SeenRequest): string {
  return decodeURIComponent(/\/members\/([^/]+)/.exec(target)?.[1] ?? '');
}

/** Takes every grade. */
export function takeAll(request: SeenRequest, response: ServerResponse): void {
  answerJson(response, 200, attemptFor(request));
}

/** Takes every grade but those of some members. */
export function takeAllBut(others: Readonly<Record<string, Handler>>): Handler {
  return (request, response) => (others[memberOf(request)] ?? takeAll)(request, response);
}

/** A file of grades: `a,0.5` and so on under `member,score`. */
export function file(text: string, name = 'grades.csv'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** Members m-2, m-3 …, each on the line that its name says. */
export function members(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `m-${index + 2},0.5\n`);
  return `member,score\n${lines.join('')}`;
}

/** The arguments of a run that asks nothing and prints each row. */
export function submitFile(from: string): string[] {
  return ['grade', 'submit', '--from', from, '--yes', '--json'];
}

/** What is expected of a command line beside what it prints. */
interface GradeStep extends Given, Expected {
  /** The members whose grades arrive, in alphabetical order; of other requests nothing. */
  readonly sent?: readonly string[] | number;
  /** The bodies that arrive, in the same order. */
  readonly bodies?: readonly object[];
  /** Of a run with `--json`: parts of its lines, in the order of the records, and of what follows. */
  readonly rows?: readonly object[] | number;
  readonly summary?: object;
  readonly warning?: RegExp | string | undefined;
}

/** A service that responds on request, and reports when a number of requests wait. */
export function holding() {
  const requests: [SeenRequest, ServerResponse][] = [];
  let holds = true;
  let wake = (): void => {};
  const answer = ([request, response]: [SeenRequest, ServerResponse]): void =>
    answerJson(response, 200, attemptFor(request));
  const handler: Handler = (request, response) => {
    if (!holds) return answer([request, response]);
    requests.push([request, response]);
    wake();
  };
  return {
    handler,
    waiting: (count: number): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          if (requests.length >= count) resolve();
        };
        wake();
      }),
    /** Answers this many of the requests that have waited longest. */
    releaseSome: (count: number): void => requests.splice(0, count).forEach(answer),
    release: (): void => {
      holds = false;
      requests.splice(0).forEach(answer);
    },
  };
}

/** A home and a folder of its own, with a launch for a service that notes its requests. */
function machineOf(env: Readonly<Record<string, string>>, requests: readonly SeenRequest[]) {
  const [home, folder] = [temporaryFolder(), temporaryFolder()];
  const given = <Options extends HereOptions>(options: Options): Options => {
    return { home, cwd: folder, ...options, env: { ...env, ...options.env } };
  };
  return {
    home,
    folder,
    run: (args: readonly string[], options: HereOptions = {}) => lectern(args, given(options)),
    /** Starts a command line, so that it can be stopped in the middle. */
    start: (line: string, options: HereOptions = {}): Running =>
      startLectern(wordsOf(line), given(options)),
    /** Runs command lines in the same way, and checks what comes of them. */
    step: async (
      line: string,
      { sent, bodies, rows, summary, ...options }: GradeStep = {},
    ): Promise<RunResult> => {
      const from = requests.length;
      const ran = await step(line, given(options));
      const news = requests
        .slice(from)
        .toSorted((one, other) => memberOf(one).localeCompare(memberOf(other)));
      if (typeof sent === 'number') expect(news.length, line).toBe(sent);
      else if (sent) expect(news.map(memberOf), line).toEqual(sent);
      if (bodies) expect(news.map(bodyOf), line).toEqual(bodies);
      if (typeof rows === 'number') expect(readLines(ran).rows, line).toHaveLength(rows);
      else if (rows) expect(inOrder(readLines(ran).rows), line).toMatchObject(patterns(rows) as []);
      if (summary) expect(summaryOf(ran), line).toMatchObject(patterns(summary) as object);
      if ('warning' in options) {
        expect([readLines(ran).warning], line).toEqual([patterns(options.warning)]);
      }
      return ran;
    },
  };
}

export type Machine = ReturnType<typeof machineOf>;
export type Bench = Awaited<ReturnType<typeof bench>>;

/** A service, whose `answer` the test may replace, and a machine with a launch for it. */
export async function bench(
  handler: Handler = takeAll,
  more: Record<string, unknown> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const service = { answer: handler };
  const { origin, requests } = await startService((request, response) =>
    made.answer(request, response),
  );
  const launch = launchFile(origin, more);
  /** Another machine with the same service. */
  const machine = () => machineOf({ LECTERN_LAUNCH: launch, ...environment }, requests);
  /** The members whose grades arrived, in the order of the arrivals. */
  const arrived = (): string[] => requests.map(memberOf);
  const made = Object.assign(service, { origin, launch, requests, arrived, machine }, machine());
  return made;
}

/** Runs command lines on a bench of their own. */
export const gradeStep: Bench['step'] = async (line, expected) =>
  (await bench()).step(line, expected);

const inOrder = (rows: readonly RowLine[]): RowLine[] =>
  rows.toSorted((one, other) => one.line - other.line);

/** The body of a submission. */
export const bodyOf = ({ body }: SeenRequest) => JSON.parse(body.toString());

/** Answers the first requests in another way. */
export function first(count: number, other: Handler, then: Handler = takeAll): Handler {
  let left = count;
  return (request, response) => {
    left -= 1;
    return (left >= 0 ? other : then)(request, response);
  };
}

/** Takes a grade, which the gradebook does not. */
export function takeAsFailed(error: string, answer: object | null = null): Handler {
  return (request, response) => {
    const data = { error, response: answer };
    answerJson(response, 200, { ...attemptFor(request), status: 'failed', data });
  };
}

type RowLine = Printed<'grade report'>[number];

/** The lines of a run with `--json`: one for each row, and the summary. */
export function readLines({ stdout }: Pick<RunResult, 'stdout'>) {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { summary, warning } = lines.pop() as {
    summary: Record<string, number | string>;
    warning?: string;
  };
  return { rows: lines as RowLine[], summary, warning };
}

/** Looks again and again, for a minute at least: a test that fails must end. */
export async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks === 60_000) throw new Error(`it never came to this: ${condition}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}

/** The summary of what a run with `--json` printed so far. */
export const summaryOf = ({ stdout }: Pick<RunResult, 'stdout'>) => readLines({ stdout }).summary;
