import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { FastClock } from '../../support/clock.ts';
import type { RunResult } from '../../support/lectern.ts';
import {
  answerJson,
  claimsFile,
  launchFor,
  type SeenRequest,
  startService,
} from '../../support/service.ts';
import { type Expected, type Given, stepsAt } from '../../support/steps.ts';

/** Answers a request itself and returns true, or leaves it to the service. */
export type Fault = (request: SeenRequest, response: ServerResponse) => boolean;

/** What is expected of a command line beside what it prints. */
interface FilesStep extends Given, Expected {
  /** The methods of its requests, those to the storage marked with `*`. */
  readonly methods?: readonly string[];
  /** The keys of the row afterwards. */
  readonly keys?: readonly string[];
}

export const MODIFIED = Date.UTC(2026, 9, 1, 12, 30, 15, 310);
/** Is in every signed address, and must never be shown. */
export const SIGNATURE = 'signature-canary';

/**
 * Files behind real HTTP on two origins, with faults where a test wants them. What the emulator can
 * do is tested on the emulator.
 */
export async function scriptedFiles(contents: Record<string, string> = {}) {
  const files = new Map(Object.entries(contents));
  /** Each upload is a moment later than the one before. */
  const dates = new Map<string, number>();
  const faults: { api?: Fault; storage?: Fault } = {};
  const storage = await startService((request, response) => {
    if (faults.storage?.(request, response)) return;
    answerStorage(files, dates, request, response);
  });
  const api = await startService((request, response) => {
    if (faults.api?.(request, response)) return;
    answerApi({ files, dates }, storage.origin, request, response);
  });
  const claims = launchFor(api.origin);
  const env = { LECTERN_LAUNCH: claimsFile(claims) };
  // It waits for nothing before it tries again.
  const at = stepsAt({ env, clock: new FastClock() });
  /** The methods of the requests so far, those of the storage marked with `*`. */
  const methods = (asked = 0, moved = 0): string[] => [
    ...api.requests.slice(asked).map(({ method }) => method),
    ...storage.requests.slice(moved).map(({ method }) => `*${method}`),
  ];
  return {
    ...at,
    api,
    storage,
    files,
    faults,
    claims,
    /** What a command line is started with, on the machine's clock. */
    options: { home: at.home, cwd: at.folder, env },
    methods,
    /** Runs a command line, and checks what comes of it. */
    step: async (
      line: string,
      { methods: expected, keys, ...more }: FilesStep = {},
    ): Promise<RunResult> => {
      const [asked, moved] = [api.requests.length, storage.requests.length];
      const ran = await at.step(line, more);
      if (expected) expect(methods(asked, moved), line).toEqual(expected);
      if (keys) expect([...files.keys()].toSorted(), line).toEqual(keys);
      return ran;
    },
    /** Gives a file of the row another content and a later date, as another program would. */
    replace: (key: string, text: string): void => {
      files.set(key, text);
      dates.set(key, laterThan(dates));
    },
  };
}

/** A fault that happens `times` times to requests of a method, and then no more. */
export function failing(
  method: string,
  times: number,
  answer: (response: ServerResponse, request: SeenRequest) => void,
): Fault {
  let left = times;
  return (request, response) => {
    if (request.method !== method || left === 0) return false;
    left -= 1;
    answer(response, request);
    return true;
  };
}

/** A fault of the requests that `isMeant` accepts. */
export const answering =
  (
    isMeant: (request: SeenRequest) => boolean,
    answer: (response: ServerResponse, request: SeenRequest) => void,
  ): Fault =>
  (request, response) => {
    const isAnswered = isMeant(request);
    if (isAnswered) answer(response, request);
    return isAnswered;
  };

/** An object store's refusal. */
export function answerXml(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  );
}

function answerApi(
  { files, dates }: { files: Map<string, string>; dates: Map<string, number> },
  storage: string,
  request: SeenRequest,
  response: ServerResponse,
): void {
  const key = keyOf(request.target);
  const sizeOf = (text: string): number => Buffer.byteLength(text);
  if (key === undefined) {
    const items = [...files].map(([each, text]) => ({
      key: each,
      size: sizeOf(text),
      modified: dates.get(each) ?? MODIFIED,
    }));
    return answerJson(response, 200, items);
  }
  if (request.method === 'PUT') {
    const fields = { key: `incoming/${key}`, 'Content-Type': 'text/plain', policy: SIGNATURE };
    return answerJson(response, 200, { url: `${storage}/post?signature=${SIGNATURE}`, fields });
  }
  if (request.method === 'DELETE') {
    files.delete(key);
    return void response.writeHead(204).end();
  }
  const text = files.get(key);
  if (text === undefined) return answerJson(response, 404, { message: 'no such file' });
  answerJson(response, 200, {
    key,
    size: sizeOf(text),
    modified: dates.get(key) ?? MODIFIED,
    content_type: 'text/plain',
    url: `${storage}/get/${key}?signature=${SIGNATURE}`,
    expires: MODIFIED + 300_000,
  });
}

function keyOf(target: string): string | undefined {
  const match = /^\/v0\/f%69les\/[a-z_]+\/([^/?]+)\?/.exec(target);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
}

function answerStorage(
  files: Map<string, string>,
  dates: Map<string, number>,
  request: SeenRequest,
  response: ServerResponse,
): void {
  if (request.method === 'GET') {
    const key = /^\/get\/([^?]+)/.exec(request.target)?.[1] ?? '';
    return void response.end(files.get(key));
  }
  const parts = multipart(request);
  const key = parts[0]?.content.replace('incoming/', '') ?? '';
  files.set(key, parts.at(-1)?.content ?? '');
  dates.set(key, laterThan(dates));
  response.writeHead(204).end();
}

function laterThan(dates: ReadonlyMap<string, number>): number {
  return Math.max(MODIFIED, ...dates.values()) + 1;
}

/** The parts of a form, in their order. */
export function multipart(request: SeenRequest): { head: string; name: string; content: string }[] {
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1];
  const [, ...parts] = `\r\n${request.body.toString()}`.split(`\r\n--${boundary}`);
  return parts.slice(0, -1).map((part) => {
    const end = part.indexOf('\r\n\r\n');
    const head = part.slice(2, end);
    return { head, name: /name="([^"]*)"/.exec(head)?.[1] ?? '', content: part.slice(end + 4) };
  });
}
