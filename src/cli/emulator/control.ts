import { buffer } from 'node:stream/consumers';
import {
  Deadline,
  type StreamedBody,
  TransportError,
  type WireResponse,
  answerText,
} from '../../client/index.ts';
import { controlRequest, type RawBody } from '../../control-request.ts';
import { EXIT } from '../exit-codes.ts';
import type { Answers, StreamedName, Taken } from '../../emulator/index.ts';
import { CredentialError, ExitError } from '../errors.ts';
import {
  InterruptedError,
  InvalidError,
  NotFoundError,
  StateError,
  UsageError,
} from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { type KnownEmulator, findEmulators, notAnEmulator, otherEmulator } from './find.ts';
import { isRefused, isServing } from './readiness.ts';
import { removeRecord } from './record.ts';
import { TOKEN_VARIABLE } from './flags.ts';
import { note } from '../output/notes.ts';

type Operation = keyof Answers | StreamedName;

/** Bytes or a stream besides the parameters. */
type Raw = RawBody<Uint8Array | StreamedBody>;

interface Call {
  readonly operation: Operation;
  readonly taken?: object | undefined;
  readonly raw?: Raw | undefined;
  /** Whether there may be no data for any length of time. */
  readonly isEndless?: boolean;
}

/**
 * Calls the control API of a running emulator. Throws a usage error with the emulator's message if
 * it refuses, exit 6 for an unknown ID, exit 8 if nothing responds.
 */
export async function control<Asked extends keyof Answers>(
  context: Context,
  operation: Asked,
  ...sent: Sent<Asked>
): Promise<Answers[Asked]> {
  const [taken, raw] = sent;
  const { emulator, answer } = await reach(context, { operation, taken, raw });
  const bytes = await buffer(bytesOf(context, emulator, answer));
  try {
    return JSON.parse(bytes.toString()) as Answers[Asked];
  } catch {
    throw notAnEmulator(emulator.url);
  }
}

/** The arguments of a call; operations without parameters need none. */
type Sent<Asked extends Operation> =
  Partial<Taken[Asked]> extends Taken[Asked]
    ? [taken?: Taken[Asked], raw?: Raw]
    : [taken: Taken[Asked], raw?: Raw];

/** The bytes of an answer as they come; throws as `control` does, and if the answer is incomplete. */
export async function* controlBytes<Asked extends Operation>(
  context: Context,
  operation: Asked,
  ...[taken, raw]: Sent<Asked>
): AsyncGenerator<Uint8Array> {
  const { emulator, answer } = await reach(context, { operation, taken, raw });
  yield* bytesOf(context, emulator, answer);
}

async function* bytesOf(
  context: Context,
  emulator: KnownEmulator,
  answer: WireResponse,
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.body;
  } catch (error) {
    throw error instanceof TransportError ? failed(context, emulator, error) : error;
  }
}

/** The lines of an endless answer, until the emulator stops or the user interrupts. */
export async function* controlLines<Asked extends StreamedName>(
  context: Context,
  operation: Asked,
  ...[taken]: Sent<Asked>
): AsyncGenerator<string> {
  const { answer } = await reach(context, { operation, taken, isEndless: true });
  try {
    yield* linesOf(answer.body);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
  }
}

/** Splits bytes into lines; text after the last line break is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = lines.pop() as string;
    yield* lines;
  }
}

/** Asks the selected emulator to stop, and returns it; it may end in the middle of its answer. */
export async function askToStop(context: Context): Promise<KnownEmulator> {
  const { emulator, answer } = await reach(context, { operation: 'POST stop' });
  await buffer(answer.body).catch(() => {});
  return emulator;
}

/** The error of a refusal, by its status; a refused file or row is invalid input. */
function refused({ url }: KnownEmulator, status: number, bytes: Uint8Array): Error {
  const message = answerText(bytes);
  const code = codeOf(bytes);
  // Each refusal of an emulator has a code.
  if (code === '') return notAnEmulator(url);
  if (status === 401) {
    return new CredentialError(
      'other_origin',
      `the emulator at ${url} was started with another token`,
      `set ${TOKEN_VARIABLE} to its token`,
    );
  }
  if (code === 'foreign_host') {
    const way = `start it with --public-url ${url}`;
    return new ExitError(EXIT.forbidden, code, `the emulator at ${url} has another name: ${way}`);
  }
  if (/^(?:import|hosted_tool|locations|row|body)\./.test(code))
    return new InvalidError(message, { code });
  if (status === 404) {
    const [, list = 'state'] = LISTS.find(([what]) => message.startsWith(`no ${what} `)) ?? [];
    return new NotFoundError(`the emulator has ${message}`, `lectern emulator ${list} lists all`);
  }
  if (status === 422 || status === 413)
    return new UsageError(`the emulator rejected the request: ${message}`);
  return new StateError(`the emulator responded with ${status}: ${message}`);
}

