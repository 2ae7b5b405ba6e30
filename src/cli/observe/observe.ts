import { text } from 'node:stream/consumers';
import { untilAborted } from '../../clock.ts';
import { addressesOf, type Launch, readLaunch } from '../../contract/index.ts';
import { type Answers, isToolAddress, type Seed } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Observer } from '../../observe/observer.ts';
import { CONTROL_PREFIX } from '../../control-request.ts';
import { ExitError } from '../errors.ts';
import { refuseTaken } from '../arguments/names.ts';
import { formatOf } from '../arguments/formats.ts';
import { harLog, noteHar } from '../emulator/har.ts';
import { givenToken } from '../emulator/find.ts';
import { linesOf } from '../emulator/control.ts';
import { publishRecord, writeLaunchFile } from '../emulator/record.ts';
import { failOn, giveReport } from '../emulator/report.ts';
import { withToken } from '../launch/input.ts';
import { seedOf } from '../launch/seed-of.ts';
import { saveLaunch } from '../launch/save.ts';
import type { Called, Context } from '../runtime.ts';
import { tokenFor } from '../session/credential.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { resolveCall } from '../session/resolve-call.ts';
import { outputPlace, writeOutput } from '../shared/write-output.ts';
import { note } from '../output/notes.ts';
import type { OBSERVE_FLAGS } from './flags.ts';

export async function runObserve(
  context: Called<typeof OBSERVE_FLAGS>,
  command: readonly string[],
): Promise<void> {
  await checkOptions(context);
  const { save, force, har, report: file } = context.options;
  const launch = await launchOf(context);
  const stop = new AbortController();
  const observer = await start(context, launch, () => stop.abort());
  let withdraw = async (): Promise<void> => {};
  try {
    withdraw = await publishRecord(context, (await context.home()).data, observer);
    if (save !== undefined && observer.claims !== undefined) {
      const { notes } = await saveLaunch(context, { name: save, claims: observer.claims }, force);
      for (const each of notes) await note(context, each);
    }
    await describe(context, observer);
    const exit = await until(context, observer, command, stop.signal);
    if (har !== undefined) await writeTraffic(context, observer, har);
    const answer = JSON.parse(await text(await control(observer, 'report')));
    const report = await giveReport(context, answer as Answers['GET report'], file);
    if (exit !== 0) throw new ExitError(exit, 'observe.command');
    failOn(context, report, file);
  } finally {
    await observer.close().finally(withdraw);
  }
}

async function checkOptions(context: Called<typeof OBSERVE_FLAGS>): Promise<void> {
  const { options } = context;
  formatOf(options);
  const { save, force, report, har, tool } = options;
  if (tool !== undefined && (!isToolAddress(tool) || !tool.startsWith('http:'))) {
    throw new UsageError(
      '--tool takes the URL of a tool on loopback',
      'such as http://127.0.0.1:3000',
    );
  }
  if (save !== undefined) await refuseTaken(await context.launches(), 'launch', save, force);
  for (const file of [report, har]) if (file !== undefined) await outputPlace(context, file);
}

/** The launch to lead through; with a tool it may come later, in a callback. */
async function launchOf(context: Called<typeof OBSERVE_FLAGS>): Promise<Launch | undefined> {
  const { tool, launch: named, save } = context.options;
  const isLater = tool !== undefined && named === undefined && save === undefined;
  if (isLater && !context.onlyEmulator) return undefined;
  const used = requireLaunch(await findLaunch(context));
  const { launch } = used;
  const url = addressesOf(launch)[0]?.url ?? launch.iss;
  if (url === undefined) {
    throw new InvalidError(`launch ${used.name} has no URL`, {
      code: 'launch.claim_missing',
      hint: 'lectern launch decode shows what is missing',
    });
  }
  // The policy may allow emulators only.
  if (context.onlyEmulator) await resolveCall(context, { used, claim: () => url });
  return readLaunch(withToken(launch.claims, tokenFor(context, used, url).secret));
}

async function start(
  context: Called<typeof OBSERVE_FLAGS>,
  launch: Launch | undefined,
  onStop: () => void,
): Promise<Observer> {
  const { port, tool } = context.options;
  const { LECTERN_API_KEY: apiKey } = context.env;
  const { observe } = await import('../../observe/observer.ts');
  try {
    return await observe({
      launch,
      port,
      tool,
      apiKey,
      seedOf: worldOf,
      controlToken: givenToken(context) ?? crypto.randomUUID(),
      now: context.now,
      onStop,
    });
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen') throw error;
    const why = code === 'EADDRINUSE' ? 'is in use' : `is not available: ${code}`;
    throw new UsageError(`port ${port} ${why}`, 'omit --port to use a free port');
  }
}

/** The course, placement and member of a launch, by their own IDs. */
export function worldOf(launch: Launch): Seed {
  const captured = { launch, rows: [], leftOut: [] };
  return seedOf(captured, { file: '', withContent: true, salt: undefined });
}

async function describe(context: Context, { url, callbackUrl, claims }: Observer): Promise<void> {
  if (claims !== undefined) await note(context, `requests to ${url} are forwarded to the service`);
  else await note(context, `set the origin of the service in your tool to ${url}`);
  if (callbackUrl !== undefined)
    await note(context, `send the callback of the tool to ${callbackUrl}`);
  await note(context, 'watch it with: lectern emulator open; Ctrl-C ends with the report');
}

/** Runs the command, or waits for an interrupt or `emulator stop`; returns the exit code. */
async function until(
  context: Context,
  { url, claims }: Observer,
  [program, ...args]: readonly string[],
  stopped: AbortSignal,
): Promise<number> {
  if (program === undefined) {
    await untilAborted(AbortSignal.any([context.interrupt, stopped]));
    return 0;
  }
  const launched = { url, role: 'observed' };
  const file = claims && (await writeLaunchFile(context, launched, claims));
  const launch = file !== undefined && { LECTERN_LAUNCH: file };
  const { LECTERN_TOKEN: _, ...inherited } = context.env;
  const env = { ...inherited, LECTERN_EMULATOR: url, ...launch } as Record<string, string>;
  return (await context.processes()).attach([program, ...args], env);
}

async function writeTraffic(
  context: Called<typeof OBSERVE_FLAGS>,
  observer: Observer,
  file: string,
): Promise<void> {
  const { url, blobUrl } = observer;
  const lines = linesOf(await control(observer, 'requests/captured'));
  const log = harLog(lines, { base_url: url, blob_url: blobUrl });
  await writeOutput(context, file, log.text);
  await noteHar(context, file, log.counts);
}

/** Calls the control side without a connection: an interrupt does not end it. */
async function control(
  { emulator, controlToken }: Observer,
  path: string,
): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await emulator.handle({
    method: 'GET',
    target: CONTROL_PREFIX + path,
    headers: { authorization: `Bearer ${controlToken}` },
    body: new Uint8Array(),
    origin: 'api',
  });
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : (body ?? []);
  return toBytes(chunks);
}

async function* toBytes(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk as string);
}
