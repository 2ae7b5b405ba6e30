import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Where a line is cut: the statement does not arrive, or its answer does not. */
type Cut = 'before' | 'after';

/** A proxy in front of the server of a ledger, which may cut the line or say nothing more. */
export async function proxied(url: string) {
  const { port } = new URL(url);
  let next: { readonly text: string; readonly where: Cut } | undefined;
  let cuts = 0;
  let heard: ((chunk: Buffer) => void) | undefined;
  const delayed: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    let isCut = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (chunk: Buffer) => {
      if (heard) {
        delayed.push(() => upstream.write(chunk));
        return heard(chunk);
      }
      if (next && chunk.includes(next.text)) {
        const { where } = next;
        next = undefined;
        cuts += 1;
        if (where === 'before') return end();
        isCut = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (isCut) end();
      else if (heard) delayed.push(() => client.write(chunk));
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  /** Cuts the line at the next statement with a text, once. */
  const cut = (text: string, where: Cut): void => void (next = { text, where });
  /** Keeps the lines, and passes nothing on; resolves at the next statement with a text. */
  const silence = (text: string): Promise<void> =>
    new Promise((resolve) => {
      heard = (chunk) => chunk.includes(text) && resolve();
    });
  /** Passes on what came meanwhile. */
  const resume = (): void => {
    heard = undefined;
    for (const pass of delayed.splice(0)) pass();
  };
  return { url: through.href, cut, cuts: () => cuts, silence, resume };
}
