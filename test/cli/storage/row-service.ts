import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServerResponse } from 'node:http';
import { applyPatch, checkPatchBody } from '../../../src/contract/index.ts';
import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../../src/json/index.ts';
import { type HereOptions, type RunResult, temporaryFolder } from '../../support/lectern.ts';
import { claimsFile, launchFor, type SeenRequest, startService } from '../../support/service.ts';
import type { Size, Terminal } from '../../support/screen.ts';
import { type Expected, type Given, stepsAt } from '../../support/steps.ts';
import { terminal } from '../../support/terminal.ts';

/** Answers a request itself and returns true, or leaves it to the rows. */
type Fault = (request: SeenRequest, response: ServerResponse, rows: Rows) => boolean;
type Rows = Map<string, string>;

/** What is expected of a command line beside what it prints. */
interface RowStep extends Given, Expected {
  /** The methods of its requests, in their order. */
  readonly methods?: readonly string[];
  /** The texts of rows afterwards. */
  readonly rows?: Readonly<Record<string, string>>;
}

/**
 * Rows behind real HTTP, with faults where a test wants them: an answer cut after the write took
 * effect, a row that somebody else changes. What the emulator can do is tested on the emulator.
 */
export async function rowService(contents: Record<string, string> = {}) {
  const rows: Rows = new Map();
  const faults: Fault[] = [];
  const reads = new EventEmitter();
  const service = await startService((request, response) => {
    response.on('finish', () => reads.emit('read'));
    const fault = faults[0];
    if (fault?.(request, response, rows)) return;
    answer(request, response, rows);
  });
  const launch = launchFor(service.origin);
  const targetOf = (row: string): string =>
    (launch.storage[row] as string).slice(service.origin.length);
  for (const [row, text] of Object.entries(contents)) rows.set(targetOf(row), text);
  const environment = { LECTERN_LAUNCH: claimsFile(launch) };
  const home = temporaryFolder();
  const at = stepsAt({ home, cwd: home, env: environment });
  return {
    home,
    launch,
    requests: service.requests,
    /** The methods of the requests so far, in their order. */
    methods: (): string[] => service.requests.map(({ method }) => method),
    text: (row: string): string => rows.get(targetOf(row)) ?? '{}',
    set: (row: string, text: string): void => void rows.set(targetOf(row), text),
    /** From now on requests go through this first. */
    fault: (fault: Fault): void => void faults.splice(0, 1, fault),
    /** Resolves when the next request has been answered. */
    read: () => once(reads, 'read'),
    environment,
    /** Runs a command line in the home, with the launch in use, and checks what comes of it. */
    step: async (
      line: string,
      { methods, rows: texts = {}, ...more }: RowStep = {},
    ): Promise<RunResult> => {
      const from = service.requests.length;
      const ran = await at.step(line, more);
      const sent = service.requests.slice(from).map(({ method }) => method);
      if (methods) expect(sent, line).toEqual(methods);
      for (const [row, text] of Object.entries(texts)) {
        expect(rows.get(targetOf(row)) ?? '{}', line).toBe(text);
      }
      return ran;
    },
    atTerminal: at.atTerminal,
    /** Starts it at a terminal. */
    screen: (line: string, { env, ...more }: Partial<Size> & HereOptions = {}): Terminal =>
      terminal(line.split(' '), { home, env: { ...environment, ...env }, ...more }),
    /** The environment with an editor that does to the text what the source of a function says. */
    editor: (source: string): Record<string, string> => {
      const path = join(home, 'editor.mjs');
      writeFileSync(
        path,
        `import fs from 'node:fs';
        const [, , path] = process.argv;
        const text = fs.readFileSync(path, 'utf8');
        fs.writeFileSync(path, await (${source})(text));`,
      );
      return { ...environment, VISUAL: `"${process.execPath}" "${path}"` };
    },
    /** The texts that were kept since they could not be sent. */
    drafts: (): string[] => {
      const folder = join(home, 'drafts');
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names.map((name) => readFileSync(join(folder, name), 'utf8'));
    },
    file: at.file,
  };
}

function answer({ method, target, body }: SeenRequest, response: ServerResponse, rows: Rows): void {
  if (method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(rows.get(target) ?? '{}');
    return;
  }
  write(method, target, body, rows);
  response.writeHead(204).end();
}

/** Carries a write out. */
export function write(method: string, target: string, body: Buffer, rows: Rows): void {
  const text = decodeUtf8(body);
  if (method === 'PUT') {
    rows.set(target, text);
    return;
  }
  const row = parseJson(rows.get(target) ?? '{}').value as JsonObject;
  const outcome = applyPatch(row, checkPatchBody(parseJson(text).value).operations);
  if ('row' in outcome) rows.set(target, compactJson(outcome.row));
}

/** A fault: the write takes effect, and the connection is cut before the answer. */
export const cutAfterWrite: Fault = ({ method, target, body }, response, rows) => {
  if (method === 'GET') return false;
  write(method, target, body, rows);
  response.destroy();
  return true;
};

/** A fault: the connection is cut, and nothing took effect. */
export const cutBeforeWrite: Fault = ({ method }, response) => {
  if (method === 'GET') return false;
  response.destroy();
  return true;
};

/** A fault: writes are answered with this status, and nothing more. */
export const answerWrites =
  (status: number, body = ''): Fault =>
  ({ method }, response) => {
    if (method === 'GET') return false;
    response.writeHead(status, { location: '/elsewhere' }).end(body);
    return true;
  };
