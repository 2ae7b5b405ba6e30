import { expect, test } from 'vitest';
import { colorsWith } from '../../../src/cli/colors.ts';
import { LineWriter } from '../../../src/cli/output/run-progress.ts';
import { gate } from '../../support/scope.ts';

test('a slow reader pauses the run, and gets every line', async () => {
  const read: string[] = [];
  const reader = gate();
  const output = {
    isTerminal: false,
    colors: colorsWith(false),
    columns: 80,
    broken: false,
    fault: undefined,
    write: async (text: string | Uint8Array): Promise<void> => {
      await reader.opened;
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
  reader.open();
  await room;
  expect(read.join('')).toBe(line.repeat(257));
});
