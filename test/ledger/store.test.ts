import { describe } from 'vitest';
import { openTemporary, temporaryFile } from './support.ts';
import { attemptTests } from './suite/attempts.ts';
import { propertyTests } from './suite/property.ts';
import { runTests } from './suite/runs.ts';
import type { Store } from './suite/store.ts';

const store: Store = {
  newPlace: async () => temporaryFile(),
  open: openTemporary,
  timeOf: ({ ms }) => ms,
};

describe('SQLite', () => {
  attemptTests(store);
  runTests(store);
  propertyTests(store);
});
