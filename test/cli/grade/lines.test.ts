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
