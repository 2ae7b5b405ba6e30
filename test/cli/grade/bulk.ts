import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  lectern,
  type HereOptions,
  type RunResult,
  temporaryFolder,
} from '../../support/lectern.ts';
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

export interface Bench {
  readonly origin: string;
  readonly home: string;
  readonly launch: string;
  readonly requests: SeenRequest[];
  /** The members whose grades arrived, in the order of the arrivals. */
  readonly arrived: () => string[];
  /** Runs lectern in this home with a launch for this service. */
  readonly run: (args: readonly string[], options?: HereOptions) => Promise<RunResult>;
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

/** A service with a home and a launch for it. */
export async function bench(
  handler: Handler = takeAll,
  more: Record<string, unknown> = {},
): Promise<Bench> {
  const { origin, requests } = await startService(handler);
  const home = temporaryFolder();
  const launch = launchFile(origin, more);
  return {
    origin,
    home,
    launch,
    requests,
    arrived: () => requests.map(memberOf),
    run: (args, options) => lectern(['-l', launch, ...args], { home, ...options }),
  };
}

export interface RowLine {
  readonly run: number;
  readonly line: number;
  readonly member: string;
  readonly outcome: string;
  readonly status: string | null;
  readonly http: number | null;
  readonly attempt: Record<string, unknown> | null;
  readonly error: string | null;
}

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
