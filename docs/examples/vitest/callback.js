// How a tool in Node verifies the launch token that its callback is sent.
import { createPublicKey, verify } from 'node:crypto';

const read = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

/** The claims of a token that `issuer` signed for this tool just now; throws for any other. */
export async function verified(token, { issuer, tool }) {
  const [header, payload, signature] = token.split('.');
  // The algorithm is ours to choose, never the token's.
  const { alg, kid } = read(header);
  if (alg !== 'RS256') throw new Error(`signed by ${alg}`);
  const { keys } = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const key = createPublicKey({ key: keys.find((each) => each.kid === kid), format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is wrong');
  }
  const claims = read(payload);
  if (claims.iss !== issuer || claims.aud !== tool) throw new Error('meant for another tool');
  if (!(Date.now() / 1000 < claims.exp)) throw new Error('expired');
  return claims;
}
