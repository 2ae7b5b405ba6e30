import { X509Certificate } from 'node:crypto';
import { readPlainFile } from '../../disk/plain-file.ts';
import { MAX_JSON_BYTES } from '../sizes.ts';
import type { Host } from './host.ts';
import type { Keychain } from './keychain.ts';
import { ownership } from './disk.ts';

/** Information about the machine, for `lectern doctor`. */
export function createMachine({ platform }: Host, keychain: Keychain) {
  return {
    node: process.versions.node,
    platform: `${platform} ${process.arch}`,
    ownership,
    countCertificates,
    /** Whether secrets are stored in the system keychain, and why it does not work, if so. */
    keychain: async () => {
      if (!keychain.isWanted) return { wanted: false, fault: undefined };
      const answer = await keychain.call({ action: 'get', account: 'lectern doctor' });
      return { wanted: true, fault: answer.ok ? undefined : answer.why };
    },
  };
}

export type Machine = ReturnType<typeof createMachine>;

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The number of certificates in a PEM file; rejects if it is not one. */
async function countCertificates(path: string): Promise<number> {
  const [, ...found] = readPlainFile(path, MAX_JSON_BYTES).toString().split(BEGIN);
  const whole = found.filter((each) => each.includes(END));
  return whole.map((each) => new X509Certificate(`${BEGIN}${each}`)).length;
}
