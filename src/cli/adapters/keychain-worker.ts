import { AsyncEntry } from '@napi-rs/keyring';
import type { KeychainAnswer, KeychainRequest } from './keychain.ts';

/**
 * A process of its own that makes one call to the system keychain: a keychain that hangs holds a
 * thread that nothing but the end of its process can stop. Both sides speak JSON through pipes.
 */
const SERVICE = 'lectern';
/** Linux would fall back to the kernel's keyring, which forgets everything at the next start. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

async function answer({ action, account, secret }: KeychainRequest): Promise<KeychainAnswer> {
  try {
    const entry = new AsyncEntry(SERVICE, account, OPTIONS);
    if (action === 'set') await entry.setPassword(secret ?? '');
    if (action === 'remove') await entry.deletePassword();
    return { ok: true, secret: action === 'get' ? await entry.getPassword() : null };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(chunks).toString()) as KeychainRequest;
process.stdout.write(JSON.stringify(await answer(request)));
