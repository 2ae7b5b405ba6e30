import { buffer } from 'node:stream/consumers';
import {
  answerText,
  type StreamedBody,
  TransportError,
  type WireResponse,
} from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Answers, Streamed } from '../../emulator/index.ts';
import { ExitError } from '../errors.ts';
import { UsageError } from '../../errors.ts';
import { InterruptedError, InvalidError, NotFoundError, StateError } from '../../errors.ts';
import type { Runtime, Context } from '../runtime.ts';
import { IdleTimeout } from './idle-timeout.ts';
import { type EmulatorRecord, findEmulators, removeRecord } from './record.ts';

type Operation = keyof Answers | Streamed;

/** What is sent: an object as JSON; bytes, or what streams, as they are. */
type Body = object | Uint8Array | StreamedBody;

/**
 * Asks the control side of a running emulator; the body is sent as JSON, or as it comes. Throws a
 * usage error with the emulator's own words where it refuses, exit 6 for an ID that is not there,
 * exit 8 where nothing answers.
 */
export async function control<Asked extends keyof Answers>(
  context: Context,
  operation: Asked,
  body: Body = {},
  query?: URLSearchParams,
): Promise<Answers[Asked]> {
  const bytes = await buffer(controlBytes(context, operation, body, query));
  return JSON.parse(bytes.toString()) as Answers[Asked];
}

/** The bytes of an answer as they come; throws as `control` does, and where the answer breaks off. */
export async function* controlBytes(
  context: Context,
  operation: Operation,
  body: Body = {},
  query?: URLSearchParams,
): AsyncGenerator<Uint8Array> {
  const { record, answer } = await reach(context, operation, body, query);
  try {
    yield* answer.body;
  } catch (error) {
    throw error instanceof TransportError ? failed(context, record, error) : error;
  }
}

/** The lines of an answer without an end, until the emulator stops or the user interrupts. */
export async function* controlLines(
  context: Context,
  operation: Operation,
  query?: URLSearchParams,
): AsyncGenerator<string> {
  const { answer } = await reach(context, operation, {}, query);
  const decoder = new TextDecoder();
  let begun = '';
  try {
    for await (const chunk of answer.body) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
      begun = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
  }
}

/** The error of a refusal, by its status; a file or row that the emulator refuses whole is invalid. */
function refused(status: number, bytes: Uint8Array): Error {
  const words = answerText(bytes);
  const code = codeOf(bytes);
  if (/^(?:import|hosted_tool|locations|row|body)\./.test(code))
    return new InvalidError(words, { code });
  if (status === 404) return new NotFoundError(`the emulator has ${words}`, SEE_IDS);
  if (status === 422 || status === 413)
    return new UsageError(`the emulator rejected the request: ${words}`);
  return new StateError(`the emulator responded with ${status}: ${words}`);
}

function codeOf(bytes: Uint8Array): string {
  try {
    const answer = JSON.parse(Buffer.from(bytes).toString()) as { error?: { code?: string } };
    return answer.error?.code ?? '';
  } catch {
    return '';
  }
}

const SEE_IDS = 'lectern emulator state lists all IDs';

/** Calls the selected emulator. The record of one that is no longer running is removed and the next is tried. */
async function reach(
  context: Context,
  operation: Operation,
  body: Body,
  query?: URLSearchParams,
): Promise<{ record: EmulatorRecord; answer: WireResponse }> {
  let failure: Error | undefined;
  for (const record of await findEmulators(context)) {
    try {
      const answer = await send(context, record, operation, body, query);
      if (answer.status < 300) return { record, answer };
      throw refused(answer.status, await buffer(answer.body));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      failure ??= failed(context, record, error);
      if (error.sent) break;
      await removeRecord(context, record);
    }
  }
  throw failure ?? new UsageError('no emulator is running');
}

function failed(runtime: Runtime, { url }: EmulatorRecord, { message }: TransportError): Error {
  if (runtime.interrupt.aborted) return new InterruptedError('interrupted');
  const words = `the emulator at ${url} does not respond: ${message}; start one with: lectern emulator start`;
  return new ExitError(EXIT.unreachable, 'emulator.unreachable', words);
}

const DEFAULT_TIMEOUT_SECONDS = 60;

async function send(
  context: Context,
  { url, control_token: token }: EmulatorRecord,
  operation: Operation,
  body: Body,
  query?: URLSearchParams,
): Promise<WireResponse> {
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = context.options;
  const [method = '', path = ''] = operation.split(' ');
  const transport = await context.transport();
  const request = {
    method,
    url: `${url}/_emulator/${path}${query === undefined ? '' : `?${query.toString()}`}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': operation === 'POST tool/upload' ? 'application/zip' : 'application/json',
    },
  };
  const idle = new IdleTimeout(context, timeout);
  const sent = bytesToSend(idle, body);
  const answer = await idle.head(
    transport(method === 'GET' ? request : { ...request, body: sent }),
  );
  // There may be no traffic for any length of time.
  if (operation === 'GET requests/follow' || operation === 'GET events') return answer;
  return { ...answer, body: idle.receiving(answer.body) };
}

function bytesToSend(idle: IdleTimeout, body: Body): Uint8Array | StreamedBody {
  if (body instanceof Uint8Array) return body;
  return 'chunks' in body ? idle.sending(body as StreamedBody) : Buffer.from(JSON.stringify(body));
}
