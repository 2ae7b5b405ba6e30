// An external tool's server: verifies each launch, finishes provisioning, lists its locations.
// node server.js ISSUER [PORT [TOOL [HOST]]]: the address of the service or the emulator, the tool's ID.
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const [issuer, port = '3000', tool = 'quiz', host = '127.0.0.1'] = process.argv.slice(2);
const read = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

/** The claims of a token that the service signed for this tool just now; throws for any other. */
async function verified(token) {
  const [header, payload, signature] = token.split('.');
  const { alg, kid } = read(header);
  // The algorithm is ours to choose, never the token's.
  if (alg !== 'RS256') throw new Error(`signed by ${alg}`);
  const { keys } = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const key = createPublicKey({ key: keys.find((each) => each.kid === kid), format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  const isGenuine = verify('sha256', signed, key, Buffer.from(signature, 'base64url'));
  if (!isGenuine) throw new Error('the signature is wrong');
  const claims = read(payload);
  if (claims.iss !== issuer || claims.aud !== tool) throw new Error('meant for another tool');
  if (!(Date.now() / 1000 < claims.exp)) throw new Error('expired');
  return claims;
}

/** What the service asks for, by the path of this tool. */
const answers = {
  '/launch': async (body) => {
    const { user } = await verified(new URLSearchParams(body).get('launch_token'));
    return `Hello, ${user.groups.join(', ')}`;
  },
  '/provision': async (_body, token) => {
    const { api, provision } = await verified(token);
    const headers = { authorization: `Bearer ${api.token}` };
    for (const url of Object.values(provision)) await fetch(url, { method: 'PUT', headers });
  },
  '/locations': async (_body, token) => {
    await verified(token);
    return JSON.stringify({ locations: [{ id: 'quiz', title: 'A quiz' }] });
  },
};

createServer(async (request, response) => {
  try {
    const token = request.headers.authorization?.replace('Bearer ', '');
    response.end(await answers[request.url](await text(request), token));
  } catch (error) {
    response.writeHead(403).end(`Refused: ${error.message}\n`);
  }
}).listen(Number(port), host, () => console.log(`http://127.0.0.1:${port}`));
