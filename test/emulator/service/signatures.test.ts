/** How a launch of an external tool is signed, checked as its server would. */
import { createHmac, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { serveEmulator } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { atEnd } from '../../support/scope.ts';
import type { Claims } from '../documents.ts';
import { send } from '../wire.ts';

interface Launched {
  readonly claims: Claims;
  readonly header: { readonly alg: string; readonly kid?: string };
  readonly payload: Claims & { readonly aud: string; readonly iat: number; readonly exp: number };
  /** What is signed, and the signature. */
  readonly text: string;
  readonly signature: string;
  readonly apiKey: string;
  readonly publicKeys: readonly (JsonWebKey & { readonly kid: string })[];
}

/** The token that the form of a course page carries. */
async function launched(sign?: string, groups: readonly string[] = []): Promise<Launched> {
  const seed = {
    tools: [{ id: 'quiz', callback: 'http://127.0.0.1:9/launch' }],
    courses: [
      {
        id: 'bio',
        members: [{ id: 'amina', groups }],
        locations: [{ id: 'quiz-1', tool: 'quiz' }],
      },
    ],
  };
  // One makes its own key.
  const serve = sign === undefined ? serveEmulator : serveSeeded;
  const { control, url, close } = await serve({ seed });
  atEnd(close);
  const wish = { member: 'amina', ...(sign && { sign }) };
  const { claims, course_page: shown } = await control('POST launch', wish as never);
  const page = new URL(shown);
  const headers = { origin: page.origin };
  const form = `${page.origin}${page.pathname}/form${page.search}`;
  const { launch_token } = (await send('POST', form, { headers, json: {} })).json<{
    launch_token: string;
  }>();
  const [header = '', payload = '', signature = ''] = launch_token.split('.');
  const read = <Part>(part: string): Part =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Part;
  const { api_key: apiKey } = await control('POST key', { tool: 'quiz' });
  const jwks = await send('GET', `${url}/.well-known/jwks.json`);
  const { keys: publicKeys } = jwks.json<{ keys: Launched['publicKeys'] }>();
  const text = `${header}.${payload}`;
  const parts = {
    header: read<Launched['header']>(header),
    payload: read<Launched['payload']>(payload),
  };
  return { claims: claims as never, ...parts, text, signature, apiKey, publicKeys };
}

/** Whether the signature is that of the tool's key, or of a published one. */
function isSigned({ header, apiKey, publicKeys, text, signature }: Launched): boolean {
  if (header.alg === 'HS256')
    return signature === createHmac('sha256', apiKey).update(text).digest('base64url');
  const key = publicKeys.find(({ kid }) => kid === header.kid);
  if (!key) return false;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
}

test.each<{ sign?: string; alg: string; isValid?: boolean; isExpired?: boolean }>([
  { alg: 'RS256', isValid: true },
  { sign: 'RS256', alg: 'RS256', isValid: true },
  { sign: 'expired', alg: 'RS256', isValid: true, isExpired: true },
  { sign: 'wrong-key', alg: 'RS256' },
  { sign: 'HS256', alg: 'HS256', isValid: true },
  { sign: 'HS256-expired', alg: 'HS256', isValid: true, isExpired: true },
  { sign: 'HS256-wrong-key', alg: 'HS256' },
  { sign: 'plain', alg: 'none' },
])('a launch token of the kind $sign has one fault or none', async (kind) => {
  const { sign, alg, isValid = false, isExpired = false } = kind;
  const token = await launched(sign);
  const { header, payload, claims, publicKeys, signature } = token;
  expect(header.alg).toBe(alg);
  expect(payload).toMatchObject({ ...claims, aud: 'quiz' });
  expect([isSigned(token), payload.exp < Date.now() / 1000]).toEqual([isValid, isExpired]);
  if (alg === 'RS256') expect(publicKeys.map(({ kid }) => kid)).toContain(header.kid);
  if (alg === 'none') expect(signature).toBe('');
});

test.each([
  ['altered', []],
  ['altered', ['instructor']],
  ['altered', ['manager']],
  ['HS256-altered', []],
])('a launch token of the kind %s has changed claims, for %j', async (sign, groups) => {
  const token = await launched(sign, groups);
  expect(token.payload.user).toMatchObject({ groups: ['manager'], member: 'amina-altered' });
  expect(isSigned(token)).toBe(false);
});
