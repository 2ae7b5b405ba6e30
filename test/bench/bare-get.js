// The least that gets a row with undici: what `lectern storage get` is measured against.
import v8 from 'node:v8';
v8.setFlagsFromString('--liftoff-only');
const { Client } = await import('undici');

const { origin, pathname } = new URL(process.argv[2]);
const client = new Client(origin);
const { body } = await client.request({
  path: pathname,
  method: 'GET',
  headers: { authorization: 'Bearer bench' },
});
process.stdout.write(`${JSON.stringify(await body.json(), null, 2)}\n`);
await client.destroy();
