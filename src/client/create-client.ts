import { isGradeAttempt } from '../contract/index.ts';
import { systemClock } from '../clock.ts';
import type { CallSettings } from './call.ts';
import type { Client, ClientOptions } from './client.ts';
import { type Credential, checkedCredential } from './credential.ts';
import { fileCalls } from './file-calls.ts';
import { redactor } from '../redaction.ts';
import { isEmulator } from './policy.ts';
import { createService, rowCalls } from './service.ts';
import { signedCalls } from './signed-calls.ts';
import {
  type OwnedTransport,
  TransportError,
  type TransportOptions,
  type WireExchange,
  type WireRequest,
} from './transport.ts';

/** Default of `timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Creates a client that calls the URLs of a launch with one credential.
 *
 * @throws {CredentialMisuse} the credential is not valid in a header, or its origin is not a URL
 * @example
 * const launch = readLaunch(claims);
 * const client = createClient(credentialOf(claims));
 * const { text } = await client.readRow(launch.storage.member ?? '');
 */
export function createClient(given: Credential, options: ClientOptions = {}): Client {
  const credential = checkedCredential(given);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
  const { policy, signal, observe } = options;
  let writable: Promise<boolean> | undefined;
  const own = createTransport();
  const calls: CallSettings['calls'] = new Set();
  const abort = (): void => calls.forEach((cancel) => cancel());
  signal?.addEventListener('abort', abort);
  const redact = redactor([credential.secret]);
  const settings: CallSettings = {
    transport: options.transport ?? own.transport,
    now: clock.now,
    monotonic: clock.monotonic,
    setTimer: clock.setTimer,
    timeoutMs,
    redact,
    caller: { kind: credential.kind, origin: credential.origin, name: credential.name },
    calls,
    ...(signal ? { signal } : {}),
    ...(observe ? { observe } : {}),
    ...(policy === 'read' && { mayWrite: () => (writable ??= isEmulator(settings)) }),
  };
  const service = createService(credential, settings);

  return {
    ...rowCalls(service, redact),
    ...fileCalls(service),
    ...signedCalls(credential, settings),

    async submitGrade(url, body) {
      const answer = await service.sendJson('grade', 'POST', url, body);
      const request = { method: 'POST' } as const;
      // The record is stored and shown as it was received, and must not carry the credential there.
      const { text, value } = service.readRedacted(request, answer);
      if (isGradeAttempt(value)) return { attempt: value, text, status: answer.status };
      throw service.unusable(request, answer, 'its body is not a grade attempt');
    },

    async finishProvision(url) {
      // The contract does not show its response: any 2xx is success.
      await service.send({ area: 'provision', method: 'PUT', url });
    },

    mayWrite: async () => (await settings.mayWrite?.()) ?? true,
    close() {
      signal?.removeEventListener('abort', abort);
      return own.close();
    },
  };
}

/**
 * The default transport of a client: HTTP by undici, which is loaded at the first call. It respects
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; loopback never uses a proxy.
 *
 * @example
 * const { transport, close } = createTransport({ connections: 8 });
 * const client = createClient(credential, { transport });
 */
export function createTransport(options: TransportOptions = {}): OwnedTransport {
  let made: Promise<OwnedTransport> | undefined;
  const load = (): Promise<OwnedTransport> =>
    (made ??= import('./undici/transport.ts').then((undici) =>
      undici.createUndiciTransport(options),
    ));
  return {
    transport: (request) => exchangeOnceLoaded(load(), request),
    close: async () => (await made)?.close(),
  };
}

function exchangeOnceLoaded(loading: Promise<OwnedTransport>, request: WireRequest): WireExchange {
  let exchange: WireExchange | undefined;
  let isCancelled = false;
  const response = loading.then(({ transport }) => {
    if (isCancelled) throw new TransportError('cancelled before connecting', false);
    exchange = transport(request);
    return exchange.response;
  });
  return {
    response,
    cancel: () => {
      isCancelled = true;
      exchange?.cancel();
    },
  };
}
