import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const example = fileURLToPath(new URL('../docs/examples/tool.test.js', import.meta.url));

test("the example of a tool's tests passes against the built package", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=tap', example],
    {
      encoding: 'utf8',
      // Node would take itself for a part of another test run.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    },
  );
  const count = readFileSync(example, 'utf8').match(/^test\(/gm)?.length;
  expect(stdout).toContain(`# pass ${count}\n`);
  expect(status).toBe(0);
});
