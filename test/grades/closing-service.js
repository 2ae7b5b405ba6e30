// A service in a thread of its own, which continues while the thread of the test is blocked. It takes
// every grade; at a message it closes its idle connections, and wakes the test once that is done.
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { record, closed } = workerData;
const sockets = new Set();

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const [, member] = /\/members\/([^/]+)/.exec(request.url);
    const annotations = { ...record.annotations, member };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...record, annotations }));
  });
});
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));

parentPort.on('message', () => {
  for (const socket of sockets) socket.once('close', wakeWhenAllClosed).destroySoon();
});

function wakeWhenAllClosed() {
  if (sockets.size > 0) return;
  Atomics.store(closed, 0, 1);
  Atomics.notify(closed, 0);
}
