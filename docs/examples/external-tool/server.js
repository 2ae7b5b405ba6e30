// An external tool's server: verifies each launch, finishes provisioning, lists its locations.
// node server.js ISSUER [PORT], where ISSUER is the address of the service or the emulator.
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';

const [issuer, port = '3000'] = process.argv.slice(2);

/** The claims of a token that the service signed for this tool just now; throws for any other. */
async function verified(token) {
  const [header, payload, signature] = token.split('.');
  const read = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { alg, kid } = read(header);
  // The algorithm is ours to choose, never the token's.
  if (alg !== 'RS256') throw new Error(`signed by ${alg}`);
  const { keys } = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const key = keys.find((each) => each.kid === kid);
  if (!key) throw new Error('signed with an unknown key');
  const text = Buffer.from(`${header}.${payload}`);
  const isSigned = verify(
    'sha256',
    text,
    createPublicKey({ key, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the signature is wrong');
  const claims = read(payload);
  if (claims.iss !== issuer) throw new Error('of another issuer');
  if (!(Date.now() / 1000 < claims.exp)) throw new Error('expired');
  return claims;
}

/** What the service asks for, by the path of this tool. */
const answers = {
  '/launch': async (body) => {
    const claims = await verified(new URLSearchParams(body).get('launch_token') ?? '');
    return ['text/html', `<h1>Hello, ${claims.user.groups.join(', ')}</h1>`];
  },
  '/provision': async (_body, token) => {
    const { api, provision } = await verified(token);
    for (const url of [provision.context, provision.location]) {
      await fetch(url, { method: 'PUT', headers: { authorization: `Bearer ${api.token}` } });
    }
    return ['application/json', '{}'];
  },
  '/locations': async (_body, token) => {
    await verified(token);
    return ['application/json', JSON.stringify({ locations: [{ id: 'quiz', title: 'A quiz' }] })];
  },
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const token = (request.headers.authorization ?? '').replace('Bearer ', '');
  try {
    const answer = answers[request.url];
    if (!answer) throw new Error('no such page');
    const [type, body] = await answer(Buffer.concat(chunks).toString(), token);
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  } catch (error) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`Refused: ${error.message}\n`);
  }
}).listen(Number(port), '127.0.0.1', function listening() {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
