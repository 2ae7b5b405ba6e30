import { type Caller, NoAnswer, Refusal } from '../../client/index.ts';
import { type Code, isLoopback, type Launch, readLaunch } from '../../contract/index.ts';
import { isName } from '../arguments/names.ts';
import { ExitError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/**
 * The command line that helps if a launch token has ended, or if the emulator of a launch cannot be
 * reached; undefined for any other error.
 */
export async function relaunchHint(runtime: Runtime, error: unknown): Promise<string | undefined> {
  const failed = error instanceof ExitError ? error.cause : error;
  if (failed instanceof Refusal && failed.status === 401) {
    const isEnded = failed.code === undefined || ENDED.has(failed.code);
    const command = isEnded ? await relaunchCommand(runtime, failed.caller) : undefined;
    return command && `get a token from a new launch: ${command}`;
  }
  if (!(failed instanceof NoAnswer) || failed.unreached === undefined) return undefined;
  if (!isLoopback(failed.unreached)) return undefined;
  const command = await relaunchCommand(runtime, failed.caller);
  const { port } = new URL(failed.unreached);
  return (
    command &&
    `is it an emulator? start it: lectern emulator start --port ${port}; then launch again: ${command}`
  );
}

const ENDED: ReadonlySet<Code> = new Set(['auth.ended', 'auth.unknown', 'auth.missing']);

/** Saves a launch again under its name: from its emulator, else from a file. */
async function relaunchCommand(
  runtime: Runtime,
  caller: Caller | undefined,
): Promise<string | undefined> {
  const { kind, name, origin } = caller ?? {};
  if (kind !== 'launch_token' || name === undefined || !isName(name)) return undefined;
  const saved = await (await runtime.launches()).find(name);
  if (saved === undefined || origin === undefined) return undefined;
  if (!isLoopback(origin)) return `lectern launch save ${name} FILE --force`;
  const flags = emulatorFlags(readLaunch(saved.claims));
  return `lectern emulator launch ${flags}--save ${name} --force`;
}

/** The flags for the same member in the same place, if a shell needs no quotes for them. */
function emulatorFlags({ member, location }: Launch): string {
  const flags = Object.entries({ member, location });
  const plain = flags.filter(([, id]) => id !== undefined && /^[\w.:-]+$/.test(id));
  return plain.map(([flag, id]) => `--${flag} ${id} `).join('');
}
