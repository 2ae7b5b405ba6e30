import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTransport } from '../../src/client/index.ts';
import { listening } from '../support/service.ts';

/** One byte more than is received before the server is paused: the last byte pauses it. */
const HELD_BYTES = (256 << 10) + 1;

/** The response of a server that announces `length` bytes, sends `HELD_BYTES` and closes. */
async function heldResponse(length: number) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`);
      socket.end(Buffer.alloc(HELD_BYTES));
    });
  });
  const port = await listening(server);
  const { transport, close } = createTransport();
  onTestFinished(close);
  const connected = once(server, 'connection');
  const { response } = transport({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} });
  const { body } = await response;
  const [socket] = await connected;
  await once(socket, 'close');
  return body;
}

async function sizeOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

test('a response is read whole if its connection ended before the reader began', async () => {
  expect(await sizeOf(await heldResponse(HELD_BYTES))).toBe(HELD_BYTES);
});

test('a response that was cut off before the reader began is an error', async () => {
  const body = await heldResponse(HELD_BYTES + 1);
  await expect(sizeOf(body)).rejects.toThrow('the response was cut off');
});
