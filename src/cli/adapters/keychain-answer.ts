import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import type * as keyring from '@napi-rs/keyring';
import type { KeychainAnswer, KeychainRequest } from './keychain.ts';

/**
 * A separate process for one call to the system keychain: a keychain that hangs blocks a thread,
 * which only the end of the process can stop. Both sides exchange JSON through pipes.
 */
const SERVICE = 'lectern';
/** On Linux the default would be the kernel's keyring, which is lost at a restart. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Reads a request from standard input, and writes the answer. */
export async function answerKeychain(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const request = JSON.parse(Buffer.concat(chunks).toString()) as KeychainRequest;
  process.stdout.write(JSON.stringify(await answer(request)));
}

async function answer({ action, account, secret }: KeychainRequest): Promise<KeychainAnswer> {
  try {
    const { AsyncEntry } = isSea() ? unpackedAddon() : await import('@napi-rs/keyring');
    const entry = new AsyncEntry(SERVICE, account, OPTIONS);
    if (action === 'set') await entry.setPassword(secret ?? '');
    if (action === 'remove') await entry.deletePassword();
    return { ok: true, secret: action === 'get' ? await entry.getPassword() : null };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** The system loads an addon only from a file: it is put into the folder that the caller has made. */
function unpackedAddon(): Pick<typeof keyring, 'AsyncEntry'> {
  const file = join(process.argv[3] as string, 'keychain.node');
  writeFileSync(file, new Uint8Array(getRawAsset('keychain.node') as ArrayBuffer), { mode: 0o600 });
  const addon = { exports: {} as typeof keyring };
  process.dlopen(addon, file);
  return addon.exports;
}
