import { fileURLToPath } from 'node:url';

export interface KeychainRequest {
  readonly action: 'get' | 'set' | 'remove';
  readonly account: string;
  /** To be set. */
  readonly secret?: string;
}

export type KeychainAnswer =
  | { readonly ok: true; readonly secret: string | null }
  | { readonly ok: false; readonly why: string };

/** The system keychain: one call, answered in any case, and within the limit. */
export type Keychain = (request: KeychainRequest) => Promise<KeychainAnswer>;

const LIMIT_MS = 3_000;
/** As deep from dist/chunks as from dist/cli. */
const WORKER = new URL('../cli/adapters/keychain-worker.js', import.meta.url);

/**
 * Whether the system keychain is to be used: `LECTERN_KEYCHAIN` says `on` or `off`; without it,
 * unless `LECTERN_HOME` is set, which holds all state.
 */
export function isKeychainWanted(env: NodeJS.ProcessEnv): boolean {
  if (env.LECTERN_KEYCHAIN) return env.LECTERN_KEYCHAIN === 'on';
  return !env.LECTERN_HOME;
}

/** Calls the keychain in a process of its own, which is killed when it does not answer. */
export const callKeychain: Keychain = async (request) => {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [fileURLToPath(WORKER)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    // A worker that could not start reads nothing; its end says so.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(request));
    child.on('error', (error) => resolve({ ok: false, why: error.message }));
    child.on('close', (_code, signal) => {
      clearTimeout(limit);
      resolve(signal === 'SIGKILL' ? { ok: false, why: TOO_SLOW } : parse(Buffer.concat(output)));
    });
  });
};

const TOO_SLOW = `no response within ${LIMIT_MS / 1000} s`;

function parse(output: Buffer): KeychainAnswer {
  try {
    return JSON.parse(output.toString()) as KeychainAnswer;
  } catch {
    return { ok: false, why: 'not available on this system' };
  }
}
