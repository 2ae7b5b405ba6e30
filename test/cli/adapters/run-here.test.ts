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
  isSlow = false;

  override _write(chunk: Buffer, _: string, taken: () => void): void {
    this.shown += chunk.toString();
    if (this.isSlow) setImmediate(taken);
    else taken();
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

test('the output of a command run in the process is kept out of the outer progress line', async () => {
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

test('a command run in the process continues after the outer output is closed', async () => {
  const terminal = new Terminal();
  const runHere = createRunHere(hostOf(terminal), async (_, inner) => {
    terminal.destroy();
    await print(inner.stdout, 'printed\n');
    return 0;
  });
  expect(await runHere([], { ...options, shown: (text) => text })).toBe(0);
});

test('output to both streams keeps its order, even on a slow terminal', async () => {
  const terminal = new Terminal();
  terminal.isSlow = true;
  const runHere = createRunHere(hostOf(terminal), async (_, inner) => {
    inner.stderr.write('progress, ');
    inner.stderr.write('cleared, ');
    await print(inner.stdout, 'summary');
    return 0;
  });
  await runHere([], { ...options, shown: (text) => text });
  await new Promise<void>((resolve) => {
    terminal.end(resolve);
  });
  expect(terminal.shown).toBe('progress, cleared, summary');
});
