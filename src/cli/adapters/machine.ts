import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Machine } from '../runtime.ts';
import type { Host } from './host.ts';
import { callKeychain, isKeychainWanted } from './keychain.ts';
import { ownership } from './ownership.ts';

/** What lectern runs on, for `lectern doctor`. */
export function createMachine({ env, platform }: Host): Machine {
  return {
    node: process.versions.node,
    platform: `${platform} ${process.arch}`,
    ownership,
    countCertificates,
    keychain: async () => {
      if (!isKeychainWanted(env)) return { wanted: false, fault: undefined };
      const answer = await callKeychain({ action: 'get', account: 'lectern doctor' });
      return { wanted: true, fault: answer.ok ? undefined : answer.why };
    },
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

async function countCertificates(path: string): Promise<number> {
  const found = (await readFile(path, 'utf8')).match(CERTIFICATE) ?? [];
  return found.map((each) => new X509Certificate(each)).length;
}
