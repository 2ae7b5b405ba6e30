import { expect, test } from 'vitest';
import { Lines } from '../../../src/cli/grade/bulk/lines.ts';

test('a reader that is slow has the rest of the run wait, and gets every line', async () => {
  const read: string[] = [];
  let release = (): void => {};
  const reader = new Promise<void>((resolve) => {
    release = resolve;
  });
  const output = {
    isTerminal: false,
    columns: 80,
    broken: false,
    fault: undefined,
    write: async (text: string | Uint8Array): Promise<void> => {
      await reader;
      read.push(String(text));
    },
  };
  const lines = new Lines(output, () => {});
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 256; count += 1) lines.add(line);
  expect(lines.room()).toBeUndefined();
  lines.add(line);
  const room = lines.room();
  expect(room).toBeInstanceOf(Promise);
  release();
  await room;
  expect(lines.room()).toBeUndefined();
  expect(read.join('')).toBe(line.repeat(257));
});
