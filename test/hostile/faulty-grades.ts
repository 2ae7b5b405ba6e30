import type { ServerResponse } from 'node:http';
import { attemptFor, memberOf } from '../cli/grade/bulk.ts';
import { answerJson, type Handler, type SeenRequest } from '../support/service.ts';
import { seededRandom } from '../support/seeded.ts';

const random = seededRandom();

/** What a row ends as, as `--json` and the ledger have it. */
export type End = 'success' | 'failed' | 'refused' | 'in_doubt';

interface Fault {
  /** Whether the grade is published all the same. */
  readonly takesEffect: boolean;
  readonly endsAs: End;
  readonly answer: (request: SeenRequest, response: ServerResponse) => void;
}

function withStatus(status: number, text: (member: string) => string): Fault['answer'] {
  return (request, response) => answerJson(response, status, { message: text(memberOf(request)) });
}

const cut = (request: SeenRequest, response: ServerResponse): void => {
  const text = JSON.stringify(attemptFor(request));
  response.writeHead(200, { 'content-length': String(text.length) });
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
};

/** One of each kind that a service, a proxy before it or the line between can do to a POST. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  '429': {
    takesEffect: false,
    endsAs: 'success',
    answer: (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  },
  '503': { takesEffect: false, endsAs: 'in_doubt', answer: withStatus(503, () => 'busy') },
  '500': { takesEffect: true, endsAs: 'in_doubt', answer: withStatus(500, () => 'oops') },
  'closed before': {
    takesEffect: false,
    endsAs: 'in_doubt',
    answer: (_, response) => void response.socket?.destroy(),
  },
  'closed after': {
    takesEffect: true,
    endsAs: 'in_doubt',
    answer: (_, response) => void response.socket?.resetAndDestroy(),
  },
  cut: { takesEffect: true, endsAs: 'in_doubt', answer: cut },
  garbage: {
    takesEffect: true,
    endsAs: 'in_doubt',
    answer: (_, response) => void response.socket?.end('\0\u0001 200 OK\n\n{"id":"a"}'),
  },
  slow: {
    takesEffect: true,
    endsAs: 'in_doubt',
    answer: (request, response) => {
      // Longer than anybody waits for here; its connection has gone by then.
      setTimeout(() => answerJson(response, 200, attemptFor(request)), 30_000).unref();
    },
  },
  '422': {
    takesEffect: false,
    endsAs: 'refused',
    answer: withStatus(422, (member) => `no grade for ${member}`),
  },
  '403': {
    takesEffect: false,
    endsAs: 'refused',
    // Three of the same would be for all rows.
    answer: withStatus(403, (member) => `not for ${member}`),
  },
  'refused by the LMS': {
    takesEffect: true,
    endsAs: 'failed',
    answer: (request, response) => {
      const data = { error: 'the LMS refused', response: { status: 422, body: {} } };
      answerJson(response, 200, attemptFor(request, { status: 'failed', data }));
    },
  },
};

/** What the service saw and did for a member. */
export interface Served {
  posts: number;
  /** Attempts that it made. */
  effects: number;
}

/**
 * A service that brings each fault to a share of the members, chosen by chance, and keeps count.
 * `heal` ends all faults.
 */
export function faultyGrades(share: number) {
  const served = new Map<string, Served>();
  const faultOf = new Map<string, string>();
  const names = Object.keys(FAULTS);
  let isHealthy = false;
  const handler: Handler = (request, response) => {
    const member = memberOf(request);
    const seen = served.get(member) ?? { posts: 0, effects: 0 };
    served.set(member, { ...seen, posts: seen.posts + 1 });
    const name = names[Math.floor(random() / share)];
    const isFirst = seen.posts === 0;
    if (isFirst && name !== undefined) faultOf.set(member, name);
    // A request that was refused for its time takes effect when it comes again.
    const fault = isHealthy || !isFirst || name === undefined ? undefined : FAULTS[name];
    if (fault?.takesEffect !== false) {
      served.set(member, { posts: seen.posts + 1, effects: seen.effects + 1 });
    }
    if (fault) fault.answer(request, response);
    else answerJson(response, 200, attemptFor(request));
  };
  return {
    handler,
    served,
    faultOf,
    heal: (): void => {
      isHealthy = true;
      served.clear();
    },
  };
}
