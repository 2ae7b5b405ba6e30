/** How a launch of an external tool is signed, checked as its server would. */
import { createHmac, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { serveSeeded } from '../../support/emulator.ts';
import { atEnd } from '../../support/scope.ts';
import type { Claims } from '../documents.ts';
import { controlOf } from '../subject.ts';
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
  const served = await serveSeeded({ seed, controlToken: 'c', pid: process.pid });
  atEnd(served.close);
  const control = controlOf(served.url, 'c');
  const { claims, course_page } = (await control('launch', {
    sign,
    member: 'amina',
  })) as unknown as {
    claims: Claims;
    course_page: string;
  };
  const page = new URL(course_page);
  const headers = { 'content-type': 'application/json', origin: page.origin };
  const form = `${page.origin}${page.pathname}/form${page.search}`;
  const { launch_token } = JSON.parse((await send('POST', form, { headers, body: '{}' })).text) as {
    launch_token: string;
  };
  const [header = '', payload = '', signature = ''] = launch_token.split('.');
  const read = <Part>(part: string): Part =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Part;
  const { api_key: apiKey } = (await control('key', { tool: 'quiz' })) as unknown as {
    api_key: string;
  };
  const jwks = await send('GET', `${served.url}/.well-known/jwks.json`);
  const { keys: publicKeys } = JSON.parse(jwks.text) as { keys: Launched['publicKeys'] };
  const text = `${header}.${payload}`;
  const parts = {
    header: read<Launched['header']>(header),
    payload: read<Launched['payload']>(payload),
  };
  return { claims, ...parts, text, signature, apiKey, publicKeys };
}

function isSignedBy({ header, publicKeys, text, signature }: Launched): boolean {
  const key = publicKeys.find(({ kid }) => kid === header.kid);
  if (!key) return false;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
}

describe('a launch token', () => {
  test.for([
    { name: 'the default algorithm', sign: undefined },
    { name: 'RS256', sign: 'RS256' },
  ])('signed with $name is valid for this tool, by a published key', async ({ sign }) => {
    const token = await launched(sign);
    expect(token.header.alg).toBe('RS256');
    expect(isSignedBy(token)).toBe(true);
    expect(token.payload).toMatchObject({ ...token.claims, aud: 'quiz' });
    expect(token.payload.exp).toBeGreaterThan(Date.now() / 1000);
  });

  test("signed with HS256 uses the tool's API key", async () => {
    const { header, text, signature, apiKey } = await launched('HS256');
    expect(header.alg).toBe('HS256');
    expect(signature).toBe(createHmac('sha256', apiKey).update(text).digest('base64url'));
  });

  test.each([
    ['HS256-expired', true],
    ['HS256-wrong-key', false],
    ['HS256-altered', false],
  ])('of the kind %s is invalid for one reason', async (sign, isSigned) => {
    const { header, text, signature, apiKey, payload } = await launched(sign);
    expect(header.alg).toBe('HS256');
    const right = createHmac('sha256', apiKey).update(text).digest('base64url');
    expect(signature === right).toBe(isSigned);
    expect(payload.exp < Date.now() / 1000).toBe(isSigned);
  });

  test('of the kind plain is unsigned', async () => {
    const { header, signature, payload } = await launched('plain');
    expect([header.alg, signature, payload.aud]).toEqual(['none', '', 'quiz']);
  });

  test('of the kind expired has a published key, and has expired', async () => {
    const token = await launched('expired');
    expect(isSignedBy(token)).toBe(true);
    expect(token.payload.exp).toBeLessThan(Date.now() / 1000);
  });

  test('of the kind wrong-key uses an unpublished key with a published key ID', async () => {
    const token = await launched('wrong-key');
    expect(token.publicKeys.map(({ kid }) => kid)).toContain(token.header.kid);
    expect(isSignedBy(token)).toBe(false);
  });

  test.each([[[]], [['instructor']], [['manager']]])(
    'of the kind altered has changed claims, for %j',
    async (groups) => {
      const token = await launched('altered', groups);
      expect(token.payload.user).toMatchObject({ groups: ['manager'], member: 'amina-altered' });
      expect(isSignedBy(token)).toBe(false);
    },
  );
});
