import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type * as keyring from '@napi-rs/keyring';
import { PRIVATE_MODE } from '../../disk/private-file.ts';
import { messageOf } from '../../errors.ts';
import type { Host } from './host.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain.ts';

/**
 * A separate process for one call to the system keychain: a keychain that hangs blocks a thread,
 * which only the end of the process can stop. Both sides exchange JSON through pipes.
 */
const SERVICE = 'lectern';
/** On Linux the default would be the kernel's keyring, which is lost at a restart. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Reads a request from standard input, and writes the answer. */
export async function answerKeychain({ stdin, stdout }: Host, folder = ''): Promise<void> {
  const request = JSON.parse(await text(stdin)) as KeychainRequest;
  stdout.end(JSON.stringify(await answer(request, folder)));
  await finished(stdout);
}

async function answer(
  { action, account, secret }: KeychainRequest,
  folder: string,
): Promise<KeychainAnswer> {
  try {
    const { AsyncEntry } = isSea() ? unpackedAddon(folder) : await import('@napi-rs/keyring');
    const entry = new AsyncEntry(SERVICE, account, OPTIONS);
    if (action === 'set') await entry.setPassword(secret ?? '');
    if (action === 'remove') await entry.deletePassword();
    return { ok: true, secret: action === 'get' ? await entry.getPassword() : null };
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}

/** The system loads an addon only from a file: it is put into the folder that the caller has made. */
function unpackedAddon(folder: string): Pick<typeof keyring, 'AsyncEntry'> {
  const file = join(folder, 'keychain.node');
  writeFileSync(file, new Uint8Array(getRawAsset('keychain.node') as ArrayBuffer), {
    mode: PRIVATE_MODE,
  });
  const addon = { exports: {} as typeof keyring };
  process.dlopen(addon, file);
  return addon.exports;
}
