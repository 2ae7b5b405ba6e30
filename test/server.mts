import { createServer } from 'node:http';
import { serveEmulator } from '/work/main/src/emulator/index.ts';
if (process.argv[2] === 'bare') {
  const s = createServer((req, res) => {
    const chunks = [];
    if (req.method === 'GET') return answer();
    req.on('data', c => chunks.push(c)); req.on('end', answer);
    function answer() {
      if (req.method !== 'GET') { const v = JSON.parse(Buffer.concat(chunks).toString()); }
      const body = req.method === 'PUT' ? '' : row;
      res.writeHead(req.method === 'PUT' ? 204 : 200, body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {});
      res.end(body);
    }
  });
  const row = JSON.stringify({ text: 'x'.repeat(1000) });
  s.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${s.address().port}` }));
} else {
  const s = await serveEmulator({ controlToken: 'ct', pid: process.pid, data: process.argv[3], report: console.error });
  process.send({ url: s.url });
  process.on('message', () => process.exit());
}
