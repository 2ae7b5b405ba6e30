import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import symbols from 'undici/lib/core/symbols.js';
import { TransportError } from '../transport.ts';

/** What is touched of undici's parser of HTTP/1. */
interface Parser {
  /** The length that the header gives; empty where there is none. */
  contentLength: string;
  /** Reading has been held back, and what was read since is not parsed yet. */
  paused: boolean;
  readonly ptr: number;
  readonly socket: Socket;
  readonly llhttp: { llhttp_resume: (ptr: number) => void };
  execute: (bytes: Uint8Array) => void;
  /** Called when the other side has closed: an error, unless the answer ended with that. */
  finish: () => Error | null;
  onHeadersComplete: (status: number, upgrade: boolean, keepAlive: boolean) => number;
}

const fixed = new WeakSet<Parser>();

/**
 * Lets undici take what HTTP allows a server to send, and refuse the rest as what it is; see
 * docs/decisions/0003-undici-parser.md.
 */
export function fixParsers(): void {
  if (!isSubscribed) subscribe('undici:client:connected', onConnected);
  isSubscribed = true;
}

let isSubscribed = false;

/** undici tells of each connection before it reads from it. So does the copy that is in Node. */
function onConnected(message: unknown): void {
  const { socket } = message as { socket: { [symbols.kParser]?: Parser } };
  const parser = socket[symbols.kParser];
  if (parser === undefined) return;
  const prototype = Object.getPrototypeOf(parser) as Parser;
  if (fixed.has(prototype)) return;
  fixed.add(prototype);
  fix(prototype);
}

function fix(prototype: Parser): void {
  const { finish, onHeadersComplete } = prototype;
  prototype.onHeadersComplete = function onStatus(this: Parser, status, upgrade, keepAlive) {
    refuseStatus(status);
    const isBare = status === 204 || status === 304;
    const isLong = isBare && this.contentLength !== '';
    // There is no body to wait for. Should one come all the same, it must be no other call's answer.
    if (isLong) this.contentLength = '';
    // 100 is passed over like any other answer that only says that one will come.
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

/** Throws for what is no status of an answer. */
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
 * Parses what has come and was held back for a slow reader: of a connection that is closed no more can
 * be asked for. undici 8 does the same.
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
  // A body that only the end of the connection ends is held back again.
  if (parser.paused) resume();
}

const NOTHING = Buffer.alloc(0);
