import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPair,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { SIGNATURES } from '../../../control-api/taken.ts';
import { LAUNCH_KEY } from '../../state/records.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { Tool } from '../../state/world.ts';

export type Signature = (typeof SIGNATURES)[number];
export const DEFAULT_SIGNATURE: Signature = 'RS256';

/** Path of the public key, on the API's origin. */
export const JWKS_PATH = '/.well-known/jwks.json';

const LIFETIME_SECONDS = 300;
const HOUR_SECONDS = 60 * 60;

type Payload = Readonly<Record<string, unknown>>;

/** Claims as a compact token; HS256 is keyed with the tool's API key. */
export async function signedToken(
  state: EmulatorState,
  tool: Tool,
  claims: Payload,
  how: Signature,
): Promise<string> {
  const fault = /(?:expired|wrong-key|altered)$/.exec(how)?.[0];
  const payload = { ...claims, aud: tool.id, ...validity(state, fault === 'expired') };
  const { header, signature } = await signer(state, tool, how, fault === 'wrong-key');
  const head = encodePart({ ...header, typ: 'JWT' });
  const text = `${head}.${encodePart(payload)}`;
  const sent = fault === 'altered' ? `${head}.${encodePart(altered(payload))}` : text;
  return `${sent}.${signature(text)}`;
}

async function signer(
  state: EmulatorState,
  tool: Tool,
  how: Signature,
  isWrong: boolean,
): Promise<{ header: object; signature: (text: string) => string }> {
  if (how === 'plain') return { header: { alg: 'none' }, signature: () => '' };
  if (how.startsWith('HS256')) {
    const key = isWrong ? `${tool.api_key}-wrong` : tool.api_key;
    const signature = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
    return { header: { alg: 'HS256' }, signature };
  }
  const known = await signingKey(state);
  const key = isWrong ? await newKey() : known;
  return {
    header: { alg: 'RS256', kid: keyId(known) },
    signature: (text) => sign('sha256', Buffer.from(text), key).toString('base64url'),
  };
}

/** By the machine's clock, as a tool's server uses it. */
function validity({ clock }: EmulatorState, isExpired: boolean): { iat: number; exp: number } {
  const now = Math.floor((clock.now() - clock.offset) / 1000);
  const iat = isExpired ? now - 2 * HOUR_SECONDS : now;
  return { iat, exp: iat + LIFETIME_SECONDS };
}

/** Claims manager rights, as an attacker would; of a manager, another member. */
function altered(payload: Payload): Payload {
  const user = payload.user as { readonly member?: string };
  const other = { ...user, member: `${user.member}-altered`, groups: ['manager'] };
  return { ...payload, user: other };
}

function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export async function publicKeys(state: EmulatorState): Promise<{ keys: object[] }> {
  const key = await signingKey(state);
  const { kty, n, e } = key.export({ format: 'jwk' });
  return { keys: [{ kty, n, e, alg: 'RS256', use: 'sig', kid: keyId(key) }] };
}

/** The stored key, made on first use; an import replaces it. */
async function signingKey({ settings }: EmulatorState): Promise<KeyObject> {
  const made = settings.has(LAUNCH_KEY) ? undefined : await newKey();
  // Of two concurrent calls, the key of the first one is used.
  if (made !== undefined && !settings.has(LAUNCH_KEY)) {
    settings.put({ name: LAUNCH_KEY, value: JSON.stringify(made.export({ format: 'jwk' })) });
  }
  const key = JSON.parse(String(settings.get(LAUNCH_KEY)?.value)) as JsonWebKey;
  return createPrivateKey({ key, format: 'jwk' });
}

const RSA_BITS = 2048;

async function newKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS });
  return privateKey;
}

function keyId(key: KeyObject): string {
  const { n = '' } = key.export({ format: 'jwk' });
  return createHash('sha256').update(n).digest('base64url').slice(0, 16);
}