function codeOf(bytes: Uint8Array): string {
  try {
    const answer = JSON.parse(Buffer.from(bytes).toString()) as { error?: { code?: string } };
    return answer.error?.code ?? '';
  } catch {
    return '';
  }
}

/** The commands that list what `emulator state` does not. */
const LISTS: readonly (readonly [what: string, list: string])[] = [
  ['launch', 'show tokens'],
  ['request', 'requests'],
  ['pending fault', 'fault list'],
  ['row', 'show rows'],
  ['version', 'state --json'],
];

/**
 * Calls the selected emulator. If it no longer runs, its record is removed. Of the next one only a
 * question is asked: the user may not know that it runs.
 */
async function reach(
  context: Context,
  call: Call,
): Promise<{ emulator: KnownEmulator; answer: WireResponse }> {
  const isQuestion = call.operation.startsWith('GET ');
  let failure: Error | undefined;
  for (const emulator of await findEmulators(context)) {
    const { url } = emulator;
    if (failure !== undefined && !isQuestion && (await isServing(context, url))) {
      const hint = `repeat the command for the emulator at ${url}`;
      throw new ExitError(EXIT.unreachable, 'emulator.unreachable', failure.message, { hint });
    }
    try {
      const answer = await send(context, emulator, call);
      if (failure !== undefined)
        await note(context, `this is the emulator at ${url}: the last one started has ended`);
      if (answer.status < 300) return { emulator, answer };
      throw refused(emulator, answer.status, await buffer(answer.body));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      failure ??= failed(context, emulator, error);
      if (!isRefused(error)) break;
      if (emulator.record !== undefined) await removeRecord(context, emulator.record);
    }
  }
  throw failure ?? new UsageError('no emulator is running');
}

function failed(context: Context, { url }: KnownEmulator, cause: TransportError): Error {
  if (context.interrupt.aborted) return new InterruptedError('interrupted');
  const message = `the emulator at ${url} does not respond: ${cause.message}; start one with: lectern emulator start${otherEmulator(context)}`;
  return new ExitError(EXIT.unreachable, 'emulator.unreachable', message, { cause });
}

const DEFAULT_TIMEOUT_SECONDS = 60;

/** Ends when the user interrupts, and by the rule of every call of lectern: see `Deadline`. */
async function send(
  context: Context,
  { url, token }: KnownEmulator,
  { operation, taken, raw, isEndless = false }: Call,
): Promise<WireResponse> {
  const { interrupt, monotonic, setTimer } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = context.options;
  const transport = await context.transport();
  const limits = { timeoutMs: timeout * 1000, signal: interrupt, calls: new Set<() => void>() };
  const deadline = new Deadline({ monotonic, setTimer, ...limits });
  const { method, target, headers, body } = controlRequest(operation, taken, raw);
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  const watched = ({ length, chunks }: StreamedBody): StreamedBody => {
    return { length, chunks: () => moving(deadline, chunks()) };
  };
  const { response, cancel } = transport({
    method,
    url: url + target,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(sent !== undefined && { body: sent instanceof Uint8Array ? sent : watched(sent) }),
  });
  deadline.watch(cancel);
  interrupt.addEventListener('abort', cancel);
  const end = (): void => {
    deadline.clear();
    interrupt.removeEventListener('abort', cancel);
  };
  const failure = (cause: unknown): unknown => {
    end();
    if (!deadline.hasPassed) return cause;
    return new TransportError(`no answer within ${timeout} s`, true, { cause });
  };
  async function* received(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* moving(deadline, chunks);
    } catch (error) {
      throw failure(error);
    } finally {
      end();
    }
  }
  try {
    const answer = await deadline.limit(response);
    if (!isEndless) return { ...answer, body: received(answer.body) };
    deadline.clear();
    return answer;
  } catch (error) {
    throw failure(error);
  }
}

/** Bytes on their way, in either direction. */
async function* moving(
  deadline: Deadline,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    deadline.moved(chunk.length);
  }
}
