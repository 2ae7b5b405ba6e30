import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { splitUrl } from '../contract/index.ts';
import { bearerOf, type PlainRequest } from '../emulator/http/messages.ts';
import type { Target } from '../emulator/service/addresses.ts';
import { PassedBody } from './body.ts';
import { forward } from './forward.ts';
import type { Launches } from './launches.ts';
import type { ForwardedRequest, Recorder } from './recorder.ts';
import { failAnswer, REFUSED, refuseTarget } from './replies.ts';
import { SignedAddresses, signedUrlIn, withString } from './signed.ts';

interface PassingOptions {
  readonly agent: Dispatcher;
  readonly launches: Launches;
  readonly recorder: Recorder;
  /** The origin of the signed addresses here. */
  readonly blobUrl: string;
}

interface ForwardedCall extends ForwardedRequest {
  readonly origin: string;
  readonly rewrite?: (body: Buffer) => Buffer;
}

/** Errors of a connection that was never made. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** Forwards requests of a tool to the service and its object store, and records them. */
export class Passing {
  readonly #options: PassingOptions;
  readonly #signed = new SignedAddresses();

  constructor(options: PassingOptions) {
    this.#options = options;
  }

  /** Forwards a request to the origin of a launch. */
  async pass(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
    const path = request.url ?? '';
    const target = this.#options.launches.find(origin, path);
    const mayBeSigned = request.method === 'PUT' || request.method === 'GET';
    await this.#forward(request, response, {
      origin,
      path,
      target,
      place: 'api',
      ...(target?.kind === 'file' &&
        mayBeSigned && { rewrite: (body) => this.#withOwnAddress(target, body) }),
    });
  }

  /** An answer with a signed address of the proxy. */
  #withOwnAddress(target: Extract<Target, { kind: 'file' }>, body: Buffer): Buffer {
    const signed = signedUrlIn(body);
    if (signed === undefined) return body;
    const split = splitUrl(signed);
    if ('fault' in split) return body;
    const { origin, path, query } = split;
    const local = this.#signed.add({
      origin,
      target: `${path || '/'}${query}`,
      row: this.#options.recorder.rowOf(target),
      key: target.key,
    });
    return Buffer.from(withString(body.toString(), signed, this.#options.blobUrl + local));
  }

  /** Forwards a request to a signed address that was handed out. */
  async passSigned(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = this.#signed.find(request.url ?? '');
    if (address === undefined)
      return refuseTarget(response, 'no such signed address was handed out here');
    const { origin, target: path, row, key, number } = address;
    await this.#forward(request, response, {
      origin,
      path,
      target: undefined,
      place: 'blobs',
      facts: (status, body) => {
        // An object store may redirect after an upload.
        if (status < 400 && request.method === 'POST') return { uploaded: { row, key } };
        const isOver = status === 403 && /expired/i.test(body?.toString() ?? '');
        return isOver ? { expired: String(number) } : {};
      },
    });
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    way: ForwardedCall,
  ): Promise<void> {
    const begun = performance.now();
    const { origin, path, place, rewrite } = way;
    const bearer = bearerOf(request as { headers: PlainRequest['headers'] });
    const own = bearer === undefined ? undefined : this.#options.launches.originOfToken(bearer);
    if (own !== undefined && (place === 'blobs' || own !== origin)) {
      this.#options.recorder.add(request, response, way, { status: REFUSED, begun });
      return refuseTarget(
        response,
        'the token of a launch goes to the origin of its service alone',
      );
    }
    const sent = new PassedBody(place === 'api');
    let isPassed = false;
    try {
      await forward(request, response, {
        agent: this.#options.agent,
        origin,
        target: path,
        sent,
        isKept: place === 'api',
        rewrite,
        passed: (passed) => {
          isPassed = true;
          this.#options.recorder.add(request, response, way, { ...passed, sent, begun });
        },
      });
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      // Then nothing can have taken effect.
      const attempted = NOT_SENT.includes(code) ? { ...way, facts: () => ({}) } : way;
      if (!isPassed)
        this.#options.recorder.add(request, response, attempted, { status: 0, sent, begun });
      failAnswer(response, error);
    }
  }
}
