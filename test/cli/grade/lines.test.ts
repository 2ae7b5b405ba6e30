import { expect, test } from 'vitest';
import { colorsWith } from '../../../src/cli/colors.ts';
import { LineWriter } from '../../../src/cli/output/run-progress.ts';

test('a slow reader pauses the run, and gets every line', async () => {
  const read: string[] = [];
  let release = (): void => {};
  const reader = new Promise<void>((resolve) => {
    release = resolve;
  });
  const output = {
    isTerminal: false,
    colors: colorsWith(false),
    columns: 80,
    broken: false,
    fault: undefined,
    write: async (text: string | Uint8Array): Promise<void> => {
      await reader;
      read.push(String(text));
    },
  };
  const lines = new LineWriter(output, () => {});
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 256; count += 1) lines.add(line);
  await lines.ready();
  lines.add(line);
  let hasRoom = false;
  const room = lines.ready().then(() => (hasRoom = true));
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  release();
  await room;
  expect(read.join('')).toBe(line.repeat(257));
});

test('a line added right after the last write is also written', async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const read: string[] = [];
    const addLater = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      lines.add('second\n');
    };
    const output = {
      isTerminal: false,
      colors: colorsWith(false),
      columns: 80,
      broken: false,
      fault: undefined,
      write: async (text: string | Uint8Array): Promise<void> => {
        read.push(String(text));
        if (read.length === 1) void addLater();
      },
    };
    const lines = new LineWriter(output, () => {});
    lines.add('first\n');
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await lines.flush();
    expect(read.join(''), `after ${turns} turns`).toBe('first\nsecond\n');
  }
});
