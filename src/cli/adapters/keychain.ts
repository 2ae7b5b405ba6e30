import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { quoted } from '../../contract/words.ts';
import { InterruptedError, messageOf, UsageError } from '../../errors.ts';
import { type Host, KEYCHAIN_COMMAND } from './host.ts';

export interface KeychainRequest {
  readonly action: 'get' | 'set' | 'remove';
  readonly account: string;
  readonly secret?: string;
}

export type KeychainAnswer =
  | { readonly ok: true; readonly secret: string | null }
  | { readonly ok: false; readonly why: string };

export type Keychain = ReturnType<typeof createKeychain>;

const LIMIT_MS = 3_000;
/** For a person at the terminal: the system may ask for a password or a fingerprint. */
const ASKING_LIMIT_MS = 30_000;

/** The system keychain; `note` reports that a call waits for it. */
export function createKeychain(host: Host, note: (text: string) => Promise<void>) {
  const { env, stderr } = host;
  const isAsking = stderr.isTTY === true;
  const onWait = (): void => {
    if (isAsking) void note('waiting for the system keychain, which may ask you to unlock it');
  };
  const limitMs = isAsking ? ASKING_LIMIT_MS : LIMIT_MS;
  return {
    isWanted: isWanted(env),
    /** Makes one call, which is answered within the time limit. */
    call: (request: KeychainRequest) => call(host, request, { limitMs, onWait }),
  };
}

/**
 * `LECTERN_KEYCHAIN` is `on` or `off`; the default is on, unless `LECTERN_HOME` is set, which holds
 * all state.
 */
function isWanted({ LECTERN_KEYCHAIN: said, LECTERN_HOME: home }: NodeJS.ProcessEnv): boolean {
  if (!said) return !home;
  if (said === 'on' || said === 'off') return said === 'on';
  throw new UsageError(`LECTERN_KEYCHAIN is ${quoted(said)}`, 'set it to on or off');
}

/** Calls the keychain in a separate process, which is killed if it does not answer. */
async function call(host: Host, request: KeychainRequest, wait: Wait): Promise<KeychainAnswer> {
  try {
    const { ownArguments } = await import('./processes.ts');
    const worker = [...ownArguments(host), KEYCHAIN_COMMAND];
    if (!isSea()) return await ask(worker, request, wait);
    // The worker unpacks its addon there. On Windows it cannot remove the file, which is in use.
    const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
    const answer = ask([...worker, folder], request, wait);
    return await answer.finally(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    return { ok: false, why: messageOf(error) };
  }
}

interface Wait {
  readonly limitMs: number;
  readonly onWait: () => void;
}

async function ask(
  worker: readonly string[],
  request: KeychainRequest,
  { limitMs, onWait }: Wait,
): Promise<KeychainAnswer> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, worker, {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const wait = setTimeout(onWait, LIMIT_MS);
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    // A worker that could not start does not read; its exit reports the error.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(request));
    child.on('error', (error) => resolve({ ok: false, why: error.message }));
    child.on('close', (_code, signal) => {
      clearTimeout(wait);
      clearTimeout(limit);
      // Ctrl-C reaches the worker too.
      const isInterrupted = signal === 'SIGINT';
      if (isInterrupted) reject(new InterruptedError('interrupted while waiting for the keychain'));
      else if (signal === null) resolve(parse(Buffer.concat(output)));
      else resolve({ ok: false, why: `no response within ${limitMs / 1000} s` });
    });
  });
}

function parse(output: Buffer): KeychainAnswer {
  try {
    return JSON.parse(output.toString()) as KeychainAnswer;
  } catch {
    return { ok: false, why: 'not available on this system' };
  }
}
