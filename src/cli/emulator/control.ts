import { answerText, TransportError } from '../../client/index.ts';
import { EXIT } from '../../contract/index.ts';
import { NotFoundError, Outcome, StateError, UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { type EmulatorRecord, findEmulators, forget } from './record.ts';

type Operation = `${'GET' | 'POST'} ${string}`;

/** An answer of the control side, before it is read. */
interface Exchanged {
  readonly status: number;
  readonly bytes: Uint8Array;
}

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
  const { status, bytes } = await reach(runtime, options, operation, JSON.stringify(body));
  if (status >= 200 && status < 300) {
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  }
  throw refused(status, answerText(bytes));
}

function refused(status: number, words: string): Error {
  if (status === 404) return new NotFoundError(`the emulator has ${words}`, SEE_IDS);
  if (status === 422 || status === 413) return new UsageError(`the emulator refused: ${words}`);
  const hint = status === 401 ? 'it may have been started anew elsewhere; start it again' : '';
  return new StateError(`the emulator answered ${status}: ${words}`, hint || undefined);
}

const SEE_IDS = 'lectern emulator state lists what there is';

/** Asks the emulator that is meant. One that has gone without a word is forgotten, and the next asked. */
async function reach(
  runtime: Runtime,
  options: GlobalOptions,
  operation: Operation,
  body: string,
): Promise<Exchanged> {
  let failure: Outcome | undefined;
  for (const record of await findEmulators(runtime, options)) {
    try {
      return await exchange(runtime, record, operation, body);
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

async function exchange(
  runtime: Runtime,
  { url, control_token: token }: EmulatorRecord,
  operation: Operation,
  body: string,
): Promise<Exchanged> {
  const [method = '', path = ''] = operation.split(' ');
  const transport = await runtime.transport();
  const answer = await transport({
    method,
    url: `${url}/_emulator/${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    ...(method === 'GET' ? {} : { body: new TextEncoder().encode(body) }),
    signal: runtime.interrupt,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { status: answer.status, bytes: Buffer.concat(chunks) };
}
