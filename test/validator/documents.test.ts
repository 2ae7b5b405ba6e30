import { expect, test } from 'vitest';
import { DOCUMENT_EXAMPLES } from '../../src/cli/explain/examples/documents.ts';

test.each(['seed.invalid', 'project.invalid'] as const)(
  '%s is found in its example',
  async (code) => {
    const found = await DOCUMENT_EXAMPLES[code].find(code);
    expect(found.map((each) => each.code)).toContain(code);
  },
);
