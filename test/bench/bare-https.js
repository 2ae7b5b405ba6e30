// The least that gets a row over TLS: what `lectern storage get` is measured against.
import { get } from 'node:https';

get(process.argv[2], { headers: { authorization: 'Bearer bench' } }, (response) => {
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('end', () => {
    const row = JSON.parse(Buffer.concat(chunks).toString());
    process.stdout.write(`${JSON.stringify(row, null, 2)}\n`);
  });
});
