import { answerText, TransportError, type WireResponse } from '../../client/index.ts';
import { EXIT } from '../../contract/index.ts';
import { NotFoundError, Outcome, StateError, UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { type EmulatorRecord, findEmulators, forget } from './record.ts';

type Operation = `${'GET' | 'POST'} ${string}`;

/**
 * Asks the control side of a running emulator. Throws a usage error with the emulator's own words
 * where it refuses, exit 6 for an ID that is not there, exit 8 where nothing answers.
 */
export async function control(
  runtime: Runtime,
  options: GlobalOptions,
  operation: Operation,
  body: object = {},
): Promise<Record<string, unknown>> {
  const answer = await reach(runtime, options, operation, JSON.stringify(body));
  return JSON.parse(new TextDecoder().decode(await bytesOf(answer))) as Record<string, unknown>;
}

/** The lines of an answer without an end, until the emulator stops or the user interrupts. */
export async function* controlLines(
  runtime: Runtime,
  options: GlobalOptions,
  operation: Operation,
): AsyncGenerator<string> {
  const { body } = await reach(runtime, options, operation, '');
  const decoder = new TextDecoder();
  let begun = '';
  try {
    for await (const chunk of body) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
      begun = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    // The end of the emulator, or of the user's patience, is the end of the lines.
    if (!(error instanceof TransportError)) throw error;
  }
}

function refused(status: number, words: string): Error {
  if (status === 404) return new NotFoundError(`the emulator has ${words}`, SEE_IDS);
  if (status === 422 || status === 413) return new UsageError(`the emulator refused: ${words}`);
  return new StateError(`the emulator answered ${status}: ${words}`);
}

const SEE_IDS = 'lectern emulator state lists what there is';

/** Asks the emulator that is meant. One that has gone without a word is forgotten, and the next asked. */
async function reach(
  runtime: Runtime,
  options: GlobalOptions,
  operation: Operation,
  body: string,
): Promise<WireResponse> {
  let failure: Outcome | undefined;
  for (const record of await findEmulators(runtime, options)) {
    try {
      const answer = await send(runtime, record, operation, body);
      if (answer.status < 300) return answer;
      throw refused(answer.status, answerText(await bytesOf(answer)));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      failure ??= unreachable(record, error);
      if (error.sent) break;
      await forget(runtime, record);
    }
  }
  throw failure ?? new UsageError('no emulator is known');
}

function unreachable({ url }: EmulatorRecord, { message }: TransportError): Outcome {
  const words = `the emulator at ${url} does not answer: ${message}; start one: lectern emulator start`;
  return new Outcome(EXIT.unreachable, 'emulator.unreachable', words);
}

async function send(
  runtime: Runtime,
  { url, control_token: token }: EmulatorRecord,
  operation: Operation,
  body: string,
): Promise<WireResponse> {
  const [method = '', path = ''] = operation.split(' ');
  const isRead = method === 'GET';
  const transport = await runtime.transport();
  const { response, cancel } = transport({
    method,
    url: `${url}/_emulator/${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isRead ? {} : { 'content-type': 'application/json' }),
    },
    ...(isRead ? {} : { body: new TextEncoder().encode(body) }),
  });
  runtime.interrupt.addEventListener('abort', cancel);
  return response;
}

async function bytesOf({ body }: WireResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
