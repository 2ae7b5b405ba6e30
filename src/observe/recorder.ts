import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Emulator } from '../emulator/emulator.ts';
import type { PlainRequest } from '../emulator/http/messages.ts';
import type { Findings } from '../emulator/review/findings.ts';
import type { Target } from '../emulator/service/addresses.ts';
import { callerOf, type Facts } from '../emulator/service/call.ts';
import { finishLevel } from '../emulator/state/rows.ts';
import { findDifferences } from './differences.ts';
import { decompressed, type PassedBody } from './body.ts';
import { FactFinder, isSuccess, type PassedAnswer } from './facts.ts';
import type { Passed } from './forward.ts';
import { recordedBody, withoutSignature } from './replies.ts';

/** A request as it is passed on to the service. */
export interface ForwardedRequest {
  /** Path and query, byte for byte. */
  readonly path: string;
  /** Undefined for a signed address, and for one of no launch. */
  readonly target: Target | undefined;
  readonly place: PlainRequest['origin'];
  /** The facts of an answer of the object store. */
  readonly facts?: (status: number, body: Buffer | undefined) => Facts;
}

/** What passed; without headers there was no answer of the service. */
interface PassedExchange extends Partial<Passed> {
  readonly status: number;
  readonly sent?: PassedBody;
  /** By the monotonic clock. */
  readonly begun: number;
}

const NO_BYTES = new Uint8Array();

/** Records exchanges in the emulator's traffic and report, and compares them with the contract. */
export class Recorder {
  readonly #emulator: Emulator;
  readonly #differences: Findings;
  readonly #facts: FactFinder;

  constructor(emulator: Emulator, differences: Findings) {
    this.#emulator = emulator;
    this.#differences = differences;
    const { world } = emulator.state;
    this.#facts = new FactFinder((row) => {
      const location = world.locations.get(row.location);
      const member = world.members.get(row.member);
      const course = row.course || location?.course || member?.course || '';
      return { ...row, tool: row.tool || location?.tool || '', course };
    });
  }

  add(
    request: IncomingMessage,
    response: ServerResponse,
    { path, target, place, facts }: ForwardedRequest,
    { status, headers, sent, answered, body, isWhole, begun }: PassedExchange,
  ): void {
    const plain: PlainRequest = {
      method: request.method ?? '',
      target: path,
      headers: request.headers,
      body: sent?.bytes ?? (sent?.size ? Readable.from([]) : NO_BYTES),
      origin: place,
      isGone: () => response.destroyed && !response.writableFinished,
    };
    const { method } = plain;
    const caller = callerOf(this.#emulator.state, plain);
    const isTyped = /json/i.test(request.headers['content-type'] ?? '');
    const bytes = decompressed(sent?.bytes, request.headers['content-encoding']);
    const answer = { method, target, status, sent: bytes, body, caller, isTyped };
    if (headers !== undefined) this.#finish(answer);
    const length = answered?.size ?? 0;
    const shown = target?.kind === 'file' ? body && withoutSignature(body) : body;
    const reply = {
      status,
      headers: { ...headers, 'content-length': String(length) },
      body: recordedBody(shown, length),
      ...(status === 0 && { cutAfterBytes: 0 }),
    };
    const found = facts?.(status, body) ?? this.#facts.find(answer);
    const answering = { reply, facts: found };
    const number = this.#emulator.observe({
      request: plain,
      target,
      begun,
      answered: answering,
    });
    if (place === 'blobs' || isWhole !== true) return;
    findDifferences(answer, (code, params) =>
      this.#differences.add(code, { subject: JSON.stringify(params), requests: [number], params }),
    );
  }

  /** The key of the row of a file. */
  rowOf(target: Target): string {
    const caller = { credential: null };
    const read = { method: 'GET', status: 200, sent: undefined, body: undefined, caller } as const;
    return this.#facts.find({ ...read, target }).row?.key ?? '';
  }

  /** The finish call of a level. */
  #finish(answer: PassedAnswer): void {
    const { target } = answer;
    if (target?.kind !== 'provision' || !isSuccess(answer)) return;
    const { state } = this.#emulator;
    const { tool, course, location } = target;
    const placed = state.world.locations.get(location);
    finishLevel(state, { tool: placed?.tool ?? tool, course: placed?.course ?? course, location });
  }
}
