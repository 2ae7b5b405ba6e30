import { X509Certificate } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import type { Machine, Ownership } from '../runtime.ts';
import { callKeychain, isKeychainWanted } from './keychain.ts';

/** What lectern runs on, for `lectern doctor`. */
export function createMachine(env: NodeJS.ProcessEnv): Machine {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    ownership,
    countCertificates,
    keychain: async () => {
      if (!isKeychainWanted(env)) return { wanted: false, fault: undefined };
      const answer = await callKeychain({ action: 'get', account: 'lectern doctor' });
      return { wanted: true, fault: answer.ok ? undefined : answer.why };
    },
  };
}

/** Windows keeps no such modes and users: what is the user's own there is. */
async function ownership(path: string): Promise<Ownership | undefined> {
  try {
    const stats = await lstat(path);
    const isWindows = process.platform === 'win32';
    return {
      isLink: stats.isSymbolicLink(),
      isOwn: isWindows || stats.uid === process.getuid?.(),
      mode: isWindows ? undefined : stats.mode & 0o777,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

async function countCertificates(path: string): Promise<number> {
  const found = (await readFile(path, 'utf8')).match(CERTIFICATE) ?? [];
  return found.map((each) => new X509Certificate(each)).length;
}
