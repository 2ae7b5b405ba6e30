import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createRunHere } from '../../../src/cli/adapters/run-here.ts';
import type { Host, OutputStream } from '../../../src/cli/adapters/host.ts';

/** A terminal that keeps what it shows. */
class Terminal extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  shown = '';

  override _write(chunk: Buffer, _: string, taken: () => void): void {
    this.shown += chunk.toString();
    taken();
  }
}

function hostOf(stdout: OutputStream): Host {
  return Object.assign(new EventEmitter(), {
    env: {},
    pid: process.pid,
    platform: process.platform,
    exit: () => {},
    stdin: new PassThrough(),
    stdout,
    stderr: new Terminal(),
  });
}

function print(stream: OutputStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

const options = { env: {}, folder: '/', interrupt: new AbortController().signal };

test('what a command prints is not seen by a progress that watches the outer stream', async () => {
  const terminal = new Terminal();
  const runHere = createRunHere(hostOf(terminal), async (_, inner) => {
    // As ora does to both of the process's streams while it draws; redrawing prints again, without end.
    terminal.write = () => expect.fail('the progress sees its own redrawing');
    await print(inner.stderr, 'redrawn\n');
    await print(inner.stdout, 'printed\n');
    return 7;
  });
  const shown = (text: string, stream: string): string => `${stream}: ${text}`;
  expect(await runHere([], { ...options, shown })).toBe(7);
  expect(terminal.shown).toBe('stderr: redrawn\nstdout: printed\n');
});

test('a command goes on after the reader of the outer stream is gone', async () => {
  const terminal = new Terminal();
  const runHere = createRunHere(hostOf(terminal), async (_, inner) => {
    terminal.destroy();
    await print(inner.stdout, 'printed\n');
    return 0;
  });
  expect(await runHere([], { ...options, shown: (text) => text })).toBe(0);
});
