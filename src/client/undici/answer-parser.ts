import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import symbols from 'undici/lib/core/symbols.js';
import { TransportError } from '../transport.ts';

/** The parts of undici's HTTP/1 parser that are patched. */
interface Parser {
  /** The `Content-Length`; empty if there is none. */
  contentLength: string;
  /** Reading is paused, and what was read since is not parsed yet. */
  paused: boolean;
  readonly ptr: number;
  readonly socket: Socket;
  readonly llhttp: { llhttp_resume: (ptr: number) => void };
  execute: (bytes: Uint8Array) => void;
  /** Called when the server has closed the connection: an error, unless that ends the response. */
  finish: () => Error | null;
  onHeadersComplete: (status: number, upgrade: boolean, keepAlive: boolean) => number;
}

const patched = new WeakSet<Parser>();

/**
 * Makes undici accept what HTTP allows a server to send, and report the rest as invalid; see
 * docs/decisions/0003-undici-parser.md.
 */
export function patchParsers(): void {
  if (!isSubscribed) subscribe('undici:client:connected', onConnected);
  isSubscribed = true;
}

let isSubscribed = false;

/** undici publishes each connection before it reads from it. So does the copy in Node. */
function onConnected(message: unknown): void {
  const { socket } = message as { socket: { [symbols.kParser]?: Parser } };
  const parser = socket[symbols.kParser];
  if (parser === undefined) return;
  const prototype = Object.getPrototypeOf(parser) as Parser;
  if (patched.has(prototype)) return;
  patched.add(prototype);
  patch(prototype);
}

function patch(prototype: Parser): void {
  const { finish, onHeadersComplete } = prototype;
  prototype.onHeadersComplete = function onStatus(this: Parser, status, upgrade, keepAlive) {
    refuseStatus(status);
    const isBare = status === 204 || status === 304;
    const isLong = isBare && this.contentLength !== '';
    // There is no body to wait for. If one arrives, it must not be taken for another call's answer.
    if (isLong) this.contentLength = '';
    // 100 is skipped like any other interim response.
    return onHeadersComplete.call(
      this,
      status === 100 ? 102 : status,
      upgrade,
      keepAlive && !isLong,
    );
  };
  prototype.finish = function finishWhole(this: Parser) {
    if (this.paused) parseRest(this);
    return finish.call(this);
  };
}

/** Throws for an invalid status. */
function refuseStatus(status: number): void {
  const why =
    status < 100
      ? `${String(status).padStart(3, '0')} is not a valid HTTP status`
      : status === 101
        ? 'the server switched protocols (101) without being asked'
        : undefined;
  if (why === undefined) return;
  throw new TransportError(`unusable response: ${why}`, true, { isUnusable: true });
}

/**
 * Parses what was received while reading was paused: a closed connection cannot be read later. undici 8
 * does the same.
 */
function parseRest(parser: Parser): void {
  const resume = (): void => {
    parser.llhttp.llhttp_resume(parser.ptr);
    parser.paused = false;
  };
  for (let rest: Uint8Array | null = NOTHING; parser.paused && rest !== null;) {
    resume();
    rest = parser.socket.read() as Uint8Array | null;
    parser.execute(rest ?? NOTHING);
  }
  // A body that ends with the connection is paused again.
  if (parser.paused) resume();
}

const NOTHING = Buffer.alloc(0);
