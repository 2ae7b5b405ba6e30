import { AsyncEntry } from '@napi-rs/keyring';
import type { KeychainAnswer, KeychainRequest } from './keychain.ts';

/**
 * A separate process for one call to the system keychain: a keychain that hangs blocks a thread,
 * which only the end of the process can stop. Both sides exchange JSON through pipes.
 */
const SERVICE = 'lectern';
/** On Linux the default would be the kernel's keyring, which is lost at a restart. */
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
