import { readFileSync } from 'node:fs';
import { LedgerError } from '../error.ts';
import type { PostgresAddress } from './address.ts';

/** `verify-full`: the certificate has to be signed by a known authority, for this host. */
export function tlsOptions(
  { rootCertificate, shown }: PostgresAddress,
  otherwise: string | undefined,
) {
  const file = rootCertificate ?? otherwise;
  const ca = file === undefined || file === 'system' ? undefined : readAuthority(file, shown);
  // pg compares the host with the certificate.
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}

function readAuthority(file: string, place: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const words = `the certificates of the authority cannot be read: ${(error as Error).message}`;
    throw new LedgerError('tls', place, words, error);
  }
}
