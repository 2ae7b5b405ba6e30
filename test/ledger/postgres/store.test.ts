import { describe, expect } from 'vitest';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { attemptTests } from '../suite/attempts.ts';
import { propertyTests } from '../suite/property.ts';
import { runTests } from '../suite/runs.ts';
import type { Store } from '../suite/store.ts';
import { newLedger, openShared, postgresOfFile } from './support.ts';

describe.skipIf(NO_POSTGRES)(`PostgreSQL ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfFile();
  const store: Store = {
    newPlace: () => newLedger(postgres),
    open: async (place) => openShared(place ?? (await newLedger(postgres))),
    // Only the clock of the server counts.
    timeOf: () => expect.any(Number) as number,
  };
  attemptTests(store);
  runTests(store);
  propertyTests(store);
});
