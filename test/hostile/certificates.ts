import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/lectern.ts';

/** A certificate with its key, as PEM, and the file that it is in. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

const PEM = readFileSync(new URL('../support/localhost.pem', import.meta.url), 'utf8');

/**
 * The certificate of the tests with some of its bytes changed, signed again: valid otherwise. What
 * is put in must be as long as what it replaces, since the lengths around it stay.
 */
function certificateWith(changes: readonly (readonly [from: Buffer, to: Buffer])[]): Certificate {
  const key = createPrivateKey(PEM);
  const { raw } = new X509Certificate(PEM);
  // Certificate ::= SEQUENCE { what is signed, the algorithm, the signature } (RFC 5280, 4.1).
  const signedEnd = 4 + 4 + raw.readUInt16BE(6);
  const signed = Buffer.from(raw.subarray(4, signedEnd));
  for (const [from, to] of changes) {
    for (let at = signed.indexOf(from); at >= 0; at = signed.indexOf(from, at + 1))
      to.copy(signed, at);
  }
  const algorithm = raw.subarray(signedEnd, signedEnd + 2 + (raw[signedEnd + 1] ?? 0));
  const signature = der(0x03, Buffer.of(0), sign('sha256', signed, key));
  const cert = pem('CERTIFICATE', der(0x30, signed, algorithm, signature));
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const file = join(temporaryFolder(), 'certificate.pem');
  writeFileSync(file, cert);
  return { key: keyPem, cert, file };
}

/** The validity of the certificate of the tests, and others of the same form. */
const UNTIL = Buffer.from('21261027141629Z');
export const expired = (): Certificate =>
  certificateWith([
    [Buffer.from('261120141629Z'), Buffer.from('200101000000Z')],
    [UNTIL, Buffer.from('20210101000000Z')],
  ]);

/** Of another host, by its names and its address. */
export const ofAnother = (): Certificate =>
  certificateWith([
    [Buffer.from('localhost'), Buffer.from('otherhost')],
    [Buffer.from([0x87, 4, 127, 0, 0, 1]), Buffer.from([0x87, 4, 127, 9, 9, 9])],
  ]);

/** A valid certificate that is not trusted. */
export const right = (): Certificate => certificateWith([]);

/** An element of DER: its tag, its length, what it holds. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes =
    length > 0xff ? [0x82, length >> 8, length & 0xff] : length > 0x7f ? [0x81, length] : [length];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
