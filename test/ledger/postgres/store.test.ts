import { describe, expect } from 'vitest';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { attemptTests } from '../suite/attempts.ts';
import { propertyTests } from '../suite/property.ts';
import { runTests } from '../suite/runs.ts';
import type { Store } from '../suite/store.ts';
import { emptyLedger, openShared, postgresOfWorker } from './support.ts';

describe.skipIf(NO_POSTGRES)(`PostgreSQL ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfWorker();
  const unused: string[] = [];
  const newPlace = (): Promise<string> => emptyLedger(postgres, unused);
  const store: Store = {
    newPlace,
    open: async (place) => openShared(place ?? (await newPlace())),
    // Only the clock of the server counts.
    timeOf: () => expect.any(Number) as number,
  };
  attemptTests(store);
  runTests(store);
  propertyTests(store);
});
