import type { Readable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Input, Output } from '../runtime.ts';

const COLUMNS_WITHOUT_TERMINAL = 80;

/** Standard input. */
export function input(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: Boolean((stream as ReadStream).isTTY),
    readAll: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as Readable) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    stream: () => stream,
  };
}

/** Standard output or standard error. A reader that has gone (`| head`) is no error of ours. */
export function output(stream: NodeJS.WriteStream): Output {
  let broken = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    broken = true;
  });
  return {
    isTerminal: Boolean((stream as WriteStream).isTTY),
    get columns() {
      return (stream as WriteStream).columns || COLUMNS_WITHOUT_TERMINAL;
    },
    get broken() {
      return broken;
    },
    write: (data) =>
      new Promise((resolve) => {
        if (broken) resolve();
        else stream.write(data, () => resolve());
      }),
  };
}
