import { expect, test } from 'vitest';
import { findExample } from '../../src/cli/explain/find-example.ts';

test.each(['seed.invalid', 'project.invalid'] as const)(
  'the code %s is found in its example',
  async (code) => {
    const found = await findExample(code);
    expect(found.map((each) => each.code)).toContain(code);
  },
);
